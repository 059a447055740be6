"""The program of one core in PIM-ISA: what comes first, `init`, `main`; with loops, then unrolled piece by piece."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn

import numpy as np

from emu.arch import Arch
from emu.errors import ProgramError
from emu.foreign.exporting.crossbars import Cells, core_crossbars
from emu.foreign.exporting.lowering import LOWERING
from emu.foreign.exporting.memory import Constants, LocalAreas
from emu.foreign.exporting.refusal import Refusal
from emu.foreign.exporting.settled import Settled
from emu.foreign.exporting.template import UNTYPED, Template
from emu.foreign.exporting.unroll import Piece, unrolled
from emu.foreign.exporting.writer import CoreWriter, Hull
from emu.intervals import Intervals
from emu.isa.dtypes import DType
from emu.isa.instruction import Control, Family
from emu.program.hulls import address_hulls
from emu.program.program import Data, Program
from emu.program.section import Instr, Section
from emu.replay.accesses import make_accesses

_NO_SUCH = "PIM-ISA has no such instruction, nor others that it could be made of"
_MISSING = {Family.SCALAR: "registers are given by the export: programs that compute addresses are not exported"}


@dataclass(frozen=True, eq=False)
class LoweredCore:
    """A core ready to be written: rows with loops, and crossbars of each array group, with the type of its cells."""

    core: int
    templates: tuple[Template, ...]
    groups: tuple[int, ...]
    weights: tuple[DType, ...]

    def pieces(self) -> Iterator[Piece]:
        """Its instructions in order, without those that change nothing."""
        settled = Settled()
        for piece in chain.from_iterable(map(unrolled, self.templates)):
            yield settled.without(piece)

    @property
    def kinds(self) -> dict[int, set[DType]]:
        """Types of elements by width in bits."""
        found: dict[int, set[DType]] = {}
        for template in self.templates:
            for code in np.unique(template.types[template.types != UNTYPED]).tolist():
                found.setdefault(8 * DType(code).size, set()).add(DType(code))
        return found


def lower_core(program: Program, arch: Arch, cells: Cells, constants: Constants, where: str) -> LoweredCore:
    """Write a validated program in PIM-ISA; raises ProgramError naming core, instruction and node."""
    return _CoreLowering(program, arch, cells, constants, where).run()


class _CoreLowering:
    def __init__(self, program: Program, arch: Arch, cells: Cells, constants: Constants, where: str) -> None:
        self._program, self._where = program, f"{where}: core {program.core}"
        self._sections = {"init": program.init, "main": program.main}
        self._hulls = {name: _hulls(section, program) for name, section in self._sections.items()}
        crossbars = core_crossbars(program.groups, cells, self._where)
        areas = LocalAreas(self._local_end(), arch.core.local_memory)
        self._to = CoreWriter(crossbars, areas, constants)

    def run(self) -> LoweredCore:
        for address, size in self._program.state:
            self._to.clear_first(address, size)
        for data in _joined(self._program.data):  # state may begin with some
            self._to.at_first(data.address, data.content)
        for name, section in self._sections.items():
            self._range(name, section, 0, len(section))
        templates = tuple(part.finish() for part in self._to.parts)
        return LoweredCore(self._program.core, templates, tuple(self._to.crossbars.sizes), self._to.crossbars.weights)

    def _range(self, name: str, section: Section, begin: int, end: int) -> None:
        """Instructions `begin` to `end` of a section, all of whose loops they hold."""
        index = begin
        while index < end:
            instr = section.decode(index)
            control = instr.spec.control
            if control is Control.LOOP:
                if instr.n:
                    with self._to.loop(instr.n):
                        self._range(name, section, index + 1, instr.end)
                index = instr.end
                continue
            if control is None:  # others do nothing, or end what ends anyway
                self._lower(name, index, instr)
            index += 1

    def _lower(self, name: str, index: int, instr: Instr) -> None:
        lowering = LOWERING.get(instr.spec.name)
        if lowering is None:
            self._refuse(name, index, instr, _MISSING.get(instr.spec.family, _NO_SUCH))
        first = int(self._sections[name].columns["operand"][index])
        hulls = self._hulls[name][first : first + len(instr.operands)]
        try:
            lowering(self._to, instr, tuple(hulls))
        except Refusal as refusal:
            self._refuse(name, index, instr, str(refusal))

    def _refuse(self, name: str, index: int, instr: Instr, why: str) -> NoReturn:
        node = f" of node {self._program.sources[instr.source].node!r}" if instr.source >= 0 else ""
        raise ProgramError(f"{self._where}, {name}[{index}] ({instr.text}){node}: {why}")

    def _local_end(self) -> int:
        """The byte behind the last one of local memory that the program uses."""
        ends = [data.address + len(data.content) for data in self._program.data]
        ends += [address + size for address, size in self._program.state]
        return max((*ends, *(hull.high for hulls in self._hulls.values() for hull in hulls)), default=0)


def _hulls(section: Section, program: Program) -> list[Hull]:
    """Per operand the bytes of local memory that it touches; of global memory none."""
    accesses, hulls = make_accesses(section, program.groups), address_hulls(section)
    used = ~accesses.is_global & (accesses.elements > 0)
    low, high = (np.where(used, ends, 0) for ends in (hulls.low + accesses.low, hulls.high + accesses.high))
    return [Hull(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]


def _joined(data: tuple[Data, ...]) -> list[Data]:
    """What all pieces leave in local memory, by address: of two that overlap the later one holds."""
    places = Intervals()
    for each in data:
        places.add(each.address, each.address + len(each.content))
    contents = [bytearray(end - begin) for begin, end in places]
    for each in filter(lambda part: part.content, data):
        place = bisect_right(places.begins, each.address) - 1
        begin = each.address - places.begins[place]
        contents[place][begin : begin + len(each.content)] = each.content
    return [Data(begin, bytes(content)) for begin, content in zip(places.begins, contents, strict=True)]
