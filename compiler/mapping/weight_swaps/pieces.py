"""The property `pieces` of a layer: where its weights are, and in which segment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compiler.dialects import spat
from compiler.dialects.pieces import PiecesAttr, Placed
from compiler.mapping.tiling.matrix import Piece, Stay
from emu.errors import CompileError

WHOLE = (1, 1)  # the grid of a layer that is not cut


def set_pieces(layer: spat.LayerOp, pieces: Iterable[Piece]) -> None:
    """Decide where the weights of `layer` are; each piece has its `stay`."""
    placed: list[Placed] = []
    for piece in pieces:
        assert piece.stay is not None
        placed.append((piece.stay.segment, piece.stay.core, piece.rows, piece.cols))
    layer.properties["pieces"] = PiecesAttr(tuple(placed))


def pieces_of(layer: spat.LayerOp, matrix: int = 0, grid: tuple[int, int] = WHOLE) -> list[Piece]:
    """The pieces of a layer with matrix number `matrix`, cut into `grid`; none if that is not decided.

    Raises CompileError unless they are all of the grid, each part once. Pieces of one core and segment have a number of
    their own in the place of the core.
    """
    pieces = [
        Piece(matrix, rows, columns, _pair(core, segment + 1), Stay(core, segment))
        for segment, core, rows, columns in (() if layer.pieces is None else layer.pieces.data)
    ]
    if pieces and not _covers(pieces, grid):
        raise CompileError(
            f"node {layer.node.data}: the pieces of its weights are not the {grid[0]} x {grid[1]} tiles into which they"
            " are cut for these crossbars: run the pass segment again"
        )
    return sorted(pieces, key=lambda piece: (piece.cols, piece.rows))


def _pair(first: int, second: int) -> int:
    """A number for two, another one for any others (Cantor)."""
    return (first + second) * (first + second + 1) // 2 + second


def _covers(pieces: Sequence[Piece], grid: tuple[int, int]) -> bool:
    inside = all(piece.rows[1] <= grid[0] and piece.cols[1] <= grid[1] for piece in pieces)
    if not inside or sum(piece.crossbars for piece in pieces) != grid[0] * grid[1]:
        return False
    tiles = {(row, col) for piece in pieces for row in range(*piece.rows) for col in range(*piece.cols)}
    return len(tiles) == grid[0] * grid[1]
