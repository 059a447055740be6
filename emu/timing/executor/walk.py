"""The operations of a section in the order of the program, loops unrolled, with the bytes and registers they use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from emu.core.scalar import arguments, make_scalar
from emu.core.sequencer import Sequencer
from emu.isa.address import Address
from emu.isa.instruction import CrossbarUse
from emu.program.group import rivals
from emu.program.section import Instr
from emu.replay.core_view import SectionView

Range = tuple[int, int]  # of bytes, half open


@dataclass(frozen=True, slots=True)
class WalkedOperation:
    """One execution: which bytes of local memory and which registers it reads and writes."""

    number: int
    instruction: int
    reads: tuple[Range, ...]
    writes: tuple[Range, ...]
    uses: frozenset[int]
    sets: frozenset[int]
    group: int = -1  # what it multiplies with, or writes
    writes_to: frozenset[int] = frozenset()  # groups on the crossbars that it writes: its own, and rivals in the bank

    def conflicts(self, earlier: WalkedOperation, has_read: bool) -> bool:
        """Whether it may not start while `earlier` is not finished, and has read its operands or not."""
        return bool(
            earlier.sets & (self.uses | self.sets)
            or _meet(self.reads, earlier.writes)
            or _meet(self.writes, earlier.writes)
            or (not has_read and _meet(self.writes, earlier.reads))
            or earlier.group in self.writes_to
            or self.group in earlier.writes_to
        )


@dataclass(frozen=True, slots=True)
class _Operand:
    """A local operand that accesses bytes: its address, and where its bytes begin and end from there."""

    address: Address
    low: int
    high: int
    read: bool
    write: bool


@dataclass(frozen=True, eq=False)
class SectionWalk:
    """All that is to be known of a section to walk through it."""

    view: SectionView

    @cached_property
    def _operands(self) -> dict[int, list[_Operand]]:
        return {}

    def operations(self) -> Iterator[WalkedOperation]:
        """Every operation, in order."""
        at, number = Sequencer(self.view.section), 0
        registers: list[int | None] = [0] * self.view.arch.core.registers  # None: loaded, so unknown
        while not at.at_end:
            if at.at_loop:
                at.enter()
                continue
            instr = self.view.section.instr(at.pc)
            yield self._operation(number, at.pc, instr, at.counters, registers)
            _compute(instr, registers)
            number += 1
            at.next()

    def _operation(
        self, number: int, index: int, instr: Instr, counters: list[int], registers: list[int | None]
    ) -> WalkedOperation:
        operands = self._of(index, instr)
        ranges = [self._range(operand, counters, registers) for operand in operands]
        sources = arguments(instr)[1] if instr.spec.scalar is not None else []
        in_addresses = [address.reg for address in instr.operands if address.reg >= 0]
        return WalkedOperation(
            number,
            index,
            tuple(reach for reach, operand in zip(ranges, operands, strict=True) if operand.read),
            tuple(reach for reach, operand in zip(ranges, operands, strict=True) if operand.write),
            frozenset([*sources, *in_addresses]),
            frozenset([instr.arg0] if "rd" in instr.spec.fields else []),
            *self._crossbars(instr),
        )

    def _crossbars(self, instr: Instr) -> tuple[int, frozenset[int]]:
        """The group of the instruction and those whose crossbars it writes, as a `WalkedOperation` says it."""
        use = instr.spec.crossbar
        if use is None:
            return -1, frozenset()
        return instr.arg0, self._standing[instr.arg0] if use is CrossbarUse.WRITE else frozenset()

    @cached_property
    def _standing(self) -> list[frozenset[int]]:
        """Per group, the groups that stand on its crossbars."""
        return [frozenset((number, *others)) for number, others in enumerate(rivals(self.view.program.groups))]

    def _of(self, index: int, instr: Instr) -> list[_Operand]:
        known = self._operands.get(index)
        if known is None:
            a, first = self.view.accesses, int(self.view.section.columns["operand"][index])
            known = self._operands[index] = [
                _Operand(address, int(a.low[row]), int(a.high[row]), bool(a.read[row]), bool(a.write[row]))
                for row, address in enumerate(instr.operands, first)
                if a.elements[row] and not a.is_global[row]
            ]
        return known

    def _range(self, operand: _Operand, counters: list[int], registers: list[int | None]) -> Range:
        register = operand.address.reg
        if register >= 0 and registers[register] is None:
            return 0, self.view.arch.core.local_memory
        begin = operand.address.value(counters, [value or 0 for value in registers])
        return begin + operand.low, begin + operand.high


def _compute(instr: Instr, registers: list[int | None]) -> None:
    if "rd" not in instr.spec.fields:
        return
    compute, known = make_scalar(instr), [0 if value is None else value for value in registers]
    unknown = compute is None or any(registers[source] is None for source in arguments(instr)[1])
    registers[instr.arg0] = None if unknown or compute is None else compute(known)


def _meet(some: tuple[Range, ...], others: tuple[Range, ...]) -> bool:
    return any(a < d and c < b for a, b in some for c, d in others)
