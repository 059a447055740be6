"""Flows as programs of one core of the machine: their steps, rolled into loops, become instructions."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from emu.arch import Arch, Core, Crossbar
from emu.errors import ProgramError
from emu.interop.mop.accesses import APART, MEMORY, ElementRuns, OperatorAccesses
from emu.interop.mop.arrays import Arrays
from emu.interop.mop.checker import Checker
from emu.interop.mop.chip import MopChip
from emu.interop.mop.elements import ElementLowering
from emu.interop.mop.emitter import Emit, SectionEmitter, Step
from emu.interop.mop.flow import Flow, FlowHeader, Named, Operand, Operator
from emu.interop.mop.operators import OPERATORS
from emu.interop.mop.products import Products
from emu.interop.mop.windows import Windows
from emu.interop.rolling.roll import roll
from emu.interop.rolling.rolled import Rolled, items_in_loops, joined
from emu.isa.address import Address
from emu.program.program import Program, Source
from emu.program.validate import validate_program

TOGETHER = 1 << 18  # steps that are rolled at a time
_PLACES = ("source", "destination", "memory", "core")
_FIELDS = 4  # of a step: its kind, at most 3 places


@dataclass(frozen=True, slots=True)
class LoweredFlow:
    """A flow as a program; `weights`: of its array groups.

    The source of an instruction is an operator and an item of `steps`, each of which is of a line and column.
    """

    header: FlowHeader
    file_name: str
    program: Program
    arch: Arch
    weights: tuple[np.ndarray, ...]
    steps: Rolled
    lines: np.ndarray  # int64 [steps, 2]

    def where(self, instruction: int, counters: tuple[int, ...]) -> str:
        """The place of the operator that an instruction is of, as sentences begin."""
        source = self.program.sources[int(self.program.main.columns["source"][instruction])]
        item = int(source.part)
        within = counters[: int(self.steps.depth[item])]  # the loops of the flow; those inside are of the operator
        line, column = self.lines[self.steps.timeline.step_of(item, within)].tolist()
        return f"{self.file_name}:{line}:{column}: {source.node}"


def lower_flow(flow: Flow, chip: MopChip, arrays: Mapping[str, np.ndarray], file_name: str) -> LoweredFlow:
    """Check and lower all blocks of `flow`; raises ProgramError with the place of the first fault.

    What stands in a parallel block is lowered one after the other: nothing in it depends on the order, or it were not
    right.
    """
    checker = Checker(flow, chip)
    _refuse(checker, file_name)
    lowering = FlowLowering(flow.header, chip, Arrays(arrays, flow.header.numbers))
    for block in flow.blocks:
        known = checker.take(block)
        _refuse(checker, file_name)
        for operator, found in known:
            try:
                lowering.take(operator, found)
            except ValueError as error:
                where = f"{file_name}:{operator.line}:{operator.column}: {operator.name}"
                raise ProgramError(f"{where}: {error}") from None
    checker.finish()
    _refuse(checker, file_name)
    return lowering.finish(file_name)


def _refuse(checker: Checker, file_name: str) -> None:
    if checker.faults:
        fault = checker.faults[0]
        raise ProgramError(f"{file_name}:{fault.line}:{fault.column}: {fault.sentence}")


class FlowLowering:
    """Takes checked operators one by one.

    An operator is steps, mostly one. Everything of a step but its places is its kind, which has a number: steps of one
    kind whose places move evenly become a loop.
    """

    def __init__(self, header: FlowHeader, chip: MopChip, arrays: Arrays) -> None:
        self._header, self._chip = header, chip
        registers = {"input": chip.rows, "output": chip.columns(header.numbers.weight_bits)}
        self._emitter = emitter = SectionEmitter(header.numbers, registers)
        self._products = products = Products(emitter, chip, header.numbers, arrays)
        windows, elements = Windows(emitter, products), ElementLowering(emitter, arrays)
        self._prepare: dict[str, Callable[..., Emit]] = {
            name: (products if row.crossbars else windows if "params" in row.places else elements).prepare
            for name, row in OPERATORS.items()
        }
        self._numbers: dict[Hashable, int] = {}
        self._kinds: list[tuple[str, Emit, int]] = []  # their operators, what they do, how many places they have
        self._rows, self._lines = array("q"), array("q")  # of each step its kind and places, its line and column
        self._rolled: list[Rolled] = []
        for tensor in (*header.inputs, *header.outputs):
            emitter.memory.place(ElementRuns(MEMORY, tensor.address, tensor.size))

    def take(self, operator: Operator, found: OperatorAccesses) -> None:
        """Note what an operator does; raises ValueError with a sentence."""
        steps = self._products.steps.get(operator.name, _step)
        for kind, places in steps(operator, found):
            key = (kind, *[place.space[0] for place in places])  # a loop stays in a space: these are placed apart
            number = self._numbers.get(key)
            if number is None:
                number = len(self._kinds)
                self._kinds.append((operator.name, self._prepare[operator.name](*kind), len(places)))
                self._numbers[key] = number
            row = [number, *map(self._emitter.memory.place, places)]
            self._rows.extend(row + [0] * (_FIELDS - len(row)))
            self._lines.extend((operator.line, operator.column))
            if len(self._rows) == TOGETHER * _FIELDS:
                self._roll()

    def _roll(self) -> None:
        rows = np.frombuffer(self._rows, np.int64).reshape(-1, _FIELDS)
        self._rolled.append(roll(rows, (0,)))
        self._rows = array("q")

    def finish(self, file_name: str) -> LoweredFlow:
        """The program of what was taken."""
        self._roll()
        emitter, memory, steps, sources = self._emitter, self._emitter.memory, joined(self._rolled), list[Source]()
        for item, _ in items_in_loops(steps, emitter, ~steps.is_loop):
            emitter.source = len(sources)
            if not steps.is_loop[item]:
                number, *bases = steps.base[item].tolist()
                name, emit, count = self._kinds[number]
                sources.append(Source(name, str(item)))
                emit(*[Address(bases[at], steps.terms(item, at + 1)) for at in range(count)])
        main, groups = emitter.finish(), tuple(self._products.groups)
        program = Program(0, groups, memory.finish(main), main=main, sources=tuple(sources))
        crossbar = Crossbar(self._products.rows, self._products.columns)  # of cells that hold a whole weight
        arch = Arch(f"flow {file_name}", 1, Core(program.crossbars, memory.nbytes), crossbar)
        validate_program(program, arch, file_name)
        lines = np.frombuffer(self._lines, np.int64).reshape(-1, 2)
        return LoweredFlow(self._header, file_name, program, arch, tuple(self._products.weights), steps, lines)


def _step(operator: Operator, found: OperatorAccesses) -> Iterable[Step]:
    """The one step of an operator that works on no crossbar: it writes once, and all it reads are elements."""
    target, kinds = found.writes[0], OPERATORS[operator.name].operands.values()
    overlap = max([read.overlap(target) for read in found.reads], default=APART)
    given = [_fixed(kind, arg) for kind, arg in zip(kinds, operator.args, strict=True)]
    return (((operator.name, overlap, *given), (target, *found.reads)),)


def _fixed(kind: str, arg: Operand) -> Operand | None:
    """What an operand says but for the place that it is; numbers as text, in which -0.0 is not 0.0."""
    if kind == "number":
        return repr(float(cast(float, arg)))
    return None if kind in _PLACES and not isinstance(arg, Named) else arg
