"""The program of one core in PIM-ISA: what comes first, `init`, `main`; with loops, then unrolled piece by piece."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from emu.arch import Arch
from emu.errors import ProgramError
from emu.interop.pim_isa.exporting.crossbars import CrossbarFormat, core_crossbars
from emu.interop.pim_isa.exporting.lowering import LOWERING
from emu.interop.pim_isa.exporting.memory import Constants, LocalAreas
from emu.interop.pim_isa.exporting.refusal import ExportRefusal
from emu.interop.pim_isa.exporting.settled import Settled
from emu.interop.pim_isa.exporting.source_map import StatementStarts
from emu.interop.pim_isa.exporting.template import UNTYPED, ProgramTemplate
from emu.interop.pim_isa.exporting.unroll import UnrolledPiece, unrolled
from emu.interop.pim_isa.exporting.writer import CoreWriter, Hull
from emu.intervals import Intervals
from emu.isa.dtypes import DType
from emu.isa.instruction import Family
from emu.operands.accesses import make_accesses
from emu.operands.loop_tree import Code, Item, Loop, loop_tree
from emu.program.program import Data, Program
from emu.program.section import Instr, Section

_NO_SUCH = "PIM-ISA has no such instruction, nor others that it could be made of"
_MISSING = {Family.SCALAR: "registers are given by the export: programs that compute addresses are not exported"}


@dataclass(frozen=True, eq=False)
class LoweredCore:
    """A core ready to be written: rows with loops, and crossbars of each array group, with the type of its cells.

    `statements`: what of `main` is in no loop, and its end, by index -> the row of the last template with which it
    begins.
    """

    core: int
    templates: tuple[ProgramTemplate, ...]
    groups: tuple[int, ...]
    weights: tuple[DType, ...]
    statements: Mapping[int, int]

    def pieces(self, places: StatementStarts | None = None) -> Iterator[UnrolledPiece]:
        """Its instructions in order, without those that change nothing; `places` is shown them."""
        settled = Settled()
        for template in self.templates:
            for piece in unrolled(template, where=f"core {self.core}"):
                kept = settled.without(piece)
                if places is not None:
                    places.see(kept, template is self.templates[-1])
                yield kept

    @property
    def kinds(self) -> dict[int, set[DType]]:
        """Types of elements by width in bits."""
        found: dict[int, set[DType]] = {}
        for template in self.templates:
            for code in np.unique(template.types[template.types != UNTYPED]).tolist():
                found.setdefault(8 * DType(code).size, set()).add(DType(code))
        return found


def lower_core(program: Program, arch: Arch, cells: CrossbarFormat, constants: Constants, where: str) -> LoweredCore:
    """Write a validated program in PIM-ISA; raises ProgramError naming core, instruction and node."""
    return _CoreLowering(program, arch, cells, constants, where).run()


class _CoreLowering:
    def __init__(self, program: Program, arch: Arch, cells: CrossbarFormat, constants: Constants, where: str) -> None:
        self._program, self._where = program, f"{where}: core {program.core}"
        self._sections = {"init": program.init, "main": program.main}
        self._hulls = {name: _hulls(section, program) for name, section in self._sections.items()}
        crossbars = core_crossbars(program.groups, cells, self._where)
        areas = LocalAreas(self._local_end(), arch.core.local_memory)
        self._to = CoreWriter(crossbars, areas, constants)
        self._statements: dict[int, int] = {}

    def run(self) -> LoweredCore:
        for address, size in self._program.state:
            self._to.clear_first(address, size)
        for data in _joined(self._program.data):  # state may begin with some
            self._to.at_first(data.address, data.content)
        self._items("init", loop_tree(self._program.init))
        self._main(self._program.main)
        templates = tuple(part.finish() for part in self._to.parts)
        crossbars = self._to.crossbars
        return LoweredCore(self._program.core, templates, tuple(crossbars.sizes), crossbars.weights, self._statements)

    def _main(self, section: Section) -> None:
        """All of `main`, statement by statement."""
        loops = {item.index: item for item in loop_tree(section) if isinstance(item, Loop)}
        for begin in section.children():
            self._statements[begin] = len(self._to.parts[-1])
            self._items("main", [loops.get(begin, Code(begin, begin + 1))])
        self._statements[len(section)] = len(self._to.parts[-1])

    def _items(self, name: str, items: Sequence[Item]) -> None:
        """Loops and instructions of a section."""
        for item in items:
            if isinstance(item, Loop):
                with self._to.loop(item.trips):
                    self._items(name, item.body)
                continue
            for index in range(item.first, item.last):
                self._lower(name, index, self._sections[name].decode(index))

    def _lower(self, name: str, index: int, instr: Instr) -> None:
        if instr.spec.control is not None:  # nothing is done, or what ends anyway ends
            return
        lowering = LOWERING.get(instr.spec.name)
        if lowering is None:
            self._refuse(name, index, instr, _MISSING.get(instr.spec.family, _NO_SUCH))
        first = int(self._sections[name].columns["operand"][index])
        hulls = self._hulls[name][first : first + len(instr.operands)]
        try:
            lowering(self._to, instr, tuple(hulls))
        except ExportRefusal as refusal:
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
    accesses = make_accesses(section, program.groups)
    low, high = (np.where(accesses.local, ends, 0).tolist() for ends in accesses.hulls)
    return [Hull(*ends) for ends in zip(low, high, strict=True)]


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
