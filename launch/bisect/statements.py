"""A program as statements: the instructions outside of every loop, and whole loops, with the bytes they touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.census.instructions import MULTIPLIES
from emu.isa.instruction import Family, RequestKind
from emu.isa.table import LOOP
from emu.operands.timeline import TooMuch
from emu.program.program import Program
from emu.replay.core_view import SectionView

STILL = (Family.CONTROL, Family.SCALAR, Family.MOVE, Family.GLOBAL, Family.COMMUNICATION)
Region = tuple[int, int]  # bytes [low, high) of local memory


@dataclass(frozen=True, eq=False)
class InstructionRange:
    """The instructions [index, end) of `main`, and the operands (rows of the section's columns) that they have.

    `reads` are bytes that must stand there before, `writes` what it leaves, both as masks of local memory.
    """

    index: int
    end: int
    node: str  # as the source map says, "" if nothing
    reads: np.ndarray
    writes: np.ndarray
    read_regions: tuple[Region, ...]
    write_regions: tuple[Region, ...]
    asks: tuple[tuple[RequestKind, int], ...]  # what it needs from outside, and the instruction
    groups: frozenset[int]  # array groups that it multiplies with
    computes: bool  # not only moves, fills or exchanges bytes

    @property
    def receives(self) -> bool:
        """Whether a message comes in."""
        return any(ask is RequestKind.RECV for ask, _ in self.asks)


@dataclass(frozen=True, eq=False)
class CoreStatements:
    """`main` of one core."""

    program: Program
    arch: Arch

    @cached_property
    def view(self) -> SectionView:
        """Operands and the bytes that they touch."""
        return SectionView(self.program, self.arch, "main")

    @cached_property
    def top(self) -> int:
        """One past the last byte of local memory that the program names."""
        _, high, known = self.view.extents
        local = self.view.used & ~self.view.accesses.is_global & known
        ends = [int(high[local].max(initial=0))]
        ends += [data.address + len(data.content) for data in self.program.data]
        ends += [buffer.address + buffer.nbytes for buffer in self.program.buffers]
        return min(max(ends), self.arch.core.local_memory)

    @cached_property
    def indices(self) -> list[int]:
        """The first instruction of every statement."""
        return self.program.main.children()

    def statement(self, index: int) -> InstructionRange:
        """The statement that begins at `index`."""
        if index not in self._known:
            self._known[index] = self._make(index)
        return self._known[index]

    def at(self, index: int) -> InstructionRange:
        """The statement that instruction `index` belongs to."""
        return self.statement(max(first for first in self.indices if first <= index))

    def before(self, index: int) -> Iterator[InstructionRange]:
        """The statements before instruction `index`, the last one first."""
        for first in reversed(self.indices):
            if first < index:
                yield self.statement(first)

    def writer(self, before: int, address: int) -> int | None:
        """The last instruction before `before` that may have written a byte of local memory; None if none of `main`."""
        for statement in self.before(before):
            if address < self.top and statement.writes[address]:
                inside = reversed(range(statement.index, statement.end))
                return next((each for each in inside if self._writes(each, address)), statement.index)
        return None

    def _writes(self, index: int, address: int) -> bool:
        """Whether instruction `index` touches a byte with what it writes."""
        first, accesses = int(self.program.main.columns["operand"][index]), self.view.accesses
        for row in range(first, first + len(self.program.main.decode(index).operands)):
            if accesses.write[row] and self._counts(row):
                low, high = self._hull(row)
                if low <= address < high and self._touched(row, (low, high))[address - low]:
                    return True
        return False

    @cached_property
    def _known(self) -> dict[int, InstructionRange]:
        return {}

    def _make(self, index: int) -> InstructionRange:
        section, accesses = self.program.main, self.view.accesses
        columns = section.columns
        end = int(columns["end"][index]) if columns["op"][index] == LOOP else index + 1
        reads, writes = np.zeros(self.top, np.bool_), np.zeros(self.top, np.bool_)
        read_regions: dict[Region, None] = {}
        write_regions: dict[Region, None] = {}
        asks: list[tuple[RequestKind, int]] = []
        for each in range(index, end):
            instr = section.decode(each)
            if instr.spec.ask is not None:
                asks.append((instr.spec.ask, each))
            first = int(columns["operand"][each])
            rows = [row for row in range(first, first + len(instr.operands)) if self._counts(row)]
            for row in rows:
                if accesses.read[row]:
                    hull = self._hull(row)
                    read_regions[hull] = None
                    reads[slice(*hull)] |= self._touched(row, hull) & ~writes[slice(*hull)]
            for row in rows:
                if accesses.write[row]:
                    hull = self._hull(row)
                    write_regions[hull] = None
                    writes[slice(*hull)] |= self._touched(row, hull)
        used = np.arange(index, end)[MULTIPLIES[columns["op"][index:end]]]
        return InstructionRange(
            index,
            end,
            self.node(index) or next(filter(None, map(self.node, range(index, end))), ""),
            reads,
            writes,
            tuple(read_regions),
            tuple(write_regions),
            tuple(asks),
            frozenset(columns["arg0"][used].tolist()),
            any(section.decode(each).spec.family not in STILL for each in range(index, end)),
        )

    def node(self, index: int) -> str:
        """The name in the source map of an instruction."""
        source = int(self.program.main.columns["source"][index])
        return self.program.sources[source].node if 0 <= source < len(self.program.sources) else ""

    def part(self, index: int) -> str:
        """What part of the node an instruction computes, as the source map says."""
        source = int(self.program.main.columns["source"][index])
        return self.program.sources[source].part if 0 <= source < len(self.program.sources) else ""

    def hull(self, index: int, written: bool) -> Region | None:
        """The bytes of local memory around what instruction `index` reads (or writes); None if nothing."""
        first = int(self.program.main.columns["operand"][index])
        chosen = self.view.accesses.write if written else self.view.accesses.read
        count = len(self.program.main.decode(index).operands)
        regions = [self._hull(row) for row in range(first, first + count) if chosen[row] and self._counts(row)]
        return (min(low for low, _ in regions), max(high for _, high in regions)) if regions else None

    def _counts(self, row: int) -> bool:
        return bool(self.view.used[row] and not self.view.accesses.is_global[row])

    def _hull(self, row: int) -> Region:
        low, high, known = self.view.extents
        return (max(0, int(low[row])), min(int(high[row]), self.top)) if known[row] else (0, self.top)

    def _touched(self, row: int, hull: Region) -> np.ndarray:
        """Which bytes of its hull an operand touches: exactly where they are few runs, else all."""
        low, high = hull
        try:
            runs = self.view.footprint(row)
        except TooMuch:
            runs = None
        size = max(0, high - low)
        if runs is None:
            return np.ones(size, np.bool_)
        begins, ends = (np.clip(each - low, 0, size) for each in runs)
        change = np.zeros(size + 1, np.int32)
        np.add.at(change, begins, 1)
        np.add.at(change, ends, -1)
        return np.cumsum(change[:-1]) > 0


def masked(top: int, region: Region) -> np.ndarray:
    """A mask of local memory with one region."""
    mask = np.zeros(top, np.bool_)
    mask[slice(*region)] = True
    return mask
