"""Better places than those of a compilation, by more descents, and by CP-SAT where OR-Tools is installed."""

from itertools import permutations

import numpy as np
import pytest

from compiler.mapping.placement.mesh import arrange, byte_hops, distances_of, points_of
from compiler.search import places
from compiler.search.places import best_places, has_solver

POINTS = points_of(3, range(6))
needs_solver = pytest.mark.skipif(not has_solver(), reason="OR-Tools is not installed: pip install '.[search]'")


def drawn(cores, seed):
    weights = np.triu(np.random.default_rng(seed).integers(0, 50, (cores, cores)), 1).astype(float)
    return weights + weights.T


def least(weights, distances):
    """The best of all orders."""
    return min(
        byte_hops(weights, distances, np.array(order)) for order in permutations(range(len(distances)), len(weights))
    )


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_told_that_is_not_better(seed, monkeypatch):
    monkeypatch.setattr(places, "has_solver", lambda: False)
    weights, distances = drawn(5, seed), distances_of(POINTS)
    usual, found = byte_hops(weights, distances, arrange(weights, distances)), best_places(weights, POINTS, seed)
    assert (found is None and usual == least(weights, distances)) or byte_hops(weights, distances, found) < usual


@needs_solver
@pytest.mark.parametrize("seed", range(4))
def test_the_solver_finds_the_best(seed):
    from compiler.search.cp_sat import improved

    weights, distances = drawn(5, seed), distances_of(POINTS)
    found = improved(weights, POINTS, np.arange(5), seed)
    assert byte_hops(weights, distances, found) == least(weights, distances)


@needs_solver
def test_the_solver_keeps_what_it_cannot_improve_and_gives_one_answer_per_seed():
    from compiler.search.cp_sat import improved

    weights, points = drawn(9, 0), points_of(4, range(12))
    start = arrange(weights, distances_of(points))
    first, again = (improved(weights, points, start, 1, 0.05).tolist() for _ in range(2))
    assert first == again and len(set(first)) == 9
    assert byte_hops(weights, distances_of(points), np.array(first)) <= byte_hops(weights, distances_of(points), start)
    assert improved(np.zeros((3, 3)), points, np.arange(3), 0).tolist() == [0, 1, 2]
