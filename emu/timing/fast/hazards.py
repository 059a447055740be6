"""Which operations of a section may not overlap in time: they share bytes of local memory, or registers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from emu.core.scalar import arguments
from emu.replay.core_view import SectionView
from emu.replay.footprint import terms_of
from emu.replay.scalars import WRITES_REGISTER
from emu.replay.timeline import TooMuch
from emu.timing.fast.body import Counters

EVERYWHERE = 1 << 62
Reach = tuple[int, int]  # bytes of local memory, half open


@dataclass(frozen=True, eq=False, slots=True)
class Operand:
    """Local bytes of an operand: those of its first execution at [low, high) before terms and register are added.

    `terms` are (depth, stride, offset, modulus); `hull` is what all its executions touch.
    """

    write: bool
    low: int
    high: int
    terms: tuple[tuple[int, int, int, int], ...]
    register: int
    hull: Reach

    @property
    def fixed(self) -> bool:
        """Whether all executions touch the same bytes."""
        return not self.terms and self.register < 0


Pair = tuple[Operand, Operand]  # of the earlier and of the later operation


@dataclass(frozen=True, eq=False)
class Hazards:
    """Of one section; answers are kept per pair of instructions."""

    view: SectionView
    _known: dict[int, bool | list[Pair]] = field(default_factory=dict[int, "bool | list[Pair]"])
    _operands: dict[int, list[Operand]] = field(default_factory=dict[int, list[Operand]])

    def meet(self, first: int, before: Counters, second: int, counters: Counters) -> bool:
        """Whether instruction `second` at `counters` must wait for the end of the earlier `first` at `before`."""
        key = first << 32 | second
        relation = self._known.get(key)
        if relation is None:
            relation = self._known[key] = self._relation(first, second)
        if isinstance(relation, bool):
            return relation
        for mine, other in relation:
            low, high = self._reach(mine, first, before)
            begin, end = self._reach(other, second, counters)
            if low < end and begin < high:
                return True
        return False

    def registers(self, index: int) -> tuple[int, int]:
        """The registers that an instruction sets, and those that it uses, as bits."""
        return self._registers.get(index, (0, 0))

    def operands(self, index: int) -> list[Operand]:
        """The local operands of an instruction that touch any byte."""
        known = self._operands.get(index)
        if known is None:
            rows = range(self._rows[index], self._rows[index + 1])
            known = self._operands[index] = [operand for row in rows if (operand := self._operand(row))]
        return known

    def _relation(self, first: int, second: int) -> bool | list[Pair]:
        sets, _ = self.registers(first)
        also, uses = self.registers(second)
        if sets & (also | uses):
            return True
        pairs = [
            (mine, other)
            for mine in self.operands(first)
            for other in self.operands(second)
            if (mine.write or other.write) and mine.hull[0] < other.hull[1] and other.hull[0] < mine.hull[1]
        ]
        if any(mine.fixed and other.fixed for mine, other in pairs):
            return True
        return pairs or False

    def _reach(self, operand: Operand, index: int, counters: Counters) -> Reach:
        shift = 0
        for depth, stride, offset, modulus in operand.terms:
            count = counters[depth]
            shift += stride * ((count + offset) % modulus if modulus else count)
        if operand.register >= 0:
            value = self._value(operand.register, index, counters)
            if value is None:
                return 0, self.view.arch.core.local_memory
            shift += value
        return operand.low + shift, operand.high + shift

    def _value(self, register: int, index: int, counters: Counters) -> int | None:
        """What the execution at `counters` finds in a register; None if it is loaded."""
        timeline = self.view.timeline
        time = int(timeline.start[index])
        for loop, count in zip(timeline.loops(index), counters, strict=True):
            time += timeline.length[loop] * count
        times, values, known = self._writes(register)
        place = bisect_left(times, time) - 1  # a write at the same step comes later
        return values[place] if known[place] else None

    def _writes(self, register: int) -> tuple[Sequence[int], Sequence[int], Sequence[bool]]:
        if register not in self._listed:
            scalars = self.view.scalars
            if scalars.reason:
                raise TooMuch(f"core {self.view.program.core}: {scalars.reason}")
            times, values, known = scalars.columns[register]
            self._listed[register] = times.tolist(), values.tolist(), known.tolist()
        return self._listed[register]

    @cached_property
    def _listed(self) -> dict[int, tuple[list[int], list[int], list[bool]]]:
        return {}

    @cached_property
    def _registers(self) -> dict[int, tuple[int, int]]:
        """By instruction that has any: the registers that it sets, and those that it uses."""
        columns = self.view.section.columns
        found: dict[int, tuple[int, int]] = {}
        for index in np.flatnonzero(WRITES_REGISTER[columns["op"]]).tolist():
            instr = self.view.section.decode(index)
            sources = arguments(instr)[1] if instr.spec.scalar is not None else []
            found[index] = 1 << instr.arg0, sum({1 << number for number in sources})
        for row in np.flatnonzero(columns["reg"] >= 0).tolist():
            index = int(self.view.accesses.instruction[row])
            sets, uses = found.get(index, (0, 0))
            found[index] = sets, uses | 1 << int(columns["reg"][row])
        return found

    @cached_property
    def _rows(self) -> list[int]:
        """The first operand of each instruction, and one past the last."""
        columns = self.view.section.columns
        return [*columns["operand"].tolist(), len(columns["base"])]

    def _operand(self, row: int) -> Operand | None:
        write, used, low, high, base, register, lowest, highest, terms = self._columns[row]
        if not used:
            return None
        found = (
            tuple((t.loop, t.stride, t.offset, t.modulus) for t in terms_of(self.view.section, row)) if terms else ()
        )
        return Operand(write, base + low, base + high, found, register, (lowest, highest))

    @cached_property
    def _columns(self) -> list[tuple[bool, bool, int, int, int, int, int, int, int]]:
        a, columns = self.view.accesses, self.view.section.columns
        low, high, known = self.view.extents
        whole = np.where(known, low, -EVERYWHERE), np.where(known, high, EVERYWHERE)
        used = self.view.used & ~a.is_global
        parts = (a.write, used, a.low, a.high, columns["base"], columns["reg"], *whole, columns["terms"])
        return list(zip(*(part.tolist() for part in parts), strict=True))
