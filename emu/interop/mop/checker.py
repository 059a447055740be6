"""Checks flows without data: addresses, crossbars, rows, mode; reads of what nothing wrote; races in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from emu.errors import ProgramError
from emu.interop.mop.accesses import MEMORY, ElementRuns, OperatorAccesses, Rules
from emu.interop.mop.beside import named_beside, writes_beside_products
from emu.interop.mop.chip import MopChip
from emu.interop.mop.flow import Flow, Operator, OperatorBlock
from emu.interop.mop.marks import FRESH, NEVER, WRITTEN, Marks
from emu.wording import counted

MAX_FAULTS = 20  # that are told


class OperatorFault(NamedTuple):
    """What is wrong with an operator of a line."""

    line: int
    column: int
    sentence: str


@dataclass(frozen=True, slots=True)
class FlowVerdict:
    """What a check found: no faults, or the first of them."""

    chip: MopChip
    operators: int
    blocks: int
    faults: tuple[OperatorFault, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "arch": self.chip.name,
            "mode": self.chip.mode,
            "operators": self.operators,
            "blocks": self.blocks,
            "faults": [fault._asdict() for fault in self.faults],
        }


def check_flow(flow: Flow, chip: MopChip) -> FlowVerdict:
    """Take all blocks of `flow`, which raises ProgramError for a malformed one, and check them on `chip`."""
    checker = Checker(flow, chip)
    for block in flow.blocks:
        checker.take(block)
        if len(checker.faults) >= MAX_FAULTS:
            break
    else:
        checker.finish()
    return checker.report()


def chip_for(flow: Flow, given: MopChip | None) -> MopChip:
    """The chip that is given, or else the one that the flow declares; raises ProgramError if there is none."""
    chip = given or flow.header.chip
    if chip is None:
        raise ProgramError("the flow declares no chip: give one, or add a line //@ chip")
    return chip


class Checker:
    """Takes the blocks of a flow one by one; `faults` are what is wrong so far."""

    def __init__(self, flow: Flow, chip: MopChip) -> None:
        self.header, self.chip, self.faults = flow.header, chip, list[OperatorFault]()
        self._marks = Marks()
        self._operators = self._blocks = 0
        bits = self.header.numbers.weight_bits
        if not chip.columns(bits):
            self.faults.append(
                OperatorFault(
                    1, 1, f"a crossbar of {chip.cols} columns cannot hold a weight of {chip.slices(bits)} cells"
                )
            )
            return
        self._rules = Rules(chip, self.header.numbers)
        for tensor in self.header.inputs:
            self._declared(f"input {tensor.name!r}", tensor.address, tensor.size, write=True)

    def take(self, block: OperatorBlock) -> list[tuple[Operator, OperatorAccesses]]:
        """Check a block; returns what its operators access, those aside that read what they may not."""
        known: list[tuple[Operator, OperatorAccesses]] = []
        if self.faults and not self._blocks:
            return known  # the chip cannot be
        self._blocks += 1
        self._operators += len(block.operators)
        beside = dict(writes_beside_products(block.operators)) if block.parallel else {}
        for place, operator in enumerate(block.operators):
            if place in beside:
                self._fault(operator, beside[place])
                continue
            try:
                found = self._rules.accesses(operator)
                for access in found.reads:
                    if self._marks.find(access, NEVER) >= 0:
                        raise ValueError(f"reads {_named(access)}, of which nothing has written all")
                known.append((operator, found))
            except ValueError as error:
                self._fault(operator, str(error))
        if block.parallel:
            self._side_by_side(known)
        else:
            for operator, found in known:
                self._write(operator, found, WRITTEN, ())
        return known

    def finish(self) -> None:
        """Check that the outputs were made."""
        for tensor in self.header.outputs:
            self._declared(f"output {tensor.name!r}", tensor.address, tensor.size, write=False)

    def report(self) -> FlowVerdict:
        """What was found."""
        return FlowVerdict(self.chip, self._operators, self._blocks, tuple(self.faults[:MAX_FAULTS]))

    # ------------------------------------------------------------------------------------------------------------

    def _fault(self, operator: Operator, sentence: str) -> None:
        self.faults.append(OperatorFault(operator.line, operator.column, f"{operator.name}: {sentence}"))

    def _declared(self, what: str, address: int, size: int, *, write: bool) -> None:
        """Mark an input as written, or look whether an output is."""
        access = ElementRuns(MEMORY, address, size)
        try:
            if access.end > self.chip.memory:
                raise ValueError(f"memory has {self.chip.memory} elements: element {access.end - 1} is beyond it")
            if write:
                self._marks.put(access, WRITTEN)
            elif self._marks.find(access, NEVER) >= 0:
                raise ValueError(f"reads {_named(access)}, of which nothing has written all")
        except ValueError as error:
            self.faults.append(OperatorFault(1, 1, f"{what}: {error}"))

    def _side_by_side(self, known: Sequence[tuple[Operator, OperatorAccesses]]) -> None:
        """Operators that start at once: what one writes no other writes or reads."""
        written: list[tuple[Operator, Sequence[ElementRuns]]] = []
        for operator, found in known:
            written.append((operator, self._write(operator, found, FRESH, written)))
        for place, (operator, found) in enumerate(known):
            self._race(operator, found, place, written)
        for _, writes in written:
            for access in writes:
                self._marks.put(access, WRITTEN)

    def _write(
        self,
        operator: Operator,
        found: OperatorAccesses,
        mark: int,
        written: Sequence[tuple[Operator, Sequence[ElementRuns]]],
    ) -> Sequence[ElementRuns]:
        """Mark what an operator writes, and return it, up to what another one of its block has written."""
        for done, access in enumerate(found.writes):
            try:
                if mark == FRESH and (at := self._marks.find(access, FRESH)) >= 0:
                    raise ValueError(f"writes {_named(access)}, as {_writer(written, access, at)} does")
                self._marks.put(access, mark)
            except ValueError as error:
                self._fault(operator, str(error))
                return found.writes[:done]
        return found.writes

    def _race(
        self,
        operator: Operator,
        found: OperatorAccesses,
        place: int,
        written: Sequence[tuple[Operator, Sequence[ElementRuns]]],
    ) -> None:
        """Look whether an operator reads what another one of its block writes."""
        marks, own = self._marks, written[place][1]
        if all(marks.find(access, FRESH) < 0 for access in found.reads):
            return
        for access in own:
            marks.put(access, WRITTEN)
        for access in found.reads:
            if (at := marks.find(access, FRESH)) >= 0:
                self._fault(operator, f"reads {_named(access)}, which {_writer(written, access, at)} writes")
                break
        for access in own:
            marks.put(access, FRESH)


def _writer(written: Sequence[tuple[Operator, Sequence[ElementRuns]]], access: ElementRuns, at: int) -> str:
    """In words, who wrote element `at` of the space of an access."""
    for operator, writes in written:
        if any(write.space == access.space and write.has(at) for write in writes):
            return named_beside(operator)
    raise AssertionError("a mark is of a write")


_SPACES = {  # one or several of what there are in a space, and where
    "memory": ("element", "of memory"),
    "input": ("element", "of the input register of xb{}"),
    "output": ("element", "of the output register of xb{}"),
    "cells": ("row", "of xb{}"),
}
_SHARED = {"periphery": "the converters of xb{}", "core": "core{}"}  # what only one operator at a time uses


def _named(access: ElementRuns) -> str:
    """What is accessed, in words."""
    kind, number = access.space
    if kind in _SHARED:
        return _SHARED[kind].format(number)
    noun, place = _SPACES[kind]
    several = access.end - access.start > 1
    part = f"{noun}s {access.start} to {access.end - 1}" if several else f"{noun} {access.start}"
    return f"{part} {place.format(number)}"


def told(file_name: str, report: FlowVerdict) -> list[str]:
    """The faults of a report as lines, each with file, line and column."""
    return [f"{file_name}:{fault.line}:{fault.column}: {fault.sentence}" for fault in report.faults]


def summary(report: FlowVerdict) -> str:
    """One line about a check."""
    size = f"{counted(report.operators, 'operator')} in {counted(report.blocks, 'block')}"
    found = "nothing is wrong" if report.passed else counted(len(report.faults), "fault")
    return f"{size}, chip {report.chip.name} (mode {report.chip.mode}): {found}"
