"""Quantised products equal onnxruntime exactly: convolutions over one to three dimensions, matrices of any rank."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from support.in_process import compile_in_memory, golden, run_in_process

from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError
from emu.isa.dtypes import DType

relaxed = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
SMALL = Arch(name="small", cores=1024, core=Core(crossbars=4096), crossbar=Crossbar(9, 9))
KINDS = {"int8": (np.int8, TensorProto.INT8), "uint8": (np.uint8, TensorProto.UINT8)}


def model_of(nodes, inputs, outputs, weights):
    """A model of the operator set 21; inputs and outputs are (type, shape) by name."""
    infos = [
        [helper.make_tensor_value_info(name, *kind) for name, kind in part.items()] for part in (inputs, outputs)
    ]
    arrays = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "test", *infos, arrays)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def check_exact(model, sample, granularities=("image", "rows:1"), arch=SMALL):
    """Every output has the type and every bit of onnxruntime's, whole and by rows; returns the programs."""
    wanted = golden(model, sample)
    for granularity in granularities:
        compiled = compile_in_memory(model, arch, 64, granularity=granularity)
        (found,) = run_in_process(compiled, [sample])
        for name, want in wanted.items():
            got = found[name]
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            np.testing.assert_array_equal(got, want)
    return compiled


def bytes_of(rng, name, *shape):
    limits = np.iinfo(KINDS[name][0])
    return rng.integers(limits.min, limits.max, shape, KINDS[name][0], endpoint=True)


@st.composite
def windows(draw):
    """Sizes of an image and a window over it."""
    kernel = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 3)))]
    attributes = {
        "kernel_shape": kernel,
        "strides": [draw(st.integers(1, 2)) for _ in kernel],
        "pads": [draw(st.integers(0, size - 1)) for size in kernel * 2],
        "dilations": [draw(st.integers(1, 2)) for _ in kernel],
    }
    return [draw(st.integers((size - 1) * 2 + 1, 7)) for size in kernel], attributes


kinds = st.sampled_from([("int8", "int8"), ("uint8", "int8"), ("uint8", "uint8")])
groupings = st.sampled_from([(1, 3, 4), (1, 12, 11), (3, 1, 1), (2, 5, 2)])


@settings(relaxed, max_examples=60)
@given(windows(), groupings, kinds, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_qlinear_conv(view, groups, types, per_channel, bias, zeros, seed):
    (image, attributes), (group, channels, filters), (kind, weight) = view, groups, types
    rng, count = np.random.default_rng(seed), group * filters
    sizes = [count] if per_channel else []
    w_zero = bytes_of(rng, weight) if zeros and weight == "uint8" else np.zeros((), KINDS[weight][0])
    x_zero, y_zero = bytes_of(rng, kind, 2) * np.array(zeros, KINDS[kind][0])
    arrays = {
        "x_scale": np.float32(rng.uniform(0.001, 0.1)),
        "x_zero": x_zero,
        "w": bytes_of(rng, weight, count, channels, *attributes["kernel_shape"]),
        "w_scale": np.asarray(rng.uniform(0.001, 0.1, sizes), np.float32),
        "w_zero": np.broadcast_to(w_zero, sizes).copy(),
        "y_scale": np.float32(rng.uniform(0.05, 2.0)),
        "y_zero": y_zero,
    }
    if bias:
        arrays["b"] = rng.integers(-5000, 5000, count, np.int32)
    node = helper.make_node("QLinearConv", ["x", *arrays], ["y"], "conv", group=group, **attributes)
    shape = (1, group * channels, *image)
    code = KINDS[kind][1]
    model = model_of([node], {"x": (code, shape)}, {"y": (code, None)}, arrays)
    compiled = check_exact(model, {"x": bytes_of(rng, kind, *shape)})
    specs = [entry for program in compiled.programs.values() for entry in program.groups]
    assert {spec.input for spec in specs} == {DType[{"int8": "i8", "uint8": "u8"}[kind]]}
    assert {spec.output for spec in specs} == {DType.i32}
    assert all(spec.weight.size <= 2 for spec in specs)
