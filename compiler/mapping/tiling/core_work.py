"""What each core has to do, for whoever lets layers share cores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compiler.mapping import tuned
from compiler.mapping.tiling.matrix import FilterMatrix, Matrix, Piece
from compiler.mapping.tiling.spread import work_of
from compiler.mapping.work import WORD, Work

Feeds = Mapping[int, frozenset[int]]  # by index of a matrix: those whose results it multiplies, through other layers


@dataclass(frozen=True, slots=True)
class CoreLimits:
    """Of a core: the `most` crossbars and products, and bytes of `memory`; and how many cores there are."""

    most: Work
    memory: int
    cores: int

    def hold(self, core: CoreWork, unit: CoreWork) -> bool:
        """Whether a core that takes in a unit keeps within the crossbars, and a part of its memory."""
        both = core.work + unit.work
        return both.crossbars <= self.most.crossbars and both.nbytes * tuned.MEMORY_SHARE <= self.memory


@dataclass(slots=True)
class CoreWork:
    """What a core does: its pieces, and their work; `last` is its latest matrix."""

    pieces: list[Piece]
    work: Work
    last: int

    def take(self, other: CoreWork) -> None:
        """Go on with what another core does."""
        self.pieces += other.pieces
        self.work += other.work
        self.last = max(self.last, other.last)


def numbered(cores: Sequence[CoreWork]) -> list[Piece]:
    """The pieces of all cores, numbered from 0 on in the order of their first pieces."""
    ordered = sorted(cores, key=lambda core: min(map(piece_order, core.pieces)))
    moved = [replace(piece, core=number) for number, core in enumerate(ordered) for piece in core.pieces]
    return sorted(moved, key=piece_order)


def piece_order(piece: Piece) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """What pieces are ordered by: matrix, then columns, then rows."""
    return piece.matrix, piece.cols, piece.rows


def depths(feeds: Feeds, count: int) -> list[int]:
    """Of each matrix the number of those before it on the longest way from an input."""
    depth: list[int] = []
    for index in range(count):
        depth.append(1 + max((depth[source] for source in feeds.get(index, ())), default=-1))
    return depth


def units_of(matrices: Sequence[Matrix], pieces: Sequence[Piece]) -> list[CoreWork]:
    """The cores as they are, in the order of their first matrices; of one matrix the last part comes first.

    A core sends its result to all others before it goes on with a part itself. The first parts, beside which partial
    sums are added, should not be the ones that begin late.
    """
    by_core: dict[int, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_core[piece.core].append(piece)
    units = [measured(matrices, found) for found in by_core.values()]
    units.sort(key=lambda unit: max(map(piece_order, unit.pieces)), reverse=True)
    return sorted(units, key=lambda unit: min(piece.matrix for piece in unit.pieces))


def measured(matrices: Sequence[Matrix], pieces: list[Piece]) -> CoreWork:
    """A core that does what these pieces say."""
    results = sum(matrices[piece.matrix].pixels * columns_of(matrices[piece.matrix], piece) for piece in pieces)
    work = work_of(matrices, pieces) + Work(nbytes=WORD * results)
    return CoreWork(pieces, work, max(piece.matrix for piece in pieces))


def is_whole(matrices: Sequence[Matrix], piece: Piece) -> bool:
    """Whether a piece has all tiles of its matrix."""
    return piece.crossbars == matrices[piece.matrix].work.crossbars


def columns_of(matrix: Matrix, piece: Piece) -> int:
    """Columns of the result that a piece makes, or partial sums of them."""
    low, high = piece.cols
    if isinstance(matrix, FilterMatrix):
        return matrix.col_tiles[high - 1][1] - matrix.col_tiles[low][0]
    return (matrix.blocks[high - 1][1] - matrix.blocks[low][0]) * matrix.group_filters


def part_of(span: tuple[int, int], count: int) -> tuple[float, float]:
    """A range of tiles as a part of all of them."""
    return span[0] / count, span[1] / count
