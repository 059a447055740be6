"""Validates whole programs against an architecture: groups, capacity, memory ranges, and both sections."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from emu.arch import Arch
from emu.errors import ProgramError
from emu.program import check_instructions, check_operands, check_references
from emu.program.group import OWN, GroupSpec, group_types_fit, physical_crossbars
from emu.program.limits import MAX_INDEX
from emu.program.program import BufferSpec, Program
from emu.program.section_check import InstructionError, SectionCheck
from emu.wording import counted

__all__ = ["InstructionError", "validate_program"]

MAX_TEXT = 1 << 16  # characters of a name

# Behind that of the shape, in this order: later checks index tables by columns that earlier ones have bounded.
_SECTION_CHECKS = (
    check_instructions.check_opcodes,
    check_instructions.check_types,
    check_instructions.check_functions,
    check_instructions.check_fields,
    check_references.check_products,
    check_instructions.check_immediates,
    check_instructions.check_nesting,
    check_operands.check_operands,
    check_operands.check_terms,
    check_references.check_group_use,
    check_references.check_peers,
)


def validate_program(program: Program, arch: Arch, where: str, cores: AbstractSet[int] | None = None) -> None:
    """Raise ProgramError naming `where`, core, section, instruction and reason unless the program is well formed.

    `cores` are the cores that have programs: peers must be among them. Addresses outside of memory are not refused,
    they trap at run time. Time and memory are linear in the columns; nothing is done per instruction in Python.
    """
    _Check(f"{where}: core {program.core}", program, arch).run()
    peers = None if cores is None else frozenset(cores)
    for name, section in (("init", program.init), ("main", program.main)):
        check = SectionCheck(f"{where}: core {program.core}", name, section, program, arch, peers)
        check_instructions.check_shape(check)
        if any(map(len, section.columns.values())):  # most programs have an empty `init`
            for run in _SECTION_CHECKS:
                run(check)
        if name == "main":
            _check_completion(check)


def _check_completion(check: SectionCheck) -> None:
    depth = check.nesting.depth
    for index, buffer in enumerate(check.program.buffers):
        if not 0 <= buffer.complete <= len(depth):
            count = counted(len(depth), "instruction")
            check.refuse_section(f"{_buffer(index, buffer)}, beyond the {count} of main")
        if buffer.complete < len(depth) and depth[buffer.complete]:
            check.refuse_section(f"{_buffer(index, buffer)}, inside of a loop")


def _buffer(index: int, buffer: BufferSpec) -> str:
    return f"buffer {index} ({buffer.tensor!r}) is complete at main[{buffer.complete}]"


@dataclass(frozen=True)
class _Check:
    """The parts of a program besides its sections."""

    place: str
    program: Program
    arch: Arch

    def run(self) -> None:
        program = self.program
        self._require(
            0 <= program.core < self.arch.all_cores, f"the architecture has cores 0 to {self.arch.all_cores - 1}"
        )
        for index, group in enumerate(program.groups):
            self._group(f"group {index}", group)
        used = physical_crossbars(program.groups, self.arch)
        limit = self.arch.core.crossbars
        self._require(
            used <= limit, f"its groups take {counted(used, 'crossbar')}, the architecture has {limit} per core"
        )
        for index, data in enumerate(program.data):
            self._local(f"data {index}", data.address, len(data.content))
        for index, (address, size) in enumerate(program.state):
            self._local(f"state {index}", address, size)
        for index, source in enumerate(program.sources):
            self._require(max(len(source.node), len(source.part)) <= MAX_TEXT, f"source {index} is too long")
        for index, buffer in enumerate(program.buffers):
            self._buffer(f"buffer {index}", buffer)

    def _require(self, condition: bool, what: str) -> None:
        if not condition:
            raise ProgramError(f"{self.place}: {what}")

    def _group(self, name: str, group: GroupSpec) -> None:
        rows, cols = self.arch.crossbar.rows, self.arch.columns(group.weight)
        for kind, tiles, limit in (("row", group.row_tiles, rows), ("col", group.col_tiles, cols)):
            bad = next((size for size in tiles if not 1 <= size <= limit), None)
            self._require(len(tiles) > 0, f"{name} has no {kind} tile")
            self._require(bad is None, f"{name} has a {kind} tile of {bad}, a crossbar has 1 to {limit}")
        types = (group.input, group.weight, group.output)
        form = ".".join(dtype.name for dtype in types)
        self._require(group_types_fit(*types), f"{name} cannot have types {form} (input.weight.output)")
        self._require(0 <= group.offset < 1 << 62, f"{name} lies at impossible offset {group.offset}")
        self._require(OWN <= group.bank <= MAX_INDEX, f"{name} stands at impossible crossbar {group.bank} of the bank")

    def _local(self, name: str, address: int, size: int) -> None:
        end, limit = address + size, self.arch.core.local_memory
        inside = address >= 0 and size >= 0 and end <= limit
        self._require(inside, f"{name} is [{address}, {end}), local memory has {limit} bytes")

    def _buffer(self, name: str, buffer: BufferSpec) -> None:
        self._require(0 < len(buffer.tensor) <= MAX_TEXT, f"{name} has no tensor name, or one that is too long")
        fault = buffer.form.fault()
        self._require(not fault, f"{name} of tensor {buffer.tensor!r}: {fault}")
        fault = buffer.form.box_fault(buffer.box)
        self._require(not fault, f"{name} holds {fault}")
        self._local(name, buffer.address, buffer.nbytes)
