"""The Pareto front: rows that no other row dominates."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(costs: Sequence[Sequence[float]]) -> list[bool]:
    """Whether each row is on the front; of every column less is better. Equal rows are on it together."""
    front: list[tuple[float, ...]] = []
    on_front = [False] * len(costs)
    # In ascending order nothing can be better than what stands before it: only what is on the front so far can.
    for place in sorted(range(len(costs)), key=lambda place: tuple(costs[place])):
        row = tuple(costs[place])
        if row in front[-1:] or not any(_at_most(other, row) for other in front):
            on_front[place] = True
            if row not in front[-1:]:
                front.append(row)
    return on_front


def _at_most(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))
