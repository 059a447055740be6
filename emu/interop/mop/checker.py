"""Checks flows without data: addresses, crossbars, rows, mode; reads of what nothing wrote; races in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emu.errors import ProgramError
from emu.interop.mop.accesses import MEMORY, Access, Accesses, Rules, Space
from emu.interop.mop.beside import named_beside, writes_beside_products
from emu.interop.mop.chip import Chip
from emu.interop.mop.flow import Block, Flow, Operator
from emu.wording import counted

MAX_MEMORY = 1 << 27  # elements of memory that a flow may touch here
MAX_REGISTERS = 1 << 26  # elements of registers and rows of cells, of all crossbars together
MAX_FAULTS = 20  # that are told
_GIVEN, _FIRST = 1, 2  # stamps: of inputs, of the first operator


class Fault(NamedTuple):
    """What is wrong with an operator of a line."""

    line: int
    column: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found: no faults, or the first of them."""

    chip: Chip
    operators: int
    blocks: int
    faults: tuple[Fault, ...]

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


def check_flow(flow: Flow, chip: Chip) -> Report:
    """Take all blocks of `flow`, which raises ProgramError for a malformed one, and check them on `chip`."""
    checker = Checker(flow, chip)
    for block in flow.blocks:
        checker.take(block)
        if len(checker.faults) >= MAX_FAULTS:
            break
    else:
        checker.finish()
    return checker.report()


def chip_for(flow: Flow, given: Chip | None) -> Chip:
    """The chip that is given, or else the one that the flow declares; raises ProgramError if there is none."""
    chip = given or flow.header.chip
    if chip is None:
        raise ProgramError("the flow declares no chip: give one, or add a line //@ chip")
    return chip


class Checker:
    """Takes the blocks of a flow one by one; `faults` are what is wrong so far.

    Every element has a stamp: 0 if nothing has written it, else the number of the operator that wrote it last.
    """

    def __init__(self, flow: Flow, chip: Chip) -> None:
        self.header, self.chip, self.faults = flow.header, chip, list[Fault]()
        self._stamps: dict[Space, np.ndarray] = {MEMORY: np.zeros(1 << 12, np.int32)}
        self._room = MAX_REGISTERS
        self._next, self._blocks = _FIRST, 0
        bits = self.header.numbers.weight_bits
        if not chip.columns(bits):
            self.faults.append(
                Fault(1, 1, f"a crossbar of {chip.cols} columns cannot hold a weight of {chip.slices(bits)} cells")
            )
            return
        self._rules = Rules(chip, self.header.numbers)
        for tensor in self.header.inputs:
            self._declared(f"input {tensor.name!r}", tensor.address, tensor.size, write=True)

    def take(self, block: Block) -> int:
        """Check a block; returns the number of faults that it added."""
        before, first = len(self.faults), self._next
        if self.faults and self._next == _FIRST:
            return 0  # the chip cannot be
        self._blocks += 1
        known: list[tuple[Operator, Accesses]] = []
        beside = dict(writes_beside_products(block.operators)) if block.parallel else {}
        for place, operator in enumerate(block.operators):
            if place in beside:
                self._fault(operator, beside[place])
                continue
            try:
                found = self._rules.accesses(operator)
                for access in found.reads:
                    self._read(access)
                known.append((operator, found))
            except ValueError as error:
                self._fault(operator, str(error))
        operators = [operator for operator, _ in known]
        for number, (operator, found) in enumerate(known, first):
            self._write(operator, found, number, first, operators)
        if block.parallel:
            for number, (operator, found) in enumerate(known, first):
                self._race(operator, found, number, first, operators)
        self._next = first + len(block.operators)
        return len(self.faults) - before

    def finish(self) -> None:
        """Check that the outputs were made."""
        for tensor in self.header.outputs:
            self._declared(f"output {tensor.name!r}", tensor.address, tensor.size, write=False)

    def report(self) -> Report:
        """What was found."""
        return Report(self.chip, self._next - _FIRST, self._blocks, tuple(self.faults[:MAX_FAULTS]))

    # ------------------------------------------------------------------------------------------------------------

    def _fault(self, operator: Operator, sentence: str) -> None:
        self.faults.append(Fault(operator.line, operator.column, f"{operator.name}: {sentence}"))

    def _declared(self, what: str, address: int, size: int, *, write: bool) -> None:
        """Mark an input as written, or look whether an output is."""
        access = Access(MEMORY, address, size)
        try:
            if access.end > self.chip.memory:
                raise ValueError(f"memory has {self.chip.memory} elements: element {access.end - 1} is beyond it")
            if write:
                self._stamped(access)[...] = _GIVEN
            else:
                self._read(access)
        except ValueError as error:
            self.faults.append(Fault(1, 1, f"{what}: {error}"))

    def _stamped(self, access: Access) -> np.ndarray:
        """The stamps of what is accessed, to read or write: [run][element]."""
        stamps = self._stamps.get(access.space)
        if stamps is None or len(stamps) < access.end:
            self._stamps[access.space] = stamps = self._grown(access, stamps)
        if access.runs == 1:
            return stamps[access.start : access.end].reshape(1, -1)
        shape, strides = (access.runs, access.length), (4 * access.stride, 4)
        return np.lib.stride_tricks.as_strided(stamps[access.start : access.end], shape, strides)

    def _grown(self, access: Access, stamps: np.ndarray | None) -> np.ndarray:
        """Room for what is accessed; raises ValueError if that is more than can be held here."""
        if access.space == MEMORY:
            if access.end > MAX_MEMORY:
                raise ValueError(f"element {access.end - 1} is beyond the {MAX_MEMORY} that can be held here")
            grown = np.zeros(min(MAX_MEMORY, 2 * access.end), np.int32)
        else:
            size = max(access.end, 1 << 7, 2 * len(stamps) if stamps is not None else 0)
            self._room -= size
            if self._room < 0:
                raise ValueError(
                    f"the flow uses more than the {MAX_REGISTERS} elements of registers that are held here"
                )
            grown = np.zeros(size, np.int32)
        if stamps is not None:
            grown[: len(stamps)] = stamps
        return grown

    def _read(self, access: Access) -> None:
        """Raise ValueError if some of it was never written."""
        stamps = self._stamps.get(access.space)
        if stamps is None or access.end > len(stamps) or not self._stamped(access).all():
            raise ValueError(f"reads {_named(access)}, of which nothing has written all")

    def _write(
        self, operator: Operator, found: Accesses, number: int, first: int, operators: Sequence[Operator]
    ) -> None:
        for access in found.writes:
            try:
                stamps = self._stamped(access)
            except ValueError as error:
                self._fault(operator, str(error))
                return
            if (others := stamps[stamps >= first]).size:
                other = named_beside(operators[int(others.flat[0]) - first])
                self._fault(operator, f"writes {_named(access)}, as {other} does")
                return
            stamps[...] = number

    def _race(
        self, operator: Operator, found: Accesses, number: int, first: int, operators: Sequence[Operator]
    ) -> None:
        for access in found.reads:
            stamps = self._stamped(access)
            if (others := stamps[(stamps >= first) & (stamps != number)]).size:
                other = named_beside(operators[int(others.flat[0]) - first])
                self._fault(operator, f"reads {_named(access)}, which {other} writes")
                return


_SPACES = {  # one or several of what there are in a space, and where
    "memory": ("element", "of memory"),
    "input": ("element", "of the input register of xb{}"),
    "output": ("element", "of the output register of xb{}"),
    "cells": ("row", "of xb{}"),
}
_SHARED = {"periphery": "the converters of xb{}", "core": "core{}"}  # what only one operator at a time uses


def _named(access: Access) -> str:
    """What is accessed, in words."""
    kind, number = access.space
    if kind in _SHARED:
        return _SHARED[kind].format(number)
    noun, place = _SPACES[kind]
    several = access.end - access.start > 1
    part = f"{noun}s {access.start} to {access.end - 1}" if several else f"{noun} {access.start}"
    return f"{part} {place.format(number)}"


def told(file_name: str, report: Report) -> list[str]:
    """The faults of a report as lines, each with file, line and column."""
    return [f"{file_name}:{fault.line}:{fault.column}: {fault.sentence}" for fault in report.faults]


def summary(report: Report) -> str:
    """One line about a check."""
    size = f"{counted(report.operators, 'operator')} in {counted(report.blocks, 'block')}"
    found = "nothing is wrong" if report.passed else counted(len(report.faults), "fault")
    return f"{size}, chip {report.chip.name} (mode {report.chip.mode}): {found}"
