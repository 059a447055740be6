"""The Pareto front is what its definition says."""

from hypothesis import given
from hypothesis import strategies as st

from launch.sweeps.points import Point, front_of, objectives_of, pareto_front

COSTS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.one_of(st.integers(0, 3), st.floats(0, 4)), min_size=width, max_size=width))
)


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
    assert objectives_of(points) == ("latency_ps", "energy_pj")
    assert front_of(points) == [True, False, True, False]
    assert objectives_of([refused]) == () and front_of([refused]) == [False]
    assert front_of([*points[:2], point(3, 6.0, 1.0)]) == [True, False, True]
