"""Placement `pack`: the fewest cores; tile groups stay on one core where they fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from compiler.mapping.tiling.matrix import Piece
from compiler.mapping.work import Grid


def pack(matrices: Sequence[Grid], cores: int, capacity: int) -> list[Piece]:
    """Pieces with cores, at most `capacity` logical crossbars on each; uses as few cores as first-fit finds.

    A tile group that fits on one core goes to the first core with room for it; a larger one fills cores one after
    the other. When keeping groups together needs more than `cores`, they are filled without regard to groups.
    """
    pieces = _fill(matrices, capacity, keep_groups=True)
    if max((piece.core for piece in pieces), default=0) >= cores:
        pieces = _fill(matrices, capacity, keep_groups=False)
    return merge(pieces)


def fill_up(matrices: Sequence[Grid], room: Sequence[int]) -> list[Piece] | None:
    """Pieces on cores that have so many logical crossbars left each, one core after the other; None if they do not fit.

    It fits whenever there are as many crossbars in all.
    """
    left = (core for core, count in enumerate(room) for _ in range(count))
    tiles = [
        Piece(index, (row, row + 1), (col, col + 1), next(left, -1))
        for index, matrix in enumerate(matrices)
        for col in range(matrix.grid[1])
        for row in range(matrix.grid[0])
    ]
    return None if any(tile.core < 0 for tile in tiles) else merge(tiles)


def _fill(matrices: Sequence[Grid], capacity: int, *, keep_groups: bool) -> list[Piece]:
    free: list[int] = []
    pieces: list[Piece] = []
    for index, matrix in enumerate(matrices):
        for col in range(matrix.grid[1]):
            for begin, end in matrix.group_sizes():
                pieces += _place_group(free, capacity, Piece(index, (begin, end), (col, col + 1)), keep_groups)
    return pieces


def _place_group(free: list[int], capacity: int, group: Piece, keep: bool) -> list[Piece]:
    if keep and group.crossbars <= capacity:
        core = next((core for core, room in enumerate(free) if room >= group.crossbars), len(free))
        _take(free, core, group.crossbars, capacity)
        return [Piece(group.matrix, group.rows, group.cols, core)]
    placed: list[Piece] = []
    begin, end = group.rows
    while begin < end:
        core = len(free) - 1 if free and free[-1] else len(free)
        room = free[core] if core < len(free) else capacity
        stop = min(end, begin + room)
        _take(free, core, stop - begin, capacity)
        placed.append(Piece(group.matrix, (begin, stop), group.cols, core))
        begin = stop
    return placed


def _take(free: list[int], core: int, crossbars: int, capacity: int) -> None:
    if core == len(free):
        free.append(capacity)
    free[core] -= crossbars


def merge(pieces: Sequence[Piece]) -> list[Piece]:
    """Join pieces of one matrix on one core: first rows of the same column, then columns of the same rows."""
    by_rows = _join(pieces, lambda p: (p.matrix, p.core, p.cols), lambda p: p.rows, rows=True)
    return _join(by_rows, lambda p: (p.matrix, p.core, p.rows), lambda p: p.cols, rows=False)


def _join(pieces: Sequence[Piece], key, span, *, rows: bool) -> list[Piece]:  # type: ignore[no-untyped-def]
    joined: list[Piece] = []
    for _, members in groupby(sorted(pieces, key=lambda p: (key(p), span(p))), key=key):
        current: Piece | None = None
        for piece in members:
            if current is not None and span(current)[1] == span(piece)[0]:
                wide = (span(current)[0], span(piece)[1])
                current = Piece(piece.matrix, wide if rows else piece.rows, piece.cols if rows else wide, piece.core)
                joined[-1] = current
            else:
                current = piece
                joined.append(piece)
    return sorted(joined, key=lambda p: (p.matrix, p.cols, p.rows))
