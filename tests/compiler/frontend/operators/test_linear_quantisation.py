"""Quantising and back, per tensor, axis and block, equals onnxruntime to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import GRANULARITIES, check_operator, operator_model, run_on_cores
from onnx import TensorProto

from emu.errors import CompileError

FLOAT, INTEGERS = np.float32, (np.int8, np.uint8, np.int16, np.uint16)


@st.composite
def scales_of(draw, shape, dtype):
    """Operands (scale, zero point) and attributes for a tensor of `shape`."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    axis, form = draw(st.integers(0, len(shape) - 1)), draw(st.sampled_from(["tensor", "axis", "block"]))
    attributes = {"axis": axis - len(shape) * draw(st.booleans())}
    size = () if form == "tensor" else (shape[axis],)
    if form == "block":
        attributes["block_size"] = block = draw(st.integers(1, shape[axis]))
        size = (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1 :])
    if size == (1,):  # onnxruntime takes that for one of the whole tensor
        attributes.pop("block_size", None)
    given_ = {"s": np.asarray(rng.uniform(0.01, 0.2, size)).astype(FLOAT)}
    if draw(st.booleans()):
        info = np.iinfo(dtype)
        given_["z"] = np.asarray(rng.integers(max(info.min, -200), min(info.max, 200), size)).astype(dtype)
    return given_, attributes


@st.composite
def quantisations(draw):
    shape, dtype = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))), draw(st.sampled_from(INTEGERS))
    operands, attributes = draw(scales_of(shape, dtype))
    x = (np.random.default_rng(draw(st.integers(0, 99))).standard_normal(shape) * 9).astype(FLOAT)
    return shape, dtype, {"x": x, **operands}, attributes


def split(inputs, frozen, attributes):
    """What a run gives, and what is constant: scales and zero points, if `frozen` or if the last block is not full."""
    frozen = frozen or inputs["x"].shape[attributes["axis"]] % attributes.get("block_size", 1)
    return ({"x": inputs["x"]}, {k: v for k, v in inputs.items() if k != "x"}) if frozen else (inputs, {})


@given(quantisations(), st.booleans(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_quantize_linear(case, frozen, granularity, engine):
    _, dtype, inputs, attributes = case
    if "z" not in inputs:
        dtype = np.uint8
    given_, constants = split(inputs, frozen, attributes)
    model = operator_model("QuantizeLinear", given_, constants, opset=21, outputs={"y": dtype}, **attributes)
    check_operator(model, given_, granularity, engine)


@given(quantisations(), st.booleans(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_dequantize_linear(case, frozen, granularity, engine):
    shape, dtype, inputs, attributes = case
    info = np.iinfo(dtype)
    x = np.random.default_rng(1).integers(info.min, info.max, shape, endpoint=True).astype(dtype)
    given_, constants = split({**inputs, "x": x}, frozen, attributes)
    model = operator_model("DequantizeLinear", given_, constants, opset=21, outputs={"y": FLOAT}, **attributes)
    check_operator(model, given_, granularity, engine)


def test_halves_are_rounded_to_even_and_the_rest_saturates():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 1e30, -1e30, np.inf, -np.inf], FLOAT)
    model = operator_model("QuantizeLinear", {"x": x}, {"s": FLOAT(1), "z": np.int8(1)}, outputs={"y": np.int8})
    check_operator(model, {"x": x}, wanted={"y": np.array([1, 3, 3, 1, -1, 127, -128, 127, -128], np.int8)})


@given(quantisations(), st.booleans())
def test_half_precision(case, frozen):
    """x and scale to integers, and integers to it, are rounded once."""
    _, dtype, inputs, attributes = case
    halves = {name: array if name == "z" else array.astype(np.float16) for name, array in inputs.items()}
    given_, constants = split(halves, frozen, attributes)
    made = dtype if "z" in inputs else np.uint8
    model = operator_model("QuantizeLinear", given_, constants, opset=21, outputs={"y": made}, **attributes)
    check_operator(model, given_)
    x = np.random.default_rng(1).integers(0, 100, inputs["x"].shape).astype(dtype)
    given_, constants = split({**halves, "x": x}, frozen, attributes)
    model = operator_model("DequantizeLinear", given_, constants, opset=21, outputs={"y": np.float16}, **attributes)
    check_operator(model, given_, bound=0)


def test_the_type_of_the_result_by_its_code():
    x, halves = np.array([3, -5], np.int8), np.array([1.5, -2.5], np.float16)
    attributes = {"opset": 23, "outputs": {"y": np.float16}, "output_dtype": TensorProto.FLOAT16}
    model = operator_model("DequantizeLinear", {"x": x}, {"s": FLOAT(0.5)}, **attributes)
    check_operator(model, {"x": x}, wanted={"y": halves})


def test_int32_is_dequantised():
    x = np.array([1, -7, 2**20 + 1], np.int32)
    model = operator_model("DequantizeLinear", {"x": x}, {"s": FLOAT(0.5)}, outputs={"y": FLOAT})
    check_operator(model, {"x": x}, wanted={"y": x.astype(FLOAT) / 2})


@given(st.lists(st.integers(1, 6), max_size=4).map(tuple), st.integers(0, 99), st.sampled_from([-20, 0, 20]))
def test_dynamic_quantize_linear(shape, seed, shift):
    x = np.asarray(np.random.default_rng(seed).standard_normal(shape) * 9 + shift).astype(FLOAT)
    outputs = {"y": np.uint8, "scale": FLOAT, "zero": np.uint8}
    model = operator_model("DynamicQuantizeLinear", {"x": x}, outputs=outputs)
    check_operator(model, {"x": x}, bound=0)


def test_dynamic_quantisation_of_zeros():
    x = np.zeros((2, 3), FLOAT)
    outputs = {"y": np.uint8, "scale": FLOAT, "zero": np.uint8}
    check_operator(operator_model("DynamicQuantizeLinear", {"x": x}, outputs=outputs), {"x": x})


def test_what_is_refused():
    x, one, three = np.ones((2, 3), FLOAT), np.ones((), FLOAT), np.ones(3, FLOAT)
    for scale, attributes, words in (
        (three, {"axis": 0}, r"has 3 numbers as scale along axis 0 of \[2, 3\]"),
        (one, {"output_dtype": TensorProto.INT4}, "makes elements of a type that is not supported"),
        (np.ones((2, 2), FLOAT), {"block_size": 3}, r"not one per block of 3 along axis 1 of \[2, 3\]"),
    ):
        model = operator_model(
            "QuantizeLinear", {"x": x}, {"s": scale}, opset=21, outputs={"y": np.uint8}, **attributes
        )
        with pytest.raises(CompileError, match=words):
            run_on_cores(model, {"x": x})
    inputs = {"x": x, "s": np.ones((2, 2), FLOAT)}
    model = operator_model("QuantizeLinear", inputs, opset=21, outputs={"y": np.uint8}, block_size=2)
    with pytest.raises(CompileError, match="the last of which is not full: its scales and zero points must be const"):
        run_on_cores(model, inputs)
