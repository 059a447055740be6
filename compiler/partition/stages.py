"""Stages: a core that has done its part of one layer goes on with the next one, where the busiest core has more to do.

A network's layers differ in work by orders of magnitude. The busiest core sets the pace of all, so layers that follow
each other may share a core that has less to do: then tensors between them need not be sent, and fewer cores are
started. Layers that do not follow each other directly stay apart: a core that waits for others between two of its
layers could not begin the next sample meanwhile; and so do parts of one layer, which run at the same time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compiler.partition.matrix import FilterMatrix, Matrix, Piece
from compiler.partition.spread import work_of

Feeds = Mapping[int, frozenset[int]]  # by index of a matrix: those whose results it multiplies, through other layers
WORK_SHARE = 2, 3  # of the busiest core's work: a core that goes on with a second layer also waits between both
MEMORY_SHARE = 8  # layers share a core while what they keep in memory takes at most this part of it


@dataclass(slots=True)
class _Core:
    """What a core does: pieces, products per sample, crossbars, bytes of its results; `last` is its latest matrix."""

    pieces: list[Piece]
    work: int
    crossbars: int
    nbytes: int
    last: int


def join_stages(matrices: Sequence[Matrix], pieces: Sequence[Piece], feeds: Feeds, memory: int) -> list[Piece]:
    """`pieces` on fewer cores, numbered from 0 on.

    No core takes in another layer beyond a part of the busiest one's work, the crossbars of the fullest one, or a part
    of `memory` bytes. So the busiest core has as much work as before, and what holds the parts holds the joined ones.
    """
    depth = _depths(feeds, len(matrices))
    units = _units(matrices, pieces)
    most = max((unit.work for unit in units), default=0)
    room = max((unit.crossbars for unit in units), default=0)
    cores: list[_Core] = []
    for unit in units:
        first = min(piece.matrix for piece in unit.pieces)
        # The first of those just before it: the results of the others arrive while that one is still being made.
        before = min((index for index in feeds.get(first, ()) if depth[index] == depth[first] - 1), default=-1)
        fitting = [
            core
            for core in cores
            if core.last == before
            and WORK_SHARE[1] * (core.work + unit.work) <= WORK_SHARE[0] * most
            and core.crossbars + unit.crossbars <= room
            and (core.nbytes + unit.nbytes) * MEMORY_SHARE <= memory
        ]
        if fitting:
            best = max(fitting, key=lambda core: (_shared(matrices, core.pieces, unit.pieces), -core.work))
            best.pieces += unit.pieces
            best.work += unit.work
            best.crossbars += unit.crossbars
            best.nbytes += unit.nbytes
            best.last = unit.last
        else:
            cores.append(unit)
    cores.sort(key=lambda core: min(map(_place, core.pieces)))
    moved = [replace(piece, core=number) for number, core in enumerate(cores) for piece in core.pieces]
    return sorted(moved, key=_place)


def _place(piece: Piece) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """What pieces are ordered by: matrix, then columns, then rows."""
    return piece.matrix, piece.cols, piece.rows


def _depths(feeds: Feeds, count: int) -> list[int]:
    """Of each matrix the number of those before it on the longest way from an input."""
    depth: list[int] = []
    for index in range(count):
        depth.append(1 + max((depth[source] for source in feeds.get(index, ())), default=-1))
    return depth


def _units(matrices: Sequence[Matrix], pieces: Sequence[Piece]) -> list[_Core]:
    """The cores as they are, in the order of their first matrices; of one matrix the last part comes first.

    A core sends its result to all others before it goes on with a part itself. The first parts, beside which partial
    sums are added, should not be the ones that begin late.
    """
    by_core: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_core[piece.core].append(piece)
    units = [
        _Core(
            found,
            work_of(matrices, found),
            sum(piece.crossbars for piece in found),
            sum(4 * matrices[piece.matrix].pixels * _columns(matrices[piece.matrix], piece) for piece in found),
            max(piece.matrix for piece in found),
        )
        for found in by_core.values()
    ]
    units.sort(key=lambda unit: max(map(_place, unit.pieces)), reverse=True)
    return sorted(units, key=lambda unit: min(piece.matrix for piece in unit.pieces))


def _columns(matrix: Matrix, piece: Piece) -> int:
    """Columns of the result that a piece makes, or partial sums of them."""
    low, high = piece.cols
    if isinstance(matrix, FilterMatrix):
        return matrix.col_tiles[high - 1][1] - matrix.col_tiles[low][0]
    return (matrix.blocks[high - 1][1] - matrix.blocks[low][0]) * matrix.group_filters


def _shared(matrices: Sequence[Matrix], makers: Sequence[Piece], users: Sequence[Piece]) -> float:
    """How much of what the latest pieces of `makers` make the first ones of `users` multiply, as parts of the channels.

    Rows are ordered by channels; what lies between two layers keeps the order of channels, or does not matter much.
    """
    last, first = max(piece.matrix for piece in makers), min(piece.matrix for piece in users)
    made = [_part(piece.cols, matrices[last].grid[1]) for piece in makers if piece.matrix == last]
    used = [
        _part(piece.rows, matrices[first].grid[0])
        if isinstance(matrices[first], FilterMatrix)
        else _part(piece.cols, matrices[first].grid[1])
        for piece in users
        if piece.matrix == first
    ]
    return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in made for b in used)


def _part(span: tuple[int, int], count: int) -> tuple[float, float]:
    """A range of tiles as a part of all of them."""
    return span[0] / count, span[1] / count
