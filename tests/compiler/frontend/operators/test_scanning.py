"""CumSum along any axis, of all types of numbers, as onnxruntime and NumPy add."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import check, computed, granularities, node_model, numbers, shapes

from emu.errors import CompileError
from emu.isa.dtypes import DType

SUMMED = (DType.f32, DType.f16, DType.i32, DType.i64)  # what the standard lets it add


def sums(array, axis, exclusive, reverse):
    """The sums by NumPy, added in order and in the type of the elements."""
    turned = np.flip(array, axis) if reverse else array
    made = np.cumsum(turned, axis, dtype=array.dtype)
    if exclusive:
        first = np.zeros_like(np.take(made, [0], axis))
        made = np.concatenate([first, np.delete(made, -1, axis)], axis)
    return np.flip(made, axis) if reverse else made


@given(st.data(), shapes(), st.sampled_from(SUMMED), granularities, st.booleans(), st.booleans())
def test_sums(data, shape, dtype, granularity, exclusive, reverse):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = {"x": numbers(dtype.numpy, shape)}
    attributes = {"exclusive": int(exclusive), "reverse": int(reverse)}
    found = computed(node_model("CumSum", x, [np.array(axis)], **attributes), x, granularity)["y"]
    np.testing.assert_array_equal(found, sums(x["x"], axis, exclusive, reverse))


@pytest.mark.parametrize("kind", ["f4", "i4", "i8"])
def test_as_onnxruntime_does(kind):
    x = {"x": numbers(np.dtype(kind), (3, 40, 5))}
    check(node_model("CumSum", x, [np.array([1], np.int32)], reverse=1), x, tolerance=1e-6 if kind == "f4" else 0)


def test_an_axis_that_does_not_exist():
    x = {"x": numbers(np.dtype("f4"), (3,))}
    with pytest.raises(CompileError, match="has axis 1"):
        computed(node_model("CumSum", x, [np.array(1)]), x)
