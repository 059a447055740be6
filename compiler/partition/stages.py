"""Stages: a core that has done its part of one layer goes on with the next one, where the busiest core has more to do.

A network's layers differ in work by orders of magnitude. The busiest core sets the pace of all, so layers that follow
each other may share a core that has less to do: then tensors between them need not be sent, and fewer cores are
started. Layers that do not follow each other directly stay apart: a core that waits for others between two of its
layers could not begin the next sample meanwhile; and so do parts of one layer, which run at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.partition.core_work import MEMORY_SHARE, WORK_SHARE, CoreWork, Feeds, depths, numbered, part_of, units_of
from compiler.partition.matrix import FilterMatrix, Matrix, Piece


def join_stages(matrices: Sequence[Matrix], pieces: Sequence[Piece], feeds: Feeds, memory: int) -> list[Piece]:
    """`pieces` on fewer cores, numbered from 0 on.

    No core takes in another layer beyond a part of the busiest one's work, the crossbars of the fullest one, or a part
    of `memory` bytes. So the busiest core has as much work as before, and what holds the parts holds the joined ones.
    """
    depth = depths(feeds, len(matrices))
    units = units_of(matrices, pieces)
    most = max((unit.work for unit in units), default=0)
    room = max((unit.crossbars for unit in units), default=0)
    cores: list[CoreWork] = []
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
            best.take(unit)
        else:
            cores.append(unit)
    return numbered(cores)


def _shared(matrices: Sequence[Matrix], makers: Sequence[Piece], users: Sequence[Piece]) -> float:
    """How much of what the latest pieces of `makers` make the first ones of `users` multiply, as parts of the channels.

    Rows are ordered by channels; what lies between two layers keeps the order of channels, or does not matter much.
    """
    last, first = max(piece.matrix for piece in makers), min(piece.matrix for piece in users)
    made = [part_of(piece.cols, matrices[last].grid[1]) for piece in makers if piece.matrix == last]
    used = [
        part_of(piece.rows, matrices[first].grid[0])
        if isinstance(matrices[first], FilterMatrix)
        else part_of(piece.cols, matrices[first].grid[1])
        for piece in users
        if piece.matrix == first
    ]
    return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in made for b in used)
