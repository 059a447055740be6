"""Networks larger than the chip: in segments they equal the golden, in every engine and flow, and are proved."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import assert_close, check_compiled, compile_in_memory, golden, random_sample, run_in_process
from onnx_nets import Net, conv_nets

from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError
from emu.isa.codes import WRITES_GROUP
from emu.program.group import physical_crossbars

SAMPLES = 2


def chip(cores, per_core, size=8):
    return Arch(name="little", cores=cores, core=Core(crossbars=per_core), crossbar=Crossbar(size, size))


def check(model, arch, **options):
    """The network compiled in segments, run on some samples, compared and proved."""
    compiled = compile_in_memory(model, arch, arch.cores, segments=True, **options)
    samples = [random_sample(compiled.inputs, seed) for seed in range(SAMPLES)]
    found = run_in_process(compiled, samples)
    for sample, outputs in zip(samples, found, strict=True):
        assert_close(outputs, golden(model, sample))
    for program in compiled.programs.values():
        assert physical_crossbars(program.groups, arch) <= arch.core.crossbars
    report = check_compiled(compiled)
    assert report.proved, [verdict for verdict in report.verdicts if verdict.detail]
    return compiled, samples, found


def classifier(batch=1):
    net = Net([batch, 3, 8, 8])
    x = net.add("Relu", net.conv("x", 3, 12, (3, 3), pads=[1, 1, 1, 1]))
    x = net.add("Relu", net.conv(x, 12, 20, (3, 3), strides=[2, 2]))
    x = net.add("Flatten", x)
    return net.model(net.add("Gemm", x, net.weights(180, 30)))


@pytest.mark.parametrize(("cores", "per_core"), [(1, 1), (1, 7), (2, 2), (3, 8), (5, 4)])
def test_a_classifier_on_chips_of_any_size(cores, per_core):
    compiled, _, _ = check(classifier(), chip(cores, per_core, 16))
    assert any(group.shares for program in compiled.programs.values() for group in program.groups)


@settings(max_examples=examples(8, 40))
@given(
    conv_nets(),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(3, 20),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from(["image", "rows:1", "rows:2"]),
)
def test_random_networks(model, cores, per_core, size, packing, placement, granularity):
    options = {"packing": packing, "placement": placement, "granularity": granularity}
    check(model, chip(cores, per_core, size), **options)


@pytest.mark.full
@settings(max_examples=1000)
@given(conv_nets(), st.integers(1, 6), st.integers(1, 20), st.integers(3, 40), st.sampled_from(["image", "rows:1"]))
@pytest.mark.timeout(3600)
def test_many_random_networks(model, cores, per_core, size, granularity):
    check(model, chip(cores, per_core, size), granularity=granularity)


@settings(max_examples=examples(3, 10))
@given(conv_nets(), st.integers(1, 3), st.integers(1, 6))
def test_step_equals_batch_and_flows_agree(model, cores, per_core):
    compiled, samples, reference = check(model, chip(cores, per_core))
    for engine, flow in (("step", "rendezvous"), ("batch", "credits:1")):
        for left, right in zip(run_in_process(compiled, samples, engine, flow), reference, strict=True):
            for name in right:
                assert left[name].tobytes() == right[name].tobytes()


def test_a_batch_is_written_for_once():
    """All samples of a segment pass before the next weights are written."""
    arch, writes = chip(2, 4, 16), []
    for batch in (1, 5):
        compiled, _, _ = check(classifier(batch), arch)
        columns = [program.main.columns for program in compiled.programs.values()]
        writes.append(sum(int(col["n"][WRITES_GROUP[col["op"]]].sum()) for col in columns))
    assert writes[0] == writes[1] > 0


def test_recurrent_weights_have_a_segment_of_their_own():
    net = Net([4, 1, 6])
    gates = [net.weights(1, 16, 6), net.weights(1, 16, 4)]
    net.nodes.append(net_lstm("x", *gates))
    x = net.add("Reshape", "h", net.constant(np.array([4, 4], np.int64)))
    model = net.model(net.add("Gemm", x, net.weights(4, 9)))
    compiled, _, _ = check(model, chip(1, 3))
    assert sum(group.shares for group in compiled.programs[0].groups) > 1
    with pytest.raises(CompileError, match=r"node lstm .* take 2 crossbars of 8 x 8 on one core, but a core of"):
        check(model, chip(4, 1))


def net_lstm(*inputs):
    from onnx import helper

    return helper.make_node("LSTM", list(inputs), ["h"], name="lstm", hidden_size=4)


def test_a_network_that_fits_is_left_as_it_is():
    with_option, without = (
        compile_in_memory(classifier(), chip(4, 60, 16), 4, segments=segments) for segments in (True, False)
    )
    assert str(with_option.module) == str(without.module) and not with_option.read_only


def test_without_the_option_the_refusal_names_it():
    with pytest.raises(CompileError, match=r"but cores is 2: .*or segments"):
        compile_in_memory(classifier(), chip(2, 4, 16), 2)
