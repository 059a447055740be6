"""Wilson's interval: published values, the equation that its bounds solve, symmetry; proportions over trials."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.analog.interval import CONFIDENCE, Proportion, wilson

Z = 1.959963984540054  # of 95 %


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [  # Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_bounds_are_those_of_the_literature(right: int, of: int, low: float, high: float) -> None:
    found = wilson(right, of)
    assert found == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**7).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_bounds_are_as_far_from_the_share_as_the_error_that_they_would_have(pair: tuple[int, int]) -> None:
    right, of = pair
    share, bounds = right / of, wilson(right, of)
    assert 0 <= bounds[0] <= share <= bounds[1] <= 1
    for bound in bounds:
        assert abs(share - bound) == pytest.approx(Z * sqrt(bound * (1 - bound) / of), abs=1e-9)
    assert wilson(of - right, of) == pytest.approx((1 - bounds[1], 1 - bounds[0]), abs=1e-12)


def test_of_nothing_nothing_is_known() -> None:
    assert wilson(0, 0) == (0, 1)
    assert wilson(0, 5)[0] == 0 and wilson(5, 5)[1] == 1


@given(st.integers(1, 50), st.lists(st.integers(0, 50), min_size=1, max_size=9), st.integers(2, 20))
def test_more_trials_of_the_same_make_the_interval_narrower(samples: int, counts: list[int], times: int) -> None:
    by_trial = [min(count, samples) for count in counts]
    one, many = Proportion(by_trial, samples), Proportion(by_trial * times, samples)
    assert many.share == pytest.approx(one.share) and many.of == times * one.of == times * samples * len(counts)
    assert many.interval[1] - many.interval[0] < one.interval[1] - one.interval[0]


def test_mean_and_spread_are_of_trials() -> None:
    found = Proportion((8, 9, 10), 10).to_dict()
    assert (found["right"], found["of"], found["share"]) == (27, 30, 0.9)
    assert found["mean"] == pytest.approx(0.9) and found["spread"] == pytest.approx(0.1)
    assert (found["low"], found["high"], found["confidence"]) == (*wilson(27, 30), CONFIDENCE)
    alone = Proportion((3,), 4)
    assert alone.spread is None and "per trial" not in alone.line("accuracy")
    assert "per trial 90.00 % +- 10.00, 80.00 % to 100.00 %" in Proportion((8, 9, 10), 10).line("accuracy")
