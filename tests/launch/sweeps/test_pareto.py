"""The Pareto front is what its definition says, of any metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.sweeps.metrics import METRICS
from launch.sweeps.points import Point, front_of, known_to_all, pareto_front

COSTS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.one_of(st.integers(0, 3), st.floats(0, 4)), min_size=width, max_size=width))
)
USUAL = ("latency", "energy", "area")


def dominates(one: list[float], other: list[float]) -> bool:
    """Nowhere worse, somewhere better."""
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


@given(COSTS)
def test_on_the_front_is_what_nothing_dominates(costs: list[list[float]]) -> None:
    assert pareto_front(costs) == [not any(dominates(other, row) for other in costs) for row in costs]


def test_equal_points_are_on_it_together() -> None:
    assert pareto_front([[2, 1], [1, 2], [1, 2], [2, 2]]) == [True, True, True, False]
    assert pareto_front([]) == []


def point(latency: int, energy: float | None, area: float | None) -> Point:
    return Point({}, {"latency_ps": latency, "energy_pj": energy, "area_mm2": area})


def test_points_are_compared_by_what_all_of_them_have() -> None:
    refused = Point({}, {}, "it does not fit")
    points = [point(1, 5.0, 2.0), refused, point(2, 4.0, None), point(3, 6.0, 1.0)]
    assert known_to_all(points, USUAL) == ("latency", "energy")
    assert front_of(points, USUAL, USUAL) == [True, False, True, False]
    assert known_to_all([refused], USUAL) == () and front_of([refused], USUAL, USUAL) == [False]
    assert front_of([*points[:2], point(3, 6.0, 1.0)], USUAL, USUAL) == [True, False, True]


@given(
    st.lists(st.sampled_from(list(METRICS)), min_size=2, max_size=4, unique=True),
    st.lists(st.lists(st.integers(1, 4), min_size=4, max_size=4), min_size=1, max_size=12),
)
def test_the_front_of_any_metrics_is_that_of_brute_force(names: list[str], rows: list[list[int]]) -> None:
    """Of rates more is better; of points with equal figures the first one is on the front."""
    keys = ("latency_ps", "period_ps", "energy_pj", *(METRICS[name].key for name in names))
    points = [Point({}, {key: float(row[place % 4]) for place, key in enumerate(keys)}) for row in rows]
    values = [[METRICS[name].value(each.figures) or 0.0 for name in names] for each in points]
    turned = [[v if METRICS[name].less else -v for v, name in zip(row, names, strict=True)] for row in values]
    expected = [
        not any(dominates(other, row) for other in turned) and row not in turned[:place]
        for place, row in enumerate(turned)
    ]
    assert front_of(points, names, names) == expected


def test_metrics_of_which_more_is_better_are_rates_and_of_answers() -> None:
    assert {name for name, metric in METRICS.items() if not metric.less} == {
        *("accuracy", "agreement", "snr", "rate", "peak_tops", "gops_per_w", "gops_per_mm2", "mib_per_mm2"),
    }


def test_what_is_computed_of_other_figures() -> None:
    figures = {"latency_ps": 2e6, "period_ps": 1e6, "energy_pj": 3e6}
    assert METRICS["rate"].value(figures) == 1e6
    assert METRICS["edp"].value(figures) == pytest.approx(2e-6 * 3e-6)
    assert METRICS["rate"].value({"period_ps": 0}) is METRICS["edp"].value({"latency_ps": 1.0}) is None
