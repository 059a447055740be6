"""Numbers of crossbars: each stands for those that were acquired for its last write, and others are given back."""

import numpy as np
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import i32, i64

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.interpreter.host.numbered import NumberedCrossbars

NUMBERS = st.integers(0, 2).map(np.array)
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 3))
WRITES = st.tuples(NUMBERS, SHAPES, st.sampled_from([np.int8, np.int16]), st.sampled_from([i32, i64]))
SUMS = {i32: np.int32, i64: np.int64}


class Watched(NumpyCrossbars):
    """Knows what is acquired, for what, and what was written there."""

    def __init__(self):
        self.open = []

    def acquire(self, rows, cols, held, made):
        self.open.append(super().acquire(rows, cols, held, made))
        return self.open[-1]

    def write(self, crossbar, matrix):
        assert (matrix.shape, matrix.dtype) == (crossbar[0].shape, crossbar[0].dtype)
        super().write(crossbar, matrix)

    def release(self, crossbar):
        (place,) = (place for place, one in enumerate(self.open) if one is crossbar)
        del self.open[place]


@settings(max_examples=examples(60, 500))
@given(st.lists(WRITES | NUMBERS, max_size=20))
def test_a_number_has_the_crossbars_of_its_last_write(calls):
    device, known = Watched(), {}
    numbered, rng = NumberedCrossbars(device), np.random.default_rng(len(calls))
    for call in calls:
        if isinstance(call, np.ndarray):
            numbered.release(call)
            known.pop(int(call), None)
        else:
            number, shape, held, sums = call
            matrix = rng.integers(-9, 9, shape).astype(held)
            numbered.write(number, matrix, sums)
            known[int(number)] = number, matrix, SUMS[sums]
        assert len(device.open) == len(known)
        for number, matrix, made in known.values():
            vectors = rng.integers(-9, 9, (2, matrix.shape[0])).astype(matrix.dtype)
            result = np.zeros((2, matrix.shape[1]), made)
            numbered.multiply(number, vectors, result)
            numbered.barrier(number)
            np.testing.assert_array_equal(result, vectors.astype(np.int64) @ matrix.astype(np.int64))
