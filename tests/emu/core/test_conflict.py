"""The dependence tests never miss a conflict: against enumeration."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emu.core.batch.conflict import feasible
from emu.core.checks import bytes_intersect, half_overlap
from emu.core.operation import Slot
from emu.isa.address import Address

bounds = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
variables = st.lists(st.tuples(st.integers(-20, 20), bounds).map(lambda v: (v[0], *v[1])), max_size=4)


@given(st.integers(-30, 30), variables, st.integers(-9, 9), st.integers(0, 9))
def test_feasible_equals_enumeration(start, found, low, width):
    ranges = [range(lo, hi + 1) for _, lo, hi in found]
    values = (start + sum(s * v for (s, _, _), v in zip(found, choice, strict=True)) for choice in product(*ranges))
    expected = any(low <= value <= low + width for value in values)
    assert feasible(start, found, low, low + width) == expected


def test_giving_up_means_a_conflict():
    found = [(2 * 3**k, -(5**k), 5**k) for k in range(12)]
    assert feasible(0, found, 10**6 + 1, 10**6 + 1) is False  # all even: the gcd proves it
    assert feasible(0, [*found, (5, -1, 1)], 10**6 + 1, 10**6 + 1) is True


def slot(count, step, width):
    reach = (count - 1) * step
    return Slot(
        "x", True, True, np.dtype(f"V{width}"), count, step, min(0, reach), max(0, reach) + width, Address(0), False
    )


def touched(at, operand):
    return {at + k * operand.step + b for k in range(operand.count) for b in range(operand.dtype.itemsize)}


slots = st.tuples(st.integers(1, 5), st.integers(-3, 3), st.sampled_from((1, 2, 4))).map(
    lambda v: slot(v[0], v[1] * v[2] if v[0] > 1 else v[2], v[2])
)


@given(slots, st.integers(0, 30), slots, st.integers(0, 30))
def test_byte_sets(a, at_a, b, at_b):
    meet = bool(touched(at_a, a) & touched(at_b, b))
    if at_a + a.low < at_b + b.high and at_b + b.low < at_a + a.high:
        assert bytes_intersect(a, at_a, b, at_b) == meet
    same = at_a == at_b and (a.count, a.step, a.dtype) == (b.count, b.step, b.dtype)
    assert half_overlap(a, at_a, b, at_b) == (meet and not same)
