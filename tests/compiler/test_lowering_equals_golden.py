"""Any lowering = golden: random networks on random chips against onnxruntime, and every option the same."""

import numpy as np
import onnx
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx_nets import Net, conv_nets

from emu.arch import Arch, Core, Crossbar


def small(size=4, per_core=64):
    return Arch(name="small", cores=1024, core=Core(crossbars=per_core), crossbar=Crossbar(size, size))


def check(model, arch, cores=1024, packing="dense", placement="frugal", engine="batch"):
    compiled = compile_in_memory(model, arch, cores, packing, placement)
    sample = random_sample(compiled.inputs)
    (found,) = run_in_process(compiled, [sample], engine)
    assert_close(found, golden(model, sample))
    return compiled, found


@settings(max_examples=examples(13, 60))
@given(
    conv_nets(),
    st.integers(2, 40),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from([3, 17, 1024]),
)
def test_random_networks(model, size, packing, placement, cores):
    check(model, small(size, 4096), cores, packing, placement)


@pytest.mark.full
@settings(max_examples=2000)
@given(
    conv_nets(),
    st.integers(2, 40),
    st.sampled_from(["dense", "kernel"]),
    st.sampled_from(["frugal", "scatter", "pack"]),
    st.sampled_from([3, 17, 1024]),
)
@pytest.mark.timeout(3600)
def test_many_random_networks(model, size, packing, placement, cores):
    check(model, small(size, 4096), cores, packing, placement)


@settings(max_examples=examples(3, 10))
@given(conv_nets(), st.integers(2, 20))
def test_step_equals_batch_and_flows_agree(model, size):
    compiled = compile_in_memory(model, small(size, 4096), 50)
    samples = [random_sample(compiled.inputs, seed) for seed in range(2)]
    reference = run_in_process(compiled, samples, "step")
    for engine, flow in (("batch", "rendezvous"), ("batch", "credits:1"), ("batch", "credits:8")):
        for left, right in zip(run_in_process(compiled, samples, engine, flow), reference, strict=True):
            for name in right:
                assert left[name].tobytes() == right[name].tobytes()


def conv_model(height, width, channels=8, filters=4):
    net = Net([1, channels, height, width])
    return net.model(net.conv("x", channels, filters, (3, 3), pads=[1, 1, 1, 1]))


def test_program_size_does_not_depend_on_image_size():
    from emu.program.codec import encode_program

    sizes = []
    for image in (16, 256):
        compiled = compile_in_memory(conv_model(image, image, 16, 16), Arch(), 64)
        ops = sum(1 for _ in compiled.module.walk())
        instructions = sum(len(program.main) for program in compiled.programs.values())
        nbytes = sum(len(encode_program(program)) for program in compiled.programs.values())
        sizes.append((ops, instructions, nbytes))
    assert sizes[0][:2] == sizes[1][:2]
    assert abs(sizes[1][2] - sizes[0][2]) <= 0.05 * sizes[0][2]


def test_the_thesis_example_computes_and_takes_11_cores():
    arch = Arch(name="thesis", core=Core(crossbars=5), crossbar=Crossbar(3, 3))
    compiled, _ = check(conv_model(6, 6, 4, 8), arch, 64, "kernel", "pack")
    assert len(compiled.programs) == 11
    assert sum(program.crossbars for program in compiled.programs.values()) == 54


def test_depthwise_convolutions_are_packed():
    net = Net([1, 960, 4, 4])
    model = net.model(net.conv("x", 960, 960, (3, 3), group=960, pads=[1, 1, 1, 1]))
    compiled, _ = check(model, Arch(), 64)
    assert sum(program.crossbars for program in compiled.programs.values()) == 69  # 14 channels each


def test_large_groups_are_matrices_of_their_own():
    net = Net([1, 12, 5, 5])
    check(net.model(net.conv("x", 12, 10, (3, 3), group=2, pads=[1, 0, 1, 0])), small(7), 40)


def test_several_inputs_and_outputs():
    net = Net([1, 3, 4, 4])
    y = net.conv("x", 3, 5, (1, 1))
    z = net.add("Relu", y)
    model = net.model(y, z, net.add("GlobalAveragePool", z))
    check(model, small(), 30)


def test_a_network_without_weights():
    net = Net([1, 3, 6, 6])
    model = net.model(net.add("MaxPool", net.add("Relu", "x"), kernel_shape=[2, 2], strides=[2, 2]))
    compiled, found = check(model, small(), 4)
    assert np.isfinite(next(iter(found.values()))).all()
    assert len(compiled.programs) == 1


@pytest.mark.parametrize("form", ["concat", "both"])
def test_an_input_that_is_an_output_is_not_overwritten(form):
    net = Net([1, 3, 4, 4])
    y = net.add("Relu", "x")
    outputs = [net.add("Concat", "x", y, axis=1)] if form == "concat" else [y, net.add("Identity", "x")]
    check(net.model(*outputs), small(), 4)


def test_what_was_refused_once_is_made():
    net = Net([1, 3, 4, 4])
    joined = net.add("Concat", "x", net.weights(1, 2, 4, 4), axis=1)
    check(net.model(joined, net.add("ReduceMean", "x", axes=[1])), small(), 4)


def test_the_input_itself_as_output():
    net = Net([1, 3, 4, 4])
    model = net.model(net.add("Identity", "x"))
    check(model, small(), 4)


def test_digits(request):
    path = request.config.rootpath / "examples" / "digits_cnn.onnx"
    compiled, _ = check(
        onnx.load(path), Arch(core=Core(crossbars=4), crossbar=Crossbar(16, 16)), 64, placement="scatter"
    )
    assert len(compiled.programs) >= 50
