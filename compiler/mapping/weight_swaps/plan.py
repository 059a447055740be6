"""Which weights stay on their crossbars, and in which segment the others are written there.

Every core keeps some crossbars for weights that stay, and has a bank of some for those of one segment at a time. What
stays is written once per power-on, everything else once per run of the program, whatever segments there are: the fewest
writes are those with the smallest bank. But a small bank means many segments, and a layer that is cut into more of them
works on fewer crossbars at a time. So the bank is the one with the fewest writes among those that need at most
`tuned.MOST_SEGMENTS` times the segments of the largest one. Of the weights those stay that multiply most, as the
product of a crossbar with all the pixels of an image then never waits for a write.

Copies of a layer's weights work at the same time, so they come in one segment, if it can hold them: whoever asks for
copies finds writes cheap, and no bank is too small for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from compiler.dialects.names import RESIDENT
from compiler.mapping import tuned
from compiler.mapping.tiling.matrix import Piece, Stay
from compiler.mapping.work import Grid

Place = Callable[[Sequence[Grid], int, int], list[Piece]]  # a strategy of `tiling`


@dataclass(frozen=True)
class MatrixPart(Grid):
    """Row tiles [rows) x column tiles [cols) of matrix number `matrix`; one that is not `cut` takes one core, alone.

    Parts of a `family` that follow each other are copies of the same weights.
    """

    matrix: int
    rows: tuple[int, int]
    cols: tuple[int, int]
    pixels: int
    cut: bool = True
    family: str = ""

    @property
    def grid(self) -> tuple[int, int]:
        """Row tiles, column tiles."""
        return self.rows[1] - self.rows[0], self.cols[1] - self.cols[0]


@dataclass
class SwapPlan:
    """Parts that stay, and those of each segment, for a bank of `bank` logical crossbars per core."""

    bank: int
    resident: list[MatrixPart] = field(default_factory=list[MatrixPart])
    segments: list[list[MatrixPart]] = field(default_factory=list[list[MatrixPart]])

    @property
    def written(self) -> int:
        """Logical crossbars that are written per run."""
        return sum(map(_crossbars, self.segments))


def best_plan(matrices: Sequence[MatrixPart], cores: int, room: int) -> SwapPlan | None:
    """The plan for whole `matrices`, in the order of the data, on cores of `room` logical crossbars; None if none fits.

    A matrix that may not be cut must fit on one core.
    """
    whole = max((part.work.crossbars for part in matrices if not part.cut), default=1)
    if whole > room:
        return None
    whole = max(whole, min(room, -(-max(map(_crossbars, _copies(matrices)), default=0) // cores)))
    largest = _plan(matrices, cores, room, room)
    plans = [largest]
    bank = room // 2
    while bank >= whole:
        plan = _plan(matrices, cores, room, bank)
        if len(plan.segments) <= tuned.MOST_SEGMENTS * len(largest.segments):
            plans.append(plan)
        bank //= 2
    return min(plans, key=lambda plan: (plan.written, len(plan.segments)))


def _plan(matrices: Sequence[MatrixPart], cores: int, room: int, bank: int) -> SwapPlan:
    plan, left = SwapPlan(bank), (room - bank) * cores
    stays: dict[int, int] = {}  # by index of a matrix: columns of it that stay
    for part in sorted(matrices, key=lambda part: -part.pixels):
        rows, cols = part.grid
        if part.cut and (count := min(cols, left // rows)):
            stays[part.matrix] = count
            left -= count * rows
            plan.resident.append(replace(part, cols=(0, count)))
    rests = [replace(part, cols=(stays.get(part.matrix, 0), part.cols[1])) for part in matrices]
    together = {copies[0]: _crossbars(copies) for copies in _copies(rests)}
    for rest in rests:
        if rest.work.crossbars:
            _append(plan.segments, rest, bank * cores, together.get(rest, 0))
    return plan


def _copies(parts: Sequence[MatrixPart]) -> list[list[MatrixPart]]:
    """The parts that are copies of the same weights, where there are several."""
    families = (list(found) for family, found in groupby(parts, key=lambda part: part.family) if family)
    return [found for found in families if len(found) > 1]


def _crossbars(parts: Sequence[MatrixPart]) -> int:
    return sum(part.work.crossbars for part in parts)


def _append(segments: list[list[MatrixPart]], part: MatrixPart, capacity: int, together: int) -> None:
    """Put a part into the last segment if there is room, else into a new one; a larger one is cut.

    With the first one of several copies, `together` is the room for all of them.
    """
    used = _crossbars(segments[-1]) if segments else capacity
    alone = not part.cut or (segments and not segments[-1][-1].cut) or used + together > capacity >= together
    if not alone and used + part.work.crossbars <= capacity:
        segments[-1].append(part)
        return
    segments += [[piece] for piece in _pieces(part, capacity)]


def _pieces(part: MatrixPart, capacity: int) -> Iterator[MatrixPart]:
    """`part` in pieces of at most `capacity` crossbars: whole columns, or rows of one column that is larger."""
    (low, high), (begin, end) = part.rows, part.cols
    height = high - low
    if not part.cut or part.work.crossbars <= capacity:
        yield part
        return
    width = max(1, capacity // height)
    for col in range(begin, end, width):
        for row in range(low, high, min(height, capacity)):
            rows = row, min(row + min(height, capacity), high)
            yield replace(part, rows=rows, cols=(col, min(col + width, end)))


def place_plan(plan: SwapPlan, cores: int, room: int, strategy: Place) -> list[Piece]:
    """The pieces of all parts, each with the core and the segment where it stays."""
    found = _placed(plan.resident, RESIDENT, cores, room - plan.bank, strategy)
    for number, parts in enumerate(plan.segments):
        found += _placed(parts, number, cores, plan.bank, strategy)
    return found


def _placed(parts: Sequence[MatrixPart], segment: int, cores: int, room: int, strategy: Place) -> list[Piece]:
    if not parts:
        return []
    whole = len(parts) == 1 and not parts[0].cut
    pieces = [Piece(0, (0, parts[0].grid[0]), (0, 1), 0)] if whole else strategy(parts, cores, room)
    assert all(piece.core < cores for piece in pieces)  # their crossbars are at most those of the cores
    return [
        Piece(
            parts[piece.matrix].matrix,
            _moved(piece.rows, parts[piece.matrix].rows[0]),
            _moved(piece.cols, parts[piece.matrix].cols[0]),
            stay=Stay(piece.core, segment),
        )
        for piece in pieces
    ]


def _moved(span: tuple[int, int], by: int) -> tuple[int, int]:
    return span[0] + by, span[1] + by
