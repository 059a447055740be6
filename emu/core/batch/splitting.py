"""Cuts a loop where modulo terms of addresses wrap: within a piece all addresses are affine in the counter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import lcm

MAX_PIECES = 48  # of one loop

Ring = tuple[int, int]  # offset and modulus of a term in the counter of the loop


class TooManyPieces(Exception):
    """The loop wraps too often."""


@dataclass(frozen=True, slots=True)
class IterationPiece:
    """Iterations `start` and on: `repeats` times the `parts` (start, trips) of a period; 0 repeats: one plain part."""

    start: int
    repeats: int
    period: int
    parts: tuple[tuple[int, int], ...]


def split(trips: int, rings: Iterable[Ring]) -> list[IterationPiece]:
    """The loop as pieces, in order. A ring that goes round at least twice becomes two loops: rounds, and positions."""
    wrapping = sorted({ring for ring in rings if ring[0] // ring[1] != (ring[0] + trips - 1) // ring[1]})
    if not wrapping:
        return [IterationPiece(0, 0, 0, ((0, trips),))]
    period = lcm(*(modulus for _, modulus in wrapping))
    pieces: list[IterationPiece] = []
    rounds = trips // period
    if rounds >= 2:
        pieces.append(IterationPiece(0, rounds, period, tuple(_cut(0, period, wrapping))))
    rest = rounds * period if rounds >= 2 else 0
    pieces.extend(IterationPiece(start, 0, 0, ((start, count),)) for start, count in _cut(rest, trips, wrapping))
    return pieces


def _cut(low: int, high: int, rings: Iterable[Ring]) -> list[tuple[int, int]]:
    """[low, high) as (start, trips), cut where a ring wraps."""
    if low == high:
        return []
    places = {low, high}
    for offset, modulus in rings:
        first = low + -(low + offset) % modulus
        if (high - first) // modulus > MAX_PIECES:
            raise TooManyPieces
        places.update(range(first, high, modulus))
    if len(places) > MAX_PIECES:
        raise TooManyPieces
    return [(start, stop - start) for start, stop in pairwise(sorted(places))]
