"""Constants as operands of as many elements, and sums of columns that lie together: the same bits as one by one."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.core.kernels.constant import LENGTH, ConstantKernel
from emu.core.kernels.reductions import extreme, in_order

SPECIAL = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5, 6, 1e-40], np.float32)


def drawn(shape, kind, seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(kind).kind == "f":
        return rng.choice(SPECIAL, shape).astype(kind)
    return rng.integers(-100, 100, shape).astype(kind)


@pytest.mark.parametrize("operation", [np.maximum, np.minimum])
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.int32])
@pytest.mark.parametrize("value", [0, -0.0, 6])
@pytest.mark.parametrize(
    "shape", [(1,), (63,), (5, 13), (3, LENGTH), (2, LENGTH + 7), (3, 5461), (LENGTH // 2,), (0, 4), (7, 1, 96)]
)
def test_bounds_are_those_of_single_elements(operation, kind, value, shape):
    constant = np.dtype(kind).type(value)
    for x in (drawn(shape, kind), drawn((*shape[:-1], 2 * shape[-1]), kind)[..., ::2], drawn(shape[::-1], kind).T):
        kernel = ConstantKernel(operation, constant)
        with np.errstate(invalid="ignore"):
            wanted = np.array([operation(one, constant) for one in x.ravel()], kind).reshape(x.shape)
            out = np.zeros_like(x)
            kernel(out, x)
            assert out.tobytes() == wanted.tobytes()
            place = np.zeros((*x.shape[:-1], x.shape[-1] + 3), kind)[..., 3:]
            kernel(place, x)
            assert place.tobytes() == wanted.tobytes()
            kernel(x, x)  # where it stands
            assert x.tobytes() == wanted.tobytes()


@settings(max_examples=examples(60, 1000))
@given(st.integers(1, 70), st.integers(1, 4), st.integers(1, 40), st.sampled_from([np.add, np.maximum, np.minimum]))
def test_reductions_go_from_one_element_to_the_next(sums, box, count, operation):
    rng = np.random.default_rng(count)
    numbers = rng.standard_normal((box, sums, count)).astype(np.float32)
    x = np.where(rng.random(numbers.shape) < 0.2, rng.choice(SPECIAL[:2], numbers.shape), numbers)
    for source in (x, x * np.float32(-0.0), x.transpose(1, 0, 2)):
        total = source[..., 0].copy()
        for column in range(1, count):
            total = operation(total, source[..., column])
        assert np.ascontiguousarray(in_order(operation, source, 0)).tobytes() == total.tobytes()


@settings(max_examples=examples(60, 1000))
@given(st.integers(0, 70), st.integers(1, 40), st.sampled_from([np.maximum, np.minimum]), st.integers(0, 1 << 32))
def test_extremes_are_those_of_their_order(sums, count, operation, seed):
    rng = np.random.default_rng(seed)
    for kind in (np.float32, np.float16, np.int8):
        x = drawn((sums, count), kind, seed)
        if seed % 2 and x.dtype.kind == "f":  # mostly without what may stand for another one
            x = np.where(rng.random(x.shape) < 0.05, x, rng.standard_normal(x.shape)).astype(kind)
        assert extreme(operation, x, 0).tobytes() == in_order(operation, x, 0).tobytes()
        assert extreme(operation, x[:1].reshape(-1), 0).tobytes() == in_order(operation, x[:1].reshape(-1), 0).tobytes()
