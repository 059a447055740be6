"""Reductions over any axes, of any type, as each operator set writes them, give what onnxruntime gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import GRANULARITIES, check_operator, operator_model, run_on_cores
from onnx_models import one_node

from compiler.frontend.operators.reduction import OPERATORS
from emu.errors import CompileError

INTEGERS = (
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
)


@st.composite
def reductions(draw):
    kind = draw(st.sampled_from(sorted(OPERATORS)))
    shape = tuple(draw(st.lists(st.integers(1, 5), max_size=5)))
    axes = draw(st.none() | st.lists(st.integers(0, len(shape) - 1), unique=True)) if shape else None
    axes = axes and [axis - len(shape) * draw(st.booleans()) for axis in axes]
    dtypes = [np.float32, *([np.int32, np.int64] if kind in INTEGERS else [])]
    small = kind in ("ReduceMax", "ReduceMin")
    dtype = draw(st.sampled_from([*dtypes, *([np.int8, np.uint8] if small else [])]))
    opset = draw(st.sampled_from([12 if small else 7, 13, 18]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = np.asarray(rng.standard_normal(shape) * (1 if kind == "ReduceProd" else 9))  # no product is too large
    x = np.asarray(np.abs(x) + 1 if kind == "ReduceLogSum" else x).astype(dtype)
    attributes = {"keepdims": draw(st.integers(0, 1))}
    constants = {}
    if axes is not None and opset >= (13 if kind == "ReduceSum" else 18):
        constants["axes"] = np.array(axes, np.int64)
        attributes["noop_with_empty_axes"] = draw(st.integers(0, 1))
    elif axes:
        attributes["axes"] = axes
    if "noop_with_empty_axes" in attributes and not axes and kind in ("ReduceL2", "ReduceLogSumExp"):
        attributes["noop_with_empty_axes"] = 0  # onnxruntime leaves the function out, against the standard
    return operator_model(kind, {"x": np.asarray(x)}, constants, opset=opset, **attributes), np.asarray(x)


@given(reductions(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_random_reductions(case, granularity, engine):
    model, x = case
    check_operator(model, {"x": x}, granularity, engine)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("ReduceSum", lambda x: x),
        ("ReduceMean", lambda x: x),
        ("ReduceL1", np.abs),
        ("ReduceL2", np.abs),
        ("ReduceSumSquare", np.square),
        ("ReduceLogSum", np.log),
        ("ReduceLogSumExp", lambda x: x),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_without_axes_the_function_of_elements_is_left(kind, wanted, dtype):
    x = np.arange(1, 13).reshape(3, 4).astype(dtype)
    model = operator_model(kind, {"x": x}, {"axes": np.array([], np.int64)}, noop_with_empty_axes=1)
    check_operator(model, {"x": x}, wanted={"y": wanted(x).astype(dtype)})


@pytest.mark.parametrize("kind", sorted(OPERATORS))
def test_half_precision_is_put_together_in_float32(kind):
    x = (np.random.default_rng(1).standard_normal((3, 40)) ** 2).astype(np.float16)
    model, wide = (operator_model(kind, {"x": y}, {"axes": np.array([1])}) for y in (x, x.astype(np.float32)))
    wanted = run_on_cores(wide, {"x": x.astype(np.float32)})["y"]
    np.testing.assert_array_equal(run_on_cores(model, {"x": x})["y"], wanted.astype(np.float16))


@pytest.mark.parametrize(("kind", "wanted"), [("ReduceMax", np.any), ("ReduceMin", np.all)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_bools(kind, wanted, axis):
    x = np.random.default_rng(2).random((3, 4, 5)) < 0.3
    model = operator_model(kind, {"x": x}, {"axes": np.array([axis])}, opset=20)
    check_operator(model, {"x": x}, wanted={"y": wanted(x, axis=axis, keepdims=True)})


def test_infinite_numbers_of_log_sum_exp():
    x = np.array([[np.inf, 1], [-np.inf, -np.inf], [200, 200]], np.float32)
    check_operator(operator_model("ReduceLogSumExp", {"x": x}, {"axes": np.array([1])}), {"x": x})


@pytest.mark.parametrize("square", [2**24 + 1, 2**31 - 1, 46340**2, 46340**2 - 1, 4095**2 - 1])
def test_the_root_of_an_integer_is_exact(square):
    ones = [1]
    while square - sum(one * one for one in ones) > 0:
        ones.append(int((square - sum(one * one for one in ones)) ** 0.5))
    x = np.array(ones, np.int32)
    check_operator(operator_model("ReduceL2", {"x": x}), {"x": x}, wanted={"y": np.array([int(square**0.5)], np.int32)})


def test_the_mean_of_nothing():
    with pytest.raises(CompileError, match=r"takes the mean of no elements: its operand has shape \[2, 0, 3\]"):
        run_on_cores(one_node("ReduceMean", (2, 0, 3), np.array([1]), opset=18), {})
