"""Better places for the cores than a compilation takes the time to find: more descents, and OR-Tools if it is there."""

from __future__ import annotations

from importlib.util import find_spec

from compiler.mapping.placement.mesh import Matrix, Order, Points, arrange, byte_hops, distances_of

STARTS = 200  # descents, where a compilation makes some dozens


def best_places(weights: Matrix, points: Points, seed: int) -> Order | None:
    """The place of each core, an index of `points`; None if nothing is better than what the pass `arrange` finds.

    With OR-Tools (`pip install '.[search]'`) its CP-SAT solver goes on from the best of many descents.
    """
    distances = distances_of(points)
    usual = arrange(weights, distances)
    found = min(
        (usual, arrange(weights, distances, seed, STARTS)), key=lambda order: byte_hops(weights, distances, order)
    )
    if has_solver():
        from compiler.search.cp_sat import improved

        found = improved(weights, points, found, seed)
    return found if byte_hops(weights, distances, found) < byte_hops(weights, distances, usual) else None


def has_solver() -> bool:
    """Whether OR-Tools is installed."""
    return find_spec("ortools") is not None
