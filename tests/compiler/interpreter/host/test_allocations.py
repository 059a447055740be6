"""NeuroBoard's allocations: matrices stand where they were written last, until something is written over them."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.interpreter.host.allocations import Allocations
from compiler.interpreter.host.crossbars import NumpyCrossbars

ROOM = 24
CALLS = st.tuples(st.booleans(), st.integers(-1, ROOM), st.integers(1, 4), st.integers(1, 4))


class Counted(NumpyCrossbars):
    """Knows how many crossbars are acquired."""

    def __init__(self):
        self.open = 0

    def acquire(self, rows, cols, held, made):
        self.open += 1
        return super().acquire(rows, cols, held, made)

    def release(self, crossbar):
        self.open -= 1


def number(value):
    return np.array(value, np.int64)


@settings(max_examples=examples(60, 500))
@given(calls=st.lists(CALLS, max_size=25), kind=st.sampled_from([np.float32, np.int8]))
def test_any_calls_do_what_a_flat_array_does(calls, kind):
    device, rng = Counted(), np.random.default_rng(len(calls))
    made = np.dtype(np.int32) if kind is np.int8 else np.dtype(kind)
    allocations = Allocations(device)
    allocations.alloc(number(3))
    handle, known = allocations.alloc(number(ROOM)), {}
    for writes, offset, rows, cols in calls:
        size = rows * cols
        if writes:
            matrix = rng.integers(-9, 9, (rows, cols)).astype(kind)
            if offset < 0 or offset + size > ROOM:
                with pytest.raises(ValueError, match=f"do not fit into allocation 1, which has {ROOM}"):
                    allocations.write(handle, number(offset), matrix, made)
                continue
            allocations.write(handle, number(offset), matrix, made)
            known = {
                at: other
                for at, other in known.items()
                if at == offset or at >= offset + size or at + other.size <= offset
            }
            known[offset] = matrix
        else:
            vector = rng.integers(-9, 9, cols).astype(kind)
            out = rng.integers(-9, 9, (1, rows)).astype(made)
            before = out.copy()
            if offset not in known or known[offset].shape != (rows, cols):
                with pytest.raises(ValueError, match="no matrix of"):
                    allocations.add(handle, number(offset), vector, out)
                continue
            allocations.add(handle, number(offset), vector, out)
            wide = known[offset].astype(np.int64) @ vector.astype(np.int64)
            np.testing.assert_array_equal(out[0], before[0] + wide)
        assert device.open == len(known)


def test_types_are_those_that_were_written():
    allocations = Allocations(NumpyCrossbars())
    handle = allocations.alloc(number(4))
    allocations.write(handle, number(0), np.ones((2, 2), np.int8), np.dtype(np.int32))
    with pytest.raises(ValueError, match="makes int32 of int8, and is asked for int64 of int8"):
        allocations.product(handle, number(0), np.ones(2, np.int8), np.zeros((1, 2), np.int64))
    with pytest.raises(ValueError, match="cannot allocate -1 elements"):
        allocations.alloc(number(-1))
