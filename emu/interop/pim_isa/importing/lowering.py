"""Each PIM-ISA instruction in our instructions: one row of a table per instruction.

Where source and target overlap in part, or widths differ, values pass through scratch memory above what the program
uses. Arithmetic is done in the wider one of the two types, and wraps there; what is then made narrower saturates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.isa import OPS, Op, Scale
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME as OURS
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One instruction to write: its row of the table, addresses (None: it has none), types, and the fields that it has.

    `apart`: its target overlaps none of its sources in part. `group` is the place in the core's groups.
    """

    op: Op
    target: Address | None
    first: Address | None
    second: Address | None
    input: DType
    output: DType
    apart: bool
    extra: int
    fields: dict[str, int]
    group: int = -1


class Scratch:
    """Three areas of local memory that no foreign instruction uses."""

    def __init__(self, address: int, size: int) -> None:
        self._address, self._size = address, size

    def area(self, number: int) -> Address:
        """The address of an area."""
        return Address(self._address + number * self._size)


@dataclass(frozen=True, slots=True)
class SectionWriter:
    """Where instructions go: a section under way, scratch memory, the groups of the core, and how a wait ends."""

    section: SectionBuilder
    scratch: Scratch
    groups: tuple[GroupSpec, ...]
    wait_flags: tuple[str, ...] = ()


Lowering = Callable[[SectionWriter, ImportedRow], None]


@dataclass(frozen=True, slots=True)
class VectorInstruction:
    """An instruction on elements, of which ours has the same name."""

    def __call__(self, to: SectionWriter, row: ImportedRow) -> None:
        """Write the instruction, with conversions before and behind it where types differ."""
        count, written = row.fields["len"], row.op.operands[0]
        result = row.output if written is not None and written.scale is Scale.OUTPUTS else row.input
        inner = wider(row.input, result)
        if inner not in OURS[row.op.name].accepts[0]:  # ours computes floats only
            inner = DType.f32
        given = [address for address in (row.first, row.second) if address is not None]
        sources = [_as(to, k, row.input, inner, source, count) for k, source in enumerate(given)]
        target, made = _target(row), 1 if row.op.single else count
        direct = inner is result and (row.apart or not any(old is new for old, new in zip(given, sources, strict=True)))
        place = target if direct else to.scratch.area(2)
        to.section.emit(row.op.name, (inner,), (place, *sources), n=count)
        if not direct and inner is result:
            to.section.emit("lmv", (), (target, place), size=made * result.size)
        elif not direct:
            to.section.emit("vcvt", (inner, result), (target, place), n=made)


def wider(one: DType, other: DType) -> DType:
    """The type in which values of both are computed: floats before integers, then the larger one."""
    return max((one, other), key=lambda kind: (kind.is_float, kind.size))


def _target(row: ImportedRow) -> Address:
    assert row.target is not None
    return row.target


def _first(row: ImportedRow) -> Address:
    assert row.first is not None
    return row.first


def _as(to: SectionWriter, area: int, given: DType, wanted: DType, source: Address, count: int) -> Address:
    """Where the elements at `source` stand as `wanted`: there, or converted into an area of scratch memory."""
    if given is wanted:
        return source
    place = to.scratch.area(area)
    to.section.emit("vcvt", (given, wanted), (place, source), n=count)
    return place


def _gather(to: SectionWriter, row: ImportedRow) -> None:
    count, target = row.fields["len"], _target(row)
    place = target if row.apart else to.scratch.area(2)
    to.section.emit("vmv", (row.input,), (place, _first(row)), n=count)
    if not row.apart:
        to.section.emit("lmv", (), (target, place), size=count * row.input.size)


def _clamp(name: str) -> Lowering:
    def write(to: SectionWriter, row: ImportedRow) -> None:
        count, target, given = row.fields["len"], _target(row), _first(row)
        inner = row.input if _holds(row.input, row.extra) else DType.i32
        source = _as(to, 0, row.input, inner, given, count)
        direct = row.apart or source is not given
        place = target if direct else to.scratch.area(2)
        to.section.emit(name, (inner, row.output), (place, source), n=count, imm=row.extra)
        if not direct:
            to.section.emit("lmv", (), (target, place), size=count * row.output.size)

    return write


def _holds(kind: DType, value: int) -> bool:
    """Whether a type has an integer of 32 bits: floats count as if they had all."""
    return kind.is_float or int(np.iinfo(kind.numpy).min) <= value <= int(np.iinfo(kind.numpy).max)


def _product(to: SectionWriter, row: ImportedRow) -> None:
    spec, target = to.groups[row.group], _target(row)
    direct = row.apart and spec.output is row.output
    place = target if direct else to.scratch.area(2)
    flags = ("relu",) if row.fields["relu"] else ()
    to.section.emit("mvmul", (spec.input, spec.output), (place, _first(row)), flags, group=row.group)
    if spec.output is not row.output:
        to.section.emit("vcvt", (spec.output, row.output), (target, place), n=spec.cols)
    elif not direct:
        to.section.emit("lmv", (), (target, place), size=spec.cols * row.output.size)


def _move(to: SectionWriter, row: ImportedRow) -> None:
    size = row.fields["size" if "size" in row.op.fields else "len"]
    to.section.emit(row.op.name, (), (_target(row), _first(row)), size=size)


LOWERING: dict[str, Lowering] = {
    "mvmul": _product,
    **{op.name: VectorInstruction() for op in OPS if op.alike},
    "vavg": VectorInstruction(),
    "vmv": _gather,
    "vrsu": _clamp("vrsu"),
    "vrsl": _clamp("vrsl"),
    **dict.fromkeys(("ld", "st", "lmv"), _move),
    "lldi": lambda to, row: _emit(to, "lldi", (_target(row),), byte=row.fields["imm"] & 255, size=row.fields["len"]),
    "send": lambda to, row: _emit(to, "send", (_first(row),), core=row.fields["core"], size=row.fields["size"]),
    "recv": lambda to, row: _emit(to, "recv", (_target(row),), core=row.fields["core"], size=row.fields["size"]),
    "sync": lambda to, row: _emit(to, "sync", (), core=row.fields["core"], event=row.fields["event_register"]),
    "wait": lambda to, row: _wait(to, row),
}


def _emit(to: SectionWriter, name: str, operands: tuple[Address, ...], **fields: int) -> None:
    to.section.emit(name, (), operands, (), **fields)


def _wait(to: SectionWriter, row: ImportedRow) -> None:
    event, value = row.fields["event_register"], row.fields["wait_value"]
    to.section.emit("wait", (), (), to.wait_flags, event=event, value=value)
