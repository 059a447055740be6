"""One core of a foreign program: resolved, rolled, and written in our instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from emu.errors import ProgramError
from emu.interop.pim_isa.format.program import CoreColumns, PimProgram
from emu.interop.pim_isa.format.source_map import SourceMap, moved
from emu.interop.pim_isa.importing.array_groups import CoreGroups, core_groups
from emu.interop.pim_isa.importing.element_types import Types, element_types
from emu.interop.pim_isa.importing.geometry import Geometry
from emu.interop.pim_isa.importing.global_memory import GlobalBytes
from emu.interop.pim_isa.importing.local_memory import aligned, highest_byte, scratch_size, unwritten_reads
from emu.interop.pim_isa.importing.lowering import Scratch, SectionWriter
from emu.interop.pim_isa.importing.project import Projection
from emu.interop.pim_isa.importing.refusal import refuse
from emu.interop.pim_isa.importing.registers import registers_of
from emu.interop.pim_isa.importing.resolve import MAX_LOCAL, resolve
from emu.interop.pim_isa.importing.row_matrix import FIXED, row_matrix
from emu.interop.pim_isa.importing.straight import straight
from emu.interop.pim_isa.isa import CODES, among
from emu.interop.rolling.roll import roll
from emu.interop.rolling.rolled import Rolled, joined
from emu.intervals import Spans
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Program as OurProgram

AREAS = 3  # of scratch memory
MAX_ZEROED = 256  # instructions at the begin that make bytes 0 that are read and never written
EVENT_RULES: dict[str, tuple[str, ...]] = {"at-least": (), "equal": ("equal",)}  # the flags of our `wait`


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How cores are imported: `types` by width, `geometry` of crossbars, rule of `events`, whether code is rolled.

    `pairs`: addresses of global memory are in two registers. `network`: what an export tells of it.
    """

    types: Types
    geometry: Geometry
    events: str
    rolls: bool
    pairs: bool
    network: SourceMap


@dataclass(frozen=True, eq=False)
class ImportedCore:
    """What a core became.

    `program` has its groups without places in an image yet. `local_bytes` are those of local memory that it needs,
    `missing` and `unwritten` instructions with defects (see `Defects`), `accessed` bytes of global memory.
    """

    program: OurProgram
    groups: CoreGroups
    rolled: Rolled
    local_bytes: int
    missing: np.ndarray
    unwritten: np.ndarray
    accessed: GlobalBytes


def core_program(program: PimProgram, core: int, plan: ImportPlan) -> ImportedCore:
    """Import one core; raises ProgramError naming core, instruction and field."""
    where, columns = program.where, program.cores[core]
    types = element_types(where, core, columns, plan.types)
    _refuse_float_shifts(where, core, columns, types.inputs)
    registers = registers_of(columns)
    groups = core_groups(where, core, columns, types, program.groups[core], plan.geometry)
    found = resolve(where, core, columns, types, registers, groups, plan.pairs)
    unwritten, unwritten_bytes = unwritten_reads(found)
    matrix = row_matrix(found, groups)
    network = plan.network.core(core)
    ends = sorted({buffer.complete for buffer in network.buffers})
    if ends and ends[-1] > columns.count:
        raise ProgramError(
            f"{where}: core {core}: a tensor is complete at instruction {ends[-1]}, it has {columns.count}: the file of"
            " the network is of another program"
        )
    rolled = _rolled(matrix, ends) if plan.rolls and not found.loads_registers else straight(matrix)
    scratch, area = aligned(highest_byte(found)), scratch_size(found, groups)
    if scratch + AREAS * area > 2 * MAX_LOCAL:
        longest = int(np.argmax(found.bytes.max(axis=0)))
        key = "len" if columns.op[longest] != CODES["mvmul"] else "group"
        refuse(where, core, columns, longest, key, f"its operands leave no room in {2 * MAX_LOCAL} bytes")
    section = _zeros(unwritten_bytes.joined(MAX_ZEROED))
    to = SectionWriter(section, Scratch(scratch, area), groups.specs, EVENT_RULES[plan.events])
    projection = Projection(to, core, rolled, found, network, ends)
    sources = projection.write()
    buffers = moved(network.buffers, projection.begins)
    return ImportedCore(
        OurProgram(core, groups.specs, main=section.finish(), sources=sources, buffers=buffers),
        groups,
        rolled,
        scratch + AREAS * area,
        types.missing,
        unwritten,
        GlobalBytes.by(found),
    )


def _rolled(matrix: np.ndarray, ends: Sequence[int]) -> Rolled:
    """Rolled code in which no loop goes beyond an instruction at which a tensor is complete."""
    inner = [end for end in ends if 0 < end < len(matrix)]
    return joined([roll(part, FIXED) for part in np.split(matrix, inner)])


def _zeros(spans: Spans) -> SectionBuilder:
    """A section that begins with these bytes 0: what is between them is written before it is read, or not read."""
    section = SectionBuilder()
    for begin, end in zip(spans.begin.tolist(), spans.end.tolist(), strict=True):
        section.emit("lldi", (), (Address(begin),), byte=0, size=end - begin)
    return section


def _refuse_float_shifts(where: str, core: int, columns: CoreColumns, inputs: np.ndarray) -> None:
    floats = np.isin(inputs, [int(kind) for kind in DType if kind.is_float])
    wrong = np.flatnonzero(among(columns.op, "vvsll", "vvsra") & floats)
    if len(wrong):
        refuse(where, core, columns, int(wrong[0]), "op", "floats cannot be shifted: name an integer type by types")
