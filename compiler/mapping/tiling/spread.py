"""Placement `scatter`: balances the work over up to all cores, one matrix per core while there are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import count, pairwise

from compiler.mapping.solver import least_loaded
from compiler.mapping.tiling.matrix import Piece
from compiler.mapping.tiling.pack import merge, pack
from compiler.mapping.work import Grid, Work

Parts = tuple[int, int]  # into how many parts the rows of a grid are cut, and its columns
Cutter = Callable[[int], Parts | None]  # from a bound on the work of a piece; None: no piece can be that small


def spread(matrices: Sequence[Grid], cores: int, capacity: int) -> list[Piece]:
    """Pieces with cores, at most `capacity` logical crossbars on each, that keep the work of the busiest core small.

    Work is crossbars x pixels; where each piece has a core of its own, it is the least that rectangles allow.

    With enough cores each piece has its own; otherwise the pieces share cores, longest work first onto the least
    loaded core with room. When the pieces do not fit so, the crossbars are packed.
    """
    cut = _cuts_for(matrices, cores, capacity)
    if cut is not None:
        numbers = count()
        return [
            Piece(index, rows, cols, next(numbers))
            for index, (matrix, parts) in enumerate(zip(matrices, cut, strict=True))
            for rows, cols in rectangles(matrix.grid, *parts)
        ]
    return _share(matrices, cores, capacity) or pack(matrices, cores, capacity)


def _cuts_for(matrices: Sequence[Grid], cores: int, capacity: int) -> list[Parts] | None:
    """(row parts, column parts) per matrix for the smallest bound on work per core that `cores` allow."""

    return tightest_cuts(
        [cutter(matrix, capacity) for matrix in matrices], cores, max((m.work.products for m in matrices), default=1)
    )


def work_of(matrices: Sequence[Grid] | Mapping[int, Grid], pieces: Iterable[Piece]) -> Work:
    """That of some pieces of `matrices`, by index, without results."""
    return sum(
        (Work(piece.crossbars, piece.crossbars * matrices[piece.matrix].pixels) for piece in pieces), start=Work()
    )


def cutter(matrix: Grid, capacity: int) -> Cutter:
    """How one matrix is cut, given a bound on the work of a piece (crossbars x pixels)."""
    cut = cache(partial(best_cut, matrix.grid))
    return lambda bound: cut(max(1, min(capacity, bound // matrix.pixels)))


def tightest_cuts(cutters: Sequence[Cutter], cores: int, high: int) -> list[Parts] | None:
    """The parts that each cutter makes, at most `cores` in all, for the smallest bound in [1, high] on work.

    None if they are too many even for the bound `high`.
    """

    def cuts(bound: int) -> list[Parts] | None:
        chosen: list[Parts] = []
        for cut in cutters:
            parts = cut(bound)
            if parts is None:
                return None
            chosen.append(parts)
        return chosen if sum(rows * cols for rows, cols in chosen) <= cores else None

    low = 1
    best = cuts(high)
    while best is not None and low < high:
        middle = (low + high) // 2
        tighter = cuts(middle)
        if tighter is None:
            low = middle + 1
        else:
            best, high = tighter, middle
    return best


def best_cut(grid: tuple[int, int], limit: int) -> tuple[int, int] | None:
    """The fewest parts (rows, columns) of a grid whose rectangles hold at most `limit` crossbars; None if none can be.

    Row parts cost partial sums, so among equal counts columns are cut rather than rows.
    """
    rows, cols = grid
    options: list[tuple[int, int, int]] = []
    for width in range(1, min(cols, limit) + 1):
        col_parts = -(-cols // width)
        row_parts = -(-rows // (limit // width))
        options.append((row_parts * col_parts, row_parts, col_parts))
    if not options:
        return None
    _, row_parts, col_parts = min(options)
    return row_parts, col_parts


def rectangles(grid: tuple[int, int], row_parts: int, col_parts: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Row and column ranges of the parts, row by row within a column."""
    return [(rows, cols) for cols in even_ranges(grid[1], col_parts) for rows in even_ranges(grid[0], row_parts)]


def even_ranges(total: int, parts: int) -> list[tuple[int, int]]:
    """[0, total) in `parts` half-open ranges whose sizes differ by at most one."""
    bounds = [total * part // parts for part in range(parts + 1)]
    return [(low, high) for low, high in pairwise(bounds) if high > low]


def _share(matrices: Sequence[Grid], cores: int, capacity: int) -> list[Piece] | None:
    """More matrices than cores: pieces of about one core's share, longest first onto the least loaded core."""
    share = -(-sum(matrix.work.products for matrix in matrices) // cores)
    pieces: list[Piece] = []
    for index, matrix in enumerate(matrices):
        parts = best_cut(matrix.grid, max(1, min(capacity, share // matrix.pixels)))
        if parts is None:
            return None
        pieces += [Piece(index, rows, cols) for rows, cols in rectangles(matrix.grid, *parts)]
    works = {piece: work_of(matrices, [piece]) for piece in pieces}
    pieces.sort(key=lambda piece: -works[piece].products)
    numbers = least_loaded(map(works.__getitem__, pieces), [capacity] * cores)
    placed = [replace(piece, core=core) for piece, core in zip(pieces, numbers, strict=True) if core is not None]
    return merge(placed) if len(placed) == len(pieces) else None
