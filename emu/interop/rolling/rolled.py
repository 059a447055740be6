"""Rolled code: rows in order, a loop as a row in front of its body, affine in the counters of enclosing loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.isa.address import Term
from emu.isa.table import LOOP
from emu.operands.timeline import SectionTimeline, make_timeline
from emu.program.builder import SectionBuilder
from emu.program.section import Section

MAX_DEPTH = 16  # loops inside each other
PIECE = 1 << 16  # rows


@dataclass(frozen=True, eq=False)
class Rolled:
    """Code of n items, each a row or a loop, in program order, loops before their bodies.

    An instruction of a row is `base[row] + sum(counter * strides[stride[row, level]])` over the levels of the loops
    around it, outermost first; counters run from 0. Loops have no fields: their base is 0.
    """

    trips: np.ndarray  # int64 [n]; 0: a row
    end: np.ndarray  # int64 [n]; of loops: index after the last item of the body; of rows: -1
    base: np.ndarray  # int64 [n, fields]
    stride: np.ndarray  # int32 [n, levels]: number of a row of `strides`; 0 beyond the loops around an item
    strides: np.ndarray  # int64 [vectors, fields]; row 0 is 0

    @property
    def is_loop(self) -> np.ndarray:
        """Which items are loops (bool [n])."""
        return self.trips > 0

    @property
    def loops(self) -> int:
        """How many items are loops."""
        return int(np.count_nonzero(self.trips))

    @property
    def rows(self) -> int:
        """How many items are rows."""
        return len(self.trips) - self.loops

    @cached_property
    def timeline(self) -> SectionTimeline:
        """Which row an instruction comes from, and the loops around it; raises TooMuch."""
        return make_timeline(as_section(self.is_loop, self.trips, self.end))

    @property
    def depth(self) -> np.ndarray:
        """How many loops are around each item (int64 [n])."""
        return self.timeline.nest.depth

    @property
    def instructions(self) -> int:
        """How many instructions it unrolls to."""
        return self.timeline.total

    @property
    def ratio(self) -> float:
        """Items per instruction: 1 for code without repeats, near 0 for code that is all loops."""
        return len(self.trips) / self.instructions if self.instructions else 1.0

    def terms(self, item: int, field: int) -> tuple[Term, ...]:
        """How a field of a row moves with the loops around it, as that of an address does."""
        steps = self.strides[self.stride[item, : self.depth[item]], field].tolist()
        return tuple([Term(level, step) for level, step in enumerate(steps) if step])

    def instructions_between(self, first: int, last: int) -> np.ndarray:
        """Unrolled instructions [first, last) (int64 [last - first, fields])."""
        item, counters = self.timeline.executed(np.arange(first, last))
        fields = self.base[item]
        for level in range(self.stride.shape[1]):
            vector = self.stride[item, level]
            moved = np.flatnonzero(vector)
            if len(moved):
                fields[moved] += counters[moved, level, None] * self.strides[vector[moved]]
        return fields

    def pieces(self, most: int = PIECE) -> Iterator[np.ndarray]:
        """The unrolled code, at most so many instructions at a time, in order."""
        for first in range(0, self.instructions, most):
            yield self.instructions_between(first, min(first + most, self.instructions))

    def unrolled(self) -> np.ndarray:
        """The whole code (int64 [instructions, fields])."""
        whole = np.empty((self.instructions, self.base.shape[1]), np.int64)
        place = 0
        for piece in self.pieces():
            whole[place : place + len(piece)] = piece
            place += len(piece)
        return whole


def items_in_loops(rolled: Rolled, section: SectionBuilder, kept: np.ndarray) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Kept rows, and loops that have some, in order, with the loops around each, which are open in `section` then.

    A loop opens behind its own turn.
    """
    before = np.concatenate(([0], np.cumsum(kept))).tolist()
    trips, ends = rolled.trips.tolist(), rolled.end.tolist()

    def between(item: int, end: int, loops: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        while item < end:
            behind = ends[item] if trips[item] else item + 1
            if before[behind] > before[item]:
                yield item, loops
                if trips[item]:
                    with section.loop(trips[item]):
                        yield from between(item + 1, behind, (*loops, item))
            item = behind

    yield from between(0, len(trips), ())


def as_section(is_loop: np.ndarray, trips: np.ndarray, end: np.ndarray) -> Section:
    """The loops as a section of a program has them, for what is known of those."""
    return Section({"op": np.where(is_loop, LOOP, LOOP + 1), "n": trips, "end": end})


def joined(parts: Sequence[Rolled]) -> Rolled:
    """Parts that follow each other as one."""
    levels = max(part.stride.shape[1] for part in parts)
    items = np.cumsum([0, *(len(part.trips) for part in parts)])
    vectors = np.cumsum([0, *(len(part.strides) - 1 for part in parts)])  # row 0, which is 0, is that of all
    wide = [np.pad(part.stride, ((0, 0), (0, levels - part.stride.shape[1]))) for part in parts]
    return Rolled(
        np.concatenate([part.trips for part in parts]),
        np.concatenate([np.where(p.end >= 0, p.end + first, -1) for p, first in zip(parts, items, strict=False)]),
        np.concatenate([part.base for part in parts]),
        np.concatenate(
            [np.where(s > 0, s + first, 0).astype(np.int32) for s, first in zip(wide, vectors, strict=False)]
        ),
        np.concatenate([parts[0].strides[:1], *(part.strides[1:] for part in parts)]),
    )
