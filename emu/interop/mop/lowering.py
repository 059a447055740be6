"""Flows as programs of one core of the machine, block by block, each checked before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch, Core, Crossbar
from emu.errors import ProgramError
from emu.interop.mop.arrays import Arrays
from emu.interop.mop.checker import Checker
from emu.interop.mop.chip import Chip
from emu.interop.mop.elements import Elements
from emu.interop.mop.emitter import Emitter
from emu.interop.mop.flow import Flow, Header, Operator
from emu.interop.mop.products import Products
from emu.interop.mop.windows import Windows
from emu.program.program import Program, Source
from emu.program.validate import validate_program


@dataclass(frozen=True, slots=True)
class LoweredFlow:
    """A flow as a program, of which the sources are operators with their lines; `weights`: of its array groups."""

    header: Header
    file_name: str
    program: Program
    arch: Arch
    weights: tuple[np.ndarray, ...]


def lower_flow(flow: Flow, chip: Chip, arrays: Mapping[str, np.ndarray], file_name: str) -> LoweredFlow:
    """Check and lower all blocks of `flow`; raises ProgramError with the place of the first fault.

    What stands in a parallel block is lowered one after the other: nothing in it depends on the order, or it were not
    right.
    """
    checker = Checker(flow, chip)
    _refuse(checker, file_name)
    lowering = Lowering(flow.header, chip, Arrays(arrays, flow.header.numbers))
    for block in flow.blocks:
        checker.take(block)
        _refuse(checker, file_name)
        for operator in block.operators:
            try:
                lowering.take(operator)
            except ValueError as error:
                raise ProgramError(f"{file_name}:{_place(operator)}: {error}") from None
    checker.finish()
    _refuse(checker, file_name)
    return lowering.finish(file_name)


def _place(operator: Operator) -> str:
    """Where an operator stands in the text, as sentences begin."""
    return f"{operator.line}:{operator.column}: {operator.name}"


def _refuse(checker: Checker, file_name: str) -> None:
    if checker.faults:
        fault = checker.faults[0]
        raise ProgramError(f"{file_name}:{fault.line}:{fault.column}: {fault.sentence}")


class Lowering:
    """Takes checked operators one by one."""

    def __init__(self, header: Header, chip: Chip, arrays: Arrays) -> None:
        self._header = header
        self._emitter = emitter = Emitter(header.numbers)
        self._products = Products(emitter, chip, header.numbers, arrays)
        registers = {"input": chip.rows, "output": chip.columns(header.numbers.weight_bits)}
        self._elements = Elements(emitter, arrays, registers)
        windows = Windows(emitter, self._products)
        self._lowered: dict[str, Callable[..., None]] = {**self._products.lowered, **windows.lowered}
        self._sources: list[Source] = []
        for tensor in (*header.inputs, *header.outputs):
            emitter.memory.element(tensor.address, tensor.size)

    def take(self, operator: Operator) -> None:
        """Append what an operator does; raises ValueError with a sentence."""
        self._emitter.source = len(self._sources)
        self._sources.append(Source("", _place(operator)))
        if operator.name in self._lowered:
            self._lowered[operator.name](*operator.args)
        else:
            self._elements.lower(operator)

    def finish(self, file_name: str) -> LoweredFlow:
        """The program of what was taken."""
        main, memory, groups = self._emitter.finish(), self._emitter.memory, tuple(self._products.groups)
        program = Program(0, groups, memory.finish(main), main=main, sources=tuple(self._sources))
        crossbar = Crossbar(self._products.rows, self._products.columns)  # of cells that hold a whole weight
        core = Core(program.crossbars, memory.nbytes)
        arch = Arch(f"flow {file_name}", 1, core, crossbar)
        validate_program(program, arch, file_name)
        return LoweredFlow(self._header, file_name, program, arch, tuple(self._products.weights))
