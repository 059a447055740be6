"""The dependence tests never miss a conflict: against enumeration."""

from itertools import product

from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.core.batch.conflict import feasible
from emu.operands.pattern import make_pattern
from emu.operands.runs import starts, strided_sets

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


def slot(axes, width):
    """Elements of `width` bytes along axes of (count, distance in elements), outermost first."""
    steps = tuple(step * width if count > 1 else width for count, step in axes)
    shape = tuple(count for count, _ in axes)
    return make_pattern(width, shape, steps)


def elements(at, operand):
    offsets = product(*[range(count) for count in operand.shape])
    return [at + sum(k * step for k, step in zip(place, operand.steps, strict=True)) for place in offsets]


def touched(at, operand):
    return {start + b for start in elements(at, operand) for b in range(operand.size)}


axes = st.lists(st.tuples(st.integers(1, 5), st.integers(-7, 7)), min_size=1, max_size=2)
slots = st.builds(slot, axes, st.sampled_from((1, 2, 4)))


@settings(max_examples=examples(200, 400))
@given(slots, st.integers(0, 30), slots, st.integers(0, 30))
def test_byte_sets(a, at_a, b, at_b):
    meet = bool(touched(at_a, a) & touched(at_b, b))
    if at_a + a.low < at_b + b.high and at_b + b.low < at_a + a.high:
        assert a.meets(at_a, b, at_b) == meet
    same = a.size == b.size and elements(at_a, a) == elements(at_b, b)
    assert a.half_overlaps(at_a, b, at_b) == (meet and not same)


@given(slots, st.integers(0, 30))
def test_runs_are_the_bytes_of_the_elements(a, at):
    begins = starts(at + a.low, a.axes).tolist()
    assert {byte for begin in begins for byte in range(begin, begin + a.width)} == touched(at, a)
    assert (min(touched(at, a)), max(touched(at, a)) + 1) == (at + a.low, at + a.high)
    sets = strided_sets(a.width, a.axes)
    marked = [range(first + k * step, first + k * step + width) for first, width, step, n in sets for k in range(n)]
    assert {at + a.low + byte for run in marked for byte in run} == touched(at, a)
