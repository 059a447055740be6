"""Bytes of an operand: over a box of counters as over its single executions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emu.isa.address import Term
from emu.operands.footprint import footprint
from emu.operands.pattern import make_pattern


@given(
    st.integers(-50, 50),
    st.lists(st.builds(Term, st.integers(0, 2), st.integers(-9, 9), st.integers(-3, 3), st.integers(1, 5)), max_size=3),
    st.lists(st.integers(1, 5), min_size=3, max_size=3),
    st.tuples(st.integers(1, 4), st.integers(-9, 9), st.integers(1, 4)),
    st.booleans(),
)
def test_footprints_are_exact(start, terms, trips, form, plain):
    size, step, count = form
    if plain:
        terms = [Term(term.loop, term.stride) for term in terms]
    step = step if count > 1 else size
    found = footprint(start, terms, [(0, n) for n in trips], make_pattern(size, (count,), (step,)))
    got = {byte for begin, end in zip(*(part.tolist() for part in found), strict=True) for byte in range(begin, end)}
    wanted = set()
    for counters in np.ndindex(*trips):
        at = start + sum(term.value(counters) for term in terms)
        for element in range(count):
            wanted |= set(range(at + element * step, at + element * step + size))
    if abs(step) >= size or step == 0 or count == 1:
        assert got == wanted
    assert got >= wanted
