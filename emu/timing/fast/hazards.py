"""Which operations of a section may not overlap in time: they share bytes of local memory, registers or crossbars."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from emu.core.scalar import arguments
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.operands.timeline import TooMuch
from emu.program.group import rivals
from emu.replay.core_view import SectionView
from emu.replay.scalars import WRITES_REGISTER
from emu.timing.fast.body import Counters
from emu.timing.fast.operands import Operands, Reach, TimedOperand

NOTHING, READING, END = range(3)  # what an operation waits for of an earlier one: until it has read, until it ends
Pair = tuple[
    int, TimedOperand, TimedOperand
]  # what is waited for if they meet, of the earlier operand and the later one
Relation = int | tuple[int, list[Pair]]  # what is waited for; or that at least, and pairs that may demand more


@dataclass(frozen=True, eq=False)
class Hazards:
    """Of one section; answers are kept per pair of instructions."""

    view: SectionView
    operands: Operands
    _known: dict[int, Relation] = field(default_factory=dict[int, "Relation"])

    def meet(self, first: int, before: Counters, second: int, counters: Counters) -> int:
        """What instruction `second` at `counters` must wait for, of the earlier `first` at `before`."""
        key = first << 32 | second
        relation = self._known.get(key)
        if relation is None:
            relation = self._known[key] = self._relation(first, second)
        if isinstance(relation, int):
            return relation
        found, pairs = relation
        for level, mine, other in pairs:
            low, high = self._reach(mine, first, before)
            begin, end = self._reach(other, second, counters)
            if level > found and low < end and begin < high:
                found = level
        return found

    def registers(self, index: int) -> tuple[int, int]:
        """The registers that an instruction sets, and those that it uses, as bits."""
        return self._registers.get(index, (0, 0))

    def _relation(self, first: int, second: int) -> Relation:
        """What is always to be waited for; or the operands that decide it, with what they demand if they meet."""
        if self._written and (
            self._groups[first] in self._written.get(second, ()) or self._groups[second] in self._written.get(first, ())
        ):
            return END
        if self._registers:
            sets, _ = self.registers(first)
            also, uses = self.registers(second)
            if sets & (also | uses):
                return END
        starts, low, high, write, same, _ = self.operands.hulls
        others = range(starts[second], starts[second + 1])
        found, unsure = NOTHING, list[tuple[int, int, int]]()
        for mine in range(starts[first], starts[first + 1]):
            begin, end, writes = low[mine], high[mine], write[mine]
            for other in others:
                if low[other] < end and begin < high[other] and (writes or write[other]):
                    level = END if writes else READING
                    if same[mine] and same[other]:
                        found = max(found, level)
                    else:
                        unsure.append((level, mine, other))
        if not unsure:
            return found
        operand = self.operands.operand
        pairs = [(level, operand(mine), operand(other)) for level, mine, other in unsure if level > found]
        return (found, pairs) if pairs else found

    def _reach(self, operand: TimedOperand, index: int, counters: Counters) -> Reach:
        shift = 0
        for depth, stride, offset, modulus in operand.terms:
            count = counters[depth]
            shift += stride * ((count + offset) % modulus if modulus else count)
        if operand.register >= 0:
            value = self._value(operand.register, index, counters)
            if value is None:
                return 0, self.view.arch.core.local_memory
            shift += value
        low, high = operand.reach
        return low + shift, high + shift

    def _value(self, register: int, index: int, counters: Counters) -> int | None:
        """What the execution at `counters` finds in a register; None if it is loaded."""
        time = self.view.timeline.step_of(index, counters)
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
    def _groups(self) -> list[int]:
        """Per instruction the array group that it uses; -1 for none."""
        columns = self.view.section.columns
        return np.where(ON_GROUP[columns["op"]], columns["arg0"], -1).tolist()

    @cached_property
    def _written(self) -> dict[int, frozenset[int]]:
        """By instruction that writes crossbars: the groups that stand on them."""
        groups, op = self.view.program.groups, self.view.section.columns["op"]
        writes = np.flatnonzero(WRITES_GROUP[op]).tolist()
        if not writes:
            return {}
        standing = [frozenset((number, *others)) for number, others in enumerate(rivals(groups))]
        return {index: standing[self._groups[index]] for index in writes}

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
