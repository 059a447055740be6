"""Operators of onnxruntime's quantiser equal it exactly, or where it rounds otherwise differ by at most a step."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, golden, run_in_process
from onnx import TensorProto, helper
from quantised_models import KINDS, SMALL, bytes_of, check_exact, model_of, one

from compiler.frontend.graph_checks import MICROSOFT_OPERATORS
from compiler.frontend.operators import MICROSOFT
from emu.errors import CompileError

EXACT, STEP = 0, 1


def quantities(rng, kind, *names):
    """Scale and zero point for each name."""
    arrays = {}
    for name in names:
        arrays[f"{name}_scale"] = np.float32(rng.uniform(0.01, 0.2))
        arrays[f"{name}_zero"] = bytes_of(rng, kind)
    return arrays


def steps_apart(model, sample):
    """The largest distance to onnxruntime's bytes, and the share of elements that differ."""
    compiled = compile_in_memory(model, SMALL, 16)
    (found,) = run_in_process(compiled, [sample])
    wanted = golden(model, sample)["y"]
    assert (found["y"].dtype, found["y"].shape) == (wanted.dtype, wanted.shape)
    apart = np.abs(found["y"].astype(int) - wanted.astype(int))
    return apart.max(), np.count_nonzero(apart) / apart.size


ALONE = {  # operators of one operand: attributes, how far results may be apart
    "QLinearLeakyRelu": ({"alpha": 0.1}, EXACT),
    "QLinearSigmoid": ({}, STEP),
    "QLinearGlobalAveragePool": ({"channels_last": 0}, EXACT),
    "QLinearAveragePool": ({"kernel_shape": [2, 3], "pads": [1, 1, 0, 1], "strides": [2, 1]}, STEP),
    "QLinearSoftmax": ({"opset": 13, "axis": -1}, STEP),
}


@pytest.mark.parametrize("op", ALONE)
@settings(max_examples=examples(6, 100))
@given(st.sampled_from(list(KINDS)), st.integers(0, 10**6))
def test_one_operand(op, kind, seed):
    rng, (attributes, limit) = np.random.default_rng(seed), ALONE[op]
    arrays = quantities(rng, kind, "x", "y")
    if op == "QLinearSoftmax":
        arrays |= {"y_scale": np.float32(1 / 256), "y_zero": np.array(np.iinfo(KINDS[kind][0]).min, KINDS[kind][0])}
    model = one(op, ["x", *arrays], arrays, kind, {"x": (1, 3, 6, 7)}, **attributes)
    apart, share = steps_apart(model, {"x": bytes_of(rng, kind, 1, 3, 6, 7)})
    assert apart <= limit
    assert share <= 0.02


@st.composite
def windows(draw):
    """Attributes of a pooling of an image of 6 x 7, whatever they leave open."""
    kernel = [draw(st.integers(1, 4)) for _ in range(2)]
    attributes = {"kernel_shape": kernel, "strides": [draw(st.integers(1, 3)) for _ in range(2)]}
    padding = draw(st.sampled_from(["pads", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    if padding == "pads":
        attributes["pads"] = [draw(st.integers(0, size - 1)) for size in kernel * 2]
    elif all(size >= step for size, step in zip(kernel, attributes["strides"], strict=True)):
        attributes["auto_pad"] = padding
    return attributes | {name: draw(st.integers(0, 1)) for name in ("ceil_mode", "count_include_pad")}


@settings(max_examples=examples(15, 300))
@given(st.sampled_from(list(KINDS)), windows(), st.integers(0, 10**6))
def test_mean_of_any_window(kind, attributes, seed):
    rng = np.random.default_rng(seed)
    arrays = quantities(rng, kind, "x", "y")
    model = one("QLinearAveragePool", ["x", *arrays], arrays, kind, {"x": (1, 3, 6, 7)}, **attributes)
    apart, share = steps_apart(model, {"x": bytes_of(rng, kind, 1, 3, 6, 7)})
    assert apart <= STEP
    assert share <= 0.05


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
@settings(max_examples=12)
@given(st.sampled_from(list(KINDS)), st.sampled_from([(2, 5, 4), (5, 1), (1,)]), st.booleans(), st.integers(0, 10**6))
def test_two_operands(op, kind, shape, constant, seed):
    rng = np.random.default_rng(seed)
    arrays = quantities(rng, kind, "a", "b", "c")
    inputs = ["a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "c_scale", "c_zero"]
    sample = {"a": bytes_of(rng, kind, 2, 5, 4), "b": bytes_of(rng, kind, *shape)}
    if constant:
        arrays["b"] = sample.pop("b")
    model = one(op, inputs, arrays, kind, {name: array.shape for name, array in sample.items()})
    apart, share = steps_apart(model, sample)
    assert apart <= (EXACT if op == "QLinearMul" else STEP)  # QLinearAdd is fused there: two roundings are one
    assert share <= 0.05


@settings(max_examples=examples(5, 100))
@given(st.sampled_from(list(KINDS)), st.booleans(), st.integers(0, 10**6))
def test_concat_and_where(kind, same, seed):
    rng = np.random.default_rng(seed)
    arrays = quantities(rng, kind, "a", "b", "c")
    if same:
        arrays |= {"c_scale": arrays["a_scale"], "c_zero": arrays["a_zero"]}
    inputs = ["c_scale", "c_zero", "a", "a_scale", "a_zero", "b", "b_scale", "b_zero"]
    sample = {"a": bytes_of(rng, kind, 1, 5, 4, 3), "b": bytes_of(rng, kind, 1, 2, 4, 3)}
    shapes = {name: array.shape for name, array in sample.items()}
    check_exact(one("QLinearConcat", inputs, arrays, kind, shapes, axis=1), sample)
    arrays["condition"] = rng.integers(0, 2, (4, 3)).astype(bool)
    inputs = ["condition", "a", "a_scale", "a_zero", "b", "b_scale", "b_zero", "c_scale", "c_zero"]
    sample = {"a": bytes_of(rng, kind, 5, 4, 3), "b": bytes_of(rng, kind, 1, 4, 3)}
    shapes = {name: array.shape for name, array in sample.items()}
    check_exact(one("QLinearWhere", inputs, arrays, kind, shapes), sample)


@settings(max_examples=examples(8, 30))
@given(st.sampled_from(["int8", "uint8"]), st.sampled_from([None, 1, -1]), st.integers(0, 10**6))
def test_quantise_and_dequantise(kind, axis, seed):
    rng = np.random.default_rng(seed)
    sizes = [] if axis is None else [(2, 5, 4)[axis]]
    arrays = {"scale": np.asarray(rng.uniform(0.01, 0.2, sizes), np.float32), "zero": bytes_of(rng, kind, *sizes)}
    attributes = {} if axis is None else {"axis": axis}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], **attributes),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"], **attributes),
    ]
    model = model_of(
        nodes,
        {"x": (TensorProto.FLOAT, (2, 5, 4))},
        {"q": (KINDS[kind][1], None), "y": (TensorProto.FLOAT, None)},
        arrays,
    )
    x = rng.integers(-60, 60, (2, 5, 4)) * np.float32(0.5) * 0.125  # many ties
    check_exact(model, {"x": np.asarray(x, np.float32)})


@settings(max_examples=examples(5, 20))
@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.0, 1e-3]), st.sampled_from([0.0, 5.0, -5.0]))
def test_dynamic_quantise(seed, size, shift):
    rng = np.random.default_rng(seed)
    node = helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "scale", "zero"])
    outputs = {"y": (TensorProto.UINT8, None), "scale": (TensorProto.FLOAT, None), "zero": (TensorProto.UINT8, None)}
    model = model_of([node], {"x": (TensorProto.FLOAT, (3, 4, 5))}, outputs, {})
    check_exact(model, {"x": np.asarray(rng.standard_normal((3, 4, 5)) * size + shift, np.float32)})


def refused(model):
    with pytest.raises(CompileError) as error:
        compile_in_memory(model, SMALL, 16)
    return str(error.value)


def test_refusals_name_the_node():
    rng = np.random.default_rng(0)
    arrays = quantities(rng, "int8", "x", "y")
    model = one("QLinearSigmoid", ["x", *arrays], {**arrays, "x_scale": np.float32(-1)}, "int8", {"x": (2, 3)})
    assert "node 'the_node' (QLinearSigmoid) has a scale ('x_scale') that is not positive" in refused(model)
    for number, reason in ((np.inf, "infinite"), (np.nan, "no number"), (0, "not positive")):
        given = {**arrays, "x_scale": np.float32(number)}
        model = one("QLinearSigmoid", ["x", *given], given, "int8", {"x": (2, 3)})
        assert f"has a scale ('x_scale') that is {reason}" in refused(model)
    model = one("QLinearGlobalAveragePool", ["x", *arrays], arrays, "int8", {"x": (1, 2, 3, 4)}, channels_last=1)
    assert "has channels_last" in refused(model)
    model = one("QAttention", ["x"], {}, "int8", {"x": (2, 3)})
    assert "node 'the_node' (QAttention) multiplies quantised results with each other" in refused(model)
    model = one("QLinearUnknown", ["x"], {}, "int8", {"x": (2, 3)})
    assert "unsupported operators: com.microsoft.QLinearUnknown" in refused(model)
    model = one("Relu", ["x"], {}, "int8", {"x": (2, 3)})
    assert "unsupported operators: com.microsoft.Relu" in refused(model)


def test_the_table_of_the_domain_is_that_of_the_import_functions():
    assert set(MICROSOFT) == MICROSOFT_OPERATORS


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_scales_of_blocks(kind):
    rng = np.random.default_rng(2)
    arrays = {
        "scale": np.asarray(rng.uniform(0.01, 0.2, (2, 3, 4)), np.float32),
        "zero": bytes_of(rng, kind, 2, 3, 4),
    }
    attributes = {"axis": 1, "block_size": 2}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], **attributes),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"], **attributes),
    ]
    outputs = {"q": (KINDS[kind][1], None), "y": (TensorProto.FLOAT, None)}
    model = model_of(nodes, {"x": (TensorProto.FLOAT, (2, 6, 4))}, outputs, arrays)
    check_exact(model, {"x": np.asarray(rng.standard_normal((2, 6, 4)) * 4, np.float32)})
    for node in model.graph.node:
        node.attribute[1].i = 4
    assert "that are not one per block of 4 along axis 1 of [2, 6, 4]" in refused(model)
