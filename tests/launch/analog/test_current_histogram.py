"""A histogram whose range grows counts the same in every order, and what numpy counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from launch.analog.histogram import GrowingHistogram

VALUES = st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60)


def counted(*parts: object) -> GrowingHistogram:
    found = GrowingHistogram()
    for part in parts:
        found.add(np.array(part, np.float64))
    return found


@given(VALUES, st.randoms(use_true_random=False), st.integers(0, 60))
def test_the_order_and_the_parts_do_not_matter(values: list[float], chance, cut: int) -> None:
    mixed = values[:]
    chance.shuffle(mixed)
    one, other = counted(values), counted(mixed[:cut], mixed[cut:])
    assert one.half == other.half and np.array_equal(one.counts, other.counts)
    assert (one.lowest, one.highest) == (other.lowest, other.highest) == (min(values), max(values))


@given(VALUES)
def test_bins_are_those_of_numpy(values: list[float]) -> None:
    found = counted(values)
    bins = len(found.counts)
    edges = np.ldexp(np.arange(bins + 1) - bins // 2, int(np.log2(found.half)) + 1 - int(np.log2(bins)))
    below = np.searchsorted(edges, values, "right") - 1
    assert np.array_equal(found.counts, np.bincount(below, minlength=bins))
    assert found.half / 2 <= max(map(abs, values)) or found.half == GrowingHistogram().half


@given(VALUES, st.floats(0, 1))
def test_a_share_of_all_lies_below(values: list[float], share: float) -> None:
    found = counted(values)
    value, width = found.below(share), 2 * found.half / len(found.counts)
    ordered = np.sort(values)
    assert np.count_nonzero(ordered <= value + width) >= share * len(values) - 1e-9
    assert np.count_nonzero(ordered < value - width) <= share * len(values) + 1e-9
    assert found.lowest <= value <= found.highest


def test_of_nothing() -> None:
    found = counted([])
    assert found.empty and not found.counts.any()
    assert not counted([0.0]).empty
