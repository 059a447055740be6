"""The ways to cut a matrix so that no part exceeds a bound, and which of them are chosen for so many cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from compiler.partition.cost import Cut, Span
from compiler.partition.matrix import FilterMatrix, Matrix
from compiler.partition.spread import even_ranges

CORE_NS = 100_000  # what a further core must save at least
STEPS = 16  # of the search for the price of a core


def ways(matrix: Matrix, bound: int, capacity: int) -> Iterator[Cut]:
    """Cuts of which no part has more than `bound` products per sample or `capacity` crossbars, if there are any.

    For every number of column parts the fewest row parts, and as many that share no channel, if that goes: what makes
    the channels then sends each to one part only.
    """
    rows, cols = matrix.grid
    limit = max(1, min(capacity, bound // matrix.pixels))
    for across in sorted({-(-cols // width) for width in range(1, min(cols, limit) + 1)}):
        columns = tuple(even_ranges(cols, across))
        height = limit // max(high - low for low, high in columns)
        if not height:
            continue
        yield Cut(matrix, tuple(even_ranges(rows, -(-rows // height))), columns)
        if rows > height and isinstance(matrix, FilterMatrix):
            yield from _by_channels(matrix, columns, height)


def _by_channels(matrix: FilterMatrix, columns: tuple[Span, ...], height: int) -> Iterator[Cut]:
    """As many ranges of channels, if each takes at most `height` row tiles."""
    parts = -(-matrix.grid[0] // height)
    if matrix.channel_cuts or matrix.channels < parts:
        return
    cut = replace(matrix, channel_cuts=_bounds(matrix, parts))
    spans = _spans(cut, parts)
    if max(high - low for low, high in spans) <= height:
        yield Cut(cut, spans, columns)


def _bounds(matrix: FilterMatrix, parts: int) -> tuple[int, ...]:
    """Where the channels are cut into so many parts: between tiles as high as a crossbar, while there are enough."""
    tiles = len(matrix.channel_tiles)
    if tiles < parts:
        return tuple(high for _, high in even_ranges(matrix.channels, parts))[:-1]
    return tuple(matrix.channel_tiles[high - 1][1] for _, high in even_ranges(tiles, parts))[:-1]


def _spans(matrix: FilterMatrix, parts: int) -> tuple[Span, ...]:
    """The ranges of row tiles between the channels at which `matrix` is cut."""
    ends = (*matrix.channel_cuts, matrix.channels)
    tops = [matrix.channel_tiles[row.tile][1] for row in matrix.row_tiles]
    bounds = [0, *(sum(top <= end for top in tops) for end in ends)]
    return tuple((bounds[part], bounds[part + 1]) for part in range(parts))


def cheapest(choices: Sequence[Sequence[tuple[float, int]]], cores: int) -> list[int] | None:
    """Of each list of (nanoseconds, cores) the index of the one to take: the least time, at most `cores` in all.

    Every core has one price, the least from `CORE_NS` on for which they are few enough; None if they never are.
    """

    def chosen(price: float) -> list[int]:
        return [
            min(range(len(ways)), key=lambda way: (ways[way][0] + price * ways[way][1], ways[way][1]))
            for ways in choices
        ]

    def count(found: Sequence[int]) -> int:
        return sum(ways[way][1] for ways, way in zip(choices, found, strict=True))

    fewest = [min(range(len(ways)), key=lambda way: (ways[way][1], ways[way][0])) for ways in choices]
    if count(fewest) > cores:
        return None
    return _least(lambda price: found if count(found := chosen(price)) <= cores else None) or fewest


def _least(found: Callable[[float], list[int] | None]) -> list[int] | None:
    """What is found for the least price."""
    low, high = 0.0, float(CORE_NS)
    best = found(high)
    for _ in range(STEPS):
        if best is not None:
            break
        low, high = high, high * 4
        best = found(high)
    if best is None or not low:
        return best
    for _ in range(STEPS):
        middle = (low + high) / 2
        cheaper = found(middle)
        if cheaper is None:
            low = middle
        else:
            best, high = cheaper, middle
    return best
