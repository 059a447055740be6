"""LSTM, GRU and RNN: equal to onnxruntime, whole or by rows, without a trace of the sample before."""

from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx import helper
from onnx_models import make_model
from recurrent_nets import GATES, layer, recurrent_nets
from recurrent_zoo import two_layers

from compiler.compiling import lower
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.kernels.nest import NestOp
from compiler.mapping.cutting.work_table import work_table
from compiler.passes import PIPELINE
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

LARGE = 100  # states beyond which activations without a bound have run away, to infinity in a few steps
RESOLUTION = 1e-3  # onnxruntime takes tanh(x) as 2 sigmoid(2 x) - 1: what is smaller is right to 1e-7 only
SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(4, 4))


def same_bits(one, other):
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes(), name


def check(net, layout, engine):
    """Three samples in a row: as onnxruntime says, the same bits at all granularities, each as if it were alone."""
    model = net.model(layout)
    samples = [net.sample(seed) for seed in range(3)]
    given = [{name: net.turned(name, array, layout) for name, array in sample.items()} for sample in samples]
    goldens = [net.golden(sample) for sample in samples]
    assume(all(np.abs(array).max() < LARGE for arrays in goldens for array in arrays.values()))
    first = None
    for granularity in ("image", "rows:1", "rows:2"):
        compiled = compile_in_memory(model, SMALL, 24, granularity=granularity)
        found = run_in_process(compiled, given, engine)
        for arrays, made in zip(goldens, found, strict=True):
            wanted = {name: net.turned(name, array, layout) for name, array in arrays.items()}
            assert_close(made, wanted, least=RESOLUTION)
        for one, other in zip(first or found, found, strict=True):
            same_bits(one, other)
        first = found
        (alone,) = run_in_process(compiled, given[2:], engine)
        same_bits(found[2], alone)


@settings(max_examples=examples(12, 25))
@given(recurrent_nets(), st.sampled_from([0, 1]), st.sampled_from(["step", "batch"]))
def test_random_layers(net, layout, engine):
    check(net, layout, engine)


@pytest.mark.full
@pytest.mark.timeout(3600)
@settings(max_examples=1000)
@given(recurrent_nets(), st.sampled_from([0, 1]), st.sampled_from(["step", "batch"]))
def test_many_random_layers(net, layout, engine):
    check(net, layout, engine)


@pytest.mark.parametrize("granularity", ["image", "rows:1"])
@pytest.mark.parametrize("kind", GATES)
def test_two_layers_of_both_directions_as_exporters_join_them(kind, granularity):
    """States [time, 2, batch, size] become [time, batch, 2 * size] for the second layer."""
    rng, gates, stored, source, nodes = np.random.default_rng(2), GATES[kind] * 3, {}, "x", []
    for at, inputs in enumerate((4, 6)):
        shapes = {f"w{at}": (2, gates, inputs), f"r{at}": (2, gates, 3), f"b{at}": (2, 2 * gates)}
        stored |= {name: (rng.standard_normal(shape) * 0.4).astype(np.float32) for name, shape in shapes.items()}
        options = {"hidden_size": 3, "direction": "bidirectional"}
        nodes.append(helper.make_node(kind, [source, *shapes], [f"s{at}", f"h{at}"], f"layer{at}", **options))
        nodes.append(helper.make_node("Transpose", [f"s{at}"], [f"t{at}"], f"transpose{at}", perm=[0, 2, 1, 3]))
        nodes.append(helper.make_node("Reshape", [f"t{at}", "shape"], [source := f"y{at}"], f"reshape{at}"))
    model = make_model(nodes, {"x": (5, 2, 4)}, ["y1", "h0", "h1"], {**stored, "shape": np.array([0, 0, -1])})
    compiled = compile_in_memory(model, SMALL, 40, granularity=granularity)
    samples = [random_sample(compiled.inputs, seed) for seed in range(2)]
    for sample, found in zip(samples, run_in_process(compiled, samples), strict=True):
        assert_close(found, golden(model, sample))


# sizes --------------------------------------------------------------------------------------------------------------


def instructions(net, granularity):
    compiled = compile_in_memory(net.model(0), SMALL, 24, granularity=granularity)
    return sum(len(program.main) for program in compiled.programs.values())


@pytest.mark.few(7)
@pytest.mark.parametrize("granularity", ["image", "rows:1", "rows:2"])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("kind", GATES)
def test_the_program_does_not_grow_with_the_sequence(kind, direction, granularity):
    sizes = {instructions(layer(kind, steps, direction=direction), granularity) for steps in (10, 100)}
    assert len(sizes) == 1


def test_by_rows_local_memory_does_not_grow_with_the_sequence_of_which_only_the_end_is_used():
    def largest(steps):
        net = layer("LSTM", steps, ("", "y_h", "y_c"))
        compiled = compile_in_memory(net.model(0), SMALL, 24, granularity="rows:1")
        buffers = [op for op in compiled.module.walk() if isinstance(op, pim.AllocOp)]
        return sum(op.address.value.data + attr.bytes_of(op.buffer) for op in buffers)

    assert largest(20) == largest(200)


def test_samples_with_the_batch_first_are_read_as_they_stand():
    net = layer("GRU", 6)
    net.operands["x"] = net.operands["x"][:, :1]
    compiled = compile_in_memory(net.model(1), SMALL, 24)
    assert not any(isinstance(op, NestOp) for op in compiled.module.walk())


@settings(max_examples=examples(12, 100))
@given(
    st.sampled_from(["GRU", "LSTM"]),
    st.integers(3, 9),
    st.integers(2, 7),
    st.integers(1, 12),
    st.integers(4, 80),
    st.sampled_from([None, "latency", "throughput", "greedy"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
)
def test_what_fits_compiles_and_is_golden(kind, steps, size, cores, crossbars, goal, placement):
    """On as many cores as hold all weights, with copies or without: layers that stay whole share them if they must."""
    arch = replace(SMALL, core=replace(SMALL.core, crossbars=crossbars))
    model = two_layers(kind, steps, size, 3)
    passes = ",".join(PIPELINE[: PIPELINE.index("cut-layers")])
    request = make_request(model, arch, cores=cores, pipeline=passes)
    try:
        module, _ = lower(request, context := make_context(arch, request.options))
    except CompileError:  # no core holds the weights of a layer that is not cut
        return
    table = work_table(context, module.ops, "dense")
    wholes = [row.matrix.work.crossbars for row in table.wholes]  # two of one size
    fits = not table.is_larger(cores) and cores * (table.room // wholes[0]) >= len(wholes)
    try:
        compiled = compile_in_memory(model, arch, cores, placement=placement, duplicate=goal)
    except CompileError:
        assert not fits
        return
    assert fits
    sample = random_sample(compiled.inputs)
    (found,) = run_in_process(compiled, [sample])
    assert_close(found, golden(model, sample))
