"""The ways to cut a matrix so that no part exceeds a bound, and which of them are chosen for so many cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from compiler.mapping import tuned
from compiler.mapping.cost import NOMINAL
from compiler.mapping.solver import Ladder, least_sum, needed
from compiler.mapping.tiling.matrix import BlockMatrix, FilterMatrix, Matrix
from compiler.mapping.tiling.spread import even_ranges
from compiler.mapping.work import WORD, Work

Span = tuple[int, int]


@dataclass(frozen=True)
class GridCut:
    """A matrix and the ranges of its row tiles and column tiles (or blocks) that make its parts, one core each."""

    matrix: Matrix
    rows: tuple[Span, ...]
    cols: tuple[Span, ...]

    @property
    def parts(self) -> int:
        """How many there are."""
        return len(self.rows) * len(self.cols)

    @property
    def crossbars(self) -> int:
        """Logical crossbars of the largest part."""
        return longest(self.rows) * longest(self.cols)

    @property
    def nanoseconds(self) -> float:
        """Time of the largest part, and of all that is sent."""
        nbytes, messages = sent(self)
        return part_time(self.matrix, self.rows, self.cols) + NOMINAL.sent(nbytes, messages)


def ways(matrix: Matrix, most: Work) -> Iterator[GridCut]:
    """Cuts of which no part has more than the `most` crossbars and products, if there are any.

    For every number of column parts the fewest row parts, and as many that share no channel, if that goes: what makes
    the channels then sends each to one part only.
    """
    rows, cols = matrix.grid
    limit = max(1, min(most.crossbars, most.products // matrix.pixels))
    for across in sorted({-(-cols // width) for width in range(1, min(cols, limit) + 1)}):
        columns = tuple(even_ranges(cols, across))
        height = limit // longest(columns)
        if not height:
            continue
        yield GridCut(matrix, tuple(even_ranges(rows, -(-rows // height))), columns)
        if rows > height and isinstance(matrix, FilterMatrix):
            yield from _by_channels(matrix, columns, height)


def _by_channels(matrix: FilterMatrix, columns: tuple[Span, ...], height: int) -> Iterator[GridCut]:
    """As many ranges of channels, if each takes at most `height` row tiles."""
    parts = -(-matrix.grid[0] // height)
    if matrix.channel_cuts or matrix.channels < parts:
        return
    cut = replace(matrix, channel_cuts=_bounds(matrix, parts))
    spans = _spans(cut, parts)
    if longest(spans) <= height:
        yield GridCut(cut, spans, columns)


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


def longest(spans: Iterable[Span]) -> int:
    """The size of the largest range."""
    return max(high - low for low, high in spans)


def part_time(matrix: Matrix, rows: Iterable[Span], cols: Iterable[Span]) -> float:
    """Nanoseconds per sample of the largest part, by the pixel."""
    return matrix.pixels * NOMINAL.pixel(longest(rows), longest(cols))


def sent(cut: GridCut) -> tuple[int, int]:
    """Bytes and messages per sample: inputs that every part is sent, partial sums that meet.

    A part of few rows is sent the channel tiles that it multiplies, as a whole.
    """
    matrix, across = cut.matrix, len(cut.cols)
    if isinstance(matrix, BlockMatrix):
        return WORD * matrix.source_pixels * matrix.groups * matrix.group_channels, across
    channels = sum(_channels_of(matrix, rows) for rows in cut.rows)
    sums = len(cut.rows) - 1
    inputs, outputs = channels * matrix.source_pixels, matrix.filters * matrix.pixels
    return WORD * (across * inputs + sums * outputs), cut.parts + sums * across


def _channels_of(matrix: FilterMatrix, rows: Span) -> int:
    tiles = {matrix.row_tiles[row].tile for row in range(*rows)}
    return sum(high - low for low, high in (matrix.channel_tiles[tile] for tile in tiles))


def cheapest(choices: Sequence[Sequence[tuple[float, int]]], cores: int) -> list[int] | None:
    """Of each list of (nanoseconds, cores) the index of the one to take: the least time, at most `cores` in all.

    A core costs `CORE_NS`, so that it is used only where it saves as much; None if there are too few of them.
    """
    ranked = [_worth_more_cores(ways) for ways in choices]
    ladders = [
        Ladder([ways[way][1] for way in rank], [_cost(ways[way]) for way in rank])
        for ways, rank in zip(choices, ranked, strict=True)
    ]
    if needed(ladders, [0] * len(ladders)) > cores:
        return None
    return [rank[place] for rank, place in zip(ranked, least_sum(ladders, cores), strict=True)]


def _worth_more_cores(ways: Sequence[tuple[float, int]]) -> list[int]:
    """The ways that cost less than all that take fewer cores, fewest cores first."""
    found = list[int]()
    for way in sorted(range(len(ways)), key=lambda way: (ways[way][1], ways[way][0])):
        if not found or _cost(ways[way]) < _cost(ways[found[-1]]):
            found.append(way)
    return found


def _cost(way: tuple[float, int]) -> int:
    """Picoseconds, with those that its cores cost."""
    return round(1000 * (way[0] + tuned.CORE_NS * way[1]))
