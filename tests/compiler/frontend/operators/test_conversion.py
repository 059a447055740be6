"""Cast and CastLike convert elements between all types of the machine as onnxruntime does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_nodes import check, computed, dtypes, granularities, node_model, numbers
from onnx import TensorProto, helper

from emu.errors import CompileError
from emu.isa.dtypes import INTEGERS, DType

FRACTIONS = np.array([-2.5, -1.5, -1.0, -0.5, -0.0, 0.0, 0.49, 0.5, 1.5, 2.5, 100.7, 3.999])


def values(source: DType, target: DType) -> np.ndarray:
    """Numbers of which the standard says what they become: integers may be too large, fractions may not."""
    if source in INTEGERS or source == DType.bool:
        return numbers(source.numpy, (3, 7))
    if target not in INTEGERS:
        return FRACTIONS.astype(source.numpy)
    limits = np.iinfo(target.numpy)
    known = [float(number) for number in FRACTIONS if limits.min - 1 < number < limits.max]
    return np.array(known, source.numpy)


@pytest.mark.parametrize("source", DType)
@pytest.mark.parametrize("target", DType)
def test_each_type_to_each_type(source, target):
    x = {"x": values(source, target)}
    code = helper.np_dtype_to_tensor_dtype(target.numpy)
    check(node_model("Cast", x, types=[target.numpy], to=code), x)


@settings(max_examples=20)
@given(st.integers(0, 99), dtypes, dtypes, granularities)
def test_like_another_tensor(seed, source, target, granularity):
    x = {"x": numbers(source.numpy, (2, 3, 4), seed) if source in INTEGERS else values(source, target)}
    given = {**x, "like": np.zeros(2, target.numpy)}
    model = node_model("CastLike", given, types=[target.numpy])
    code = helper.np_dtype_to_tensor_dtype(target.numpy)
    by_name = node_model("Cast", x, types=[target.numpy], to=code)
    np.testing.assert_array_equal(computed(model, given, granularity)["y"], computed(by_name, x)["y"])


def test_a_type_that_the_machine_does_not_have():
    x = {"x": numbers(np.dtype("f4"), (3,))}
    with pytest.raises(CompileError, match="converts to double, a type that the machine does not have"):
        computed(node_model("Cast", x, types=[np.float64], to=TensorProto.DOUBLE), x)
