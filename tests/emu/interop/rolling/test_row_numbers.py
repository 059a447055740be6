"""Rows have the same number if they are equal, and only then."""

import numpy as np
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emu.interop.rolling.interning import Interned
from emu.interop.rolling.row_numbers import row_numbers

WIDE = st.sampled_from([0, 1, -1, 5, 1 << 31, 1 << 40, 1 << 61, 1 << 62, (1 << 63) - 1, -(1 << 63)])


@settings(max_examples=examples(50, 200))
@given(arrays(np.int64, st.tuples(st.integers(0, 30), st.integers(0, 6)), elements=WIDE))
def test_equal_numbers_are_equal_rows(matrix):
    numbers = row_numbers(list(matrix.T), len(matrix))
    rows = [tuple(row) for row in matrix.tolist()]
    assert [rows.index(row) for row in rows] == [numbers.tolist().index(number) for number in numbers.tolist()]
    assert sorted(set(numbers.tolist())) == list(range(len(set(rows))))


@settings(max_examples=examples(25, 100))
@given(st.lists(arrays(np.int64, st.tuples(st.integers(0, 9), st.just(2)), elements=WIDE), max_size=4))
def test_interned_rows_keep_their_numbers(several):
    interned, known = Interned(np.int64, first=7), {}
    for rows in several:
        for row, number in zip(rows.tolist(), interned.numbers(rows).tolist(), strict=True):
            assert known.setdefault(tuple(row), number) == number
    assert sorted(known.values()) == list(range(7, 7 + len(interned)))
    assert [tuple(row) for row in interned.rows(2).tolist()] == sorted(known, key=known.__getitem__)
