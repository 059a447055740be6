"""Every address of a PIM-ISA core as a number: registers, pairs, widths and offsets put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.importing.array_groups import CoreGroups
from emu.interop.pim_isa.importing.element_types import SIZES, ElementTypes
from emu.interop.pim_isa.importing.refusal import refuse, refuse_first
from emu.interop.pim_isa.importing.registers import RegisterValues
from emu.interop.pim_isa.isa import BY_CODE, OPS, AddressField, Op, Scale, among, names_of

MAX_LOCAL = 1 << 28  # bytes of the local memory of a core
MAX_GLOBAL = 1 << 32  # bytes of global memory
PLACES = ("target", "first", "second")


@dataclass(frozen=True, eq=False)
class Effective:
    """What the instructions of a core do, int64 arrays with one element per instruction.

    `address[k]` is the address of PLACES[k] (what is added to register `register[k]`, unless that is -1), `bytes[k]`
    how many bytes from there on it has in all, with gaps; 0 where there is no such operand. `extra` is the distance of
    the elements of a strided source, or the bound of a clamp.
    """

    columns: CoreColumns
    types: ElementTypes
    address: np.ndarray  # [3, instructions]
    register: np.ndarray  # [3, instructions]
    bytes: np.ndarray  # [3, instructions]
    low: np.ndarray  # [3, instructions]: the first byte, relative to the address
    extra: np.ndarray
    registers: RegisterValues
    pairs: bool  # whether addresses of global memory are in two registers

    @property
    def loads_registers(self) -> bool:
        """Whether the core loads registers from memory."""
        return bool(self.registers.loaded.any())

    def begin(self, place: int) -> np.ndarray:
        """The first byte of an operand."""
        return self.address[place] + self.low[place]

    def end(self, place: int) -> np.ndarray:
        """The byte behind the last one of an operand."""
        return self.begin(place) + self.bytes[place]

    def known(self, place: int) -> np.ndarray:
        """Where an operand has bytes, at an address that is known."""
        return (self.bytes[place] > 0) & (self.register[place] < 0)


def resolve(
    where: str,
    core: int,
    columns: CoreColumns,
    types: ElementTypes,
    registers: RegisterValues,
    groups: CoreGroups,
    pairs: bool = True,
) -> Effective:
    """Put the addresses of a core together; raises ProgramError naming core, instruction and field."""
    count = columns.count
    address, sizes, low = (np.zeros((3, count), np.int64) for _ in range(3))
    register, extra = np.full((3, count), -1, np.int64), np.zeros(count, np.int64)
    found = Effective(columns, types, address, register, sizes, low, extra, registers, pairs)
    for op in OPS:
        rows = np.flatnonzero(columns.op == op.code)
        if not len(rows):
            continue
        if op.extra:
            values, loaded = registers.read(rows, getattr(columns, op.extra)[rows])
            refuse_first(where, core, columns, rows, loaded, op.extra, "it comes from memory (sld): not known")
            extra[rows] = values
        for place, operand in enumerate(op.operands):
            if operand is not None:
                _addresses(where, core, found, rows, place, operand)
                _extents(found, rows, place, operand, op, groups)
    _check_bounds(where, core, found)
    return found


def source_fields(columns: CoreColumns, rows: np.ndarray, operand: AddressField) -> np.ndarray:
    """The registers of an operand; where only the field says something that names it, too, that one is meant."""
    register = getattr(columns, operand.register)[rows].astype(np.int64)
    if operand.also:
        other = getattr(columns, operand.also)[rows]
        return np.where(register == 0, other, register)
    return register


def _addresses(where: str, core: int, found: Effective, rows: np.ndarray, place: int, operand: AddressField) -> None:
    columns, registers = found.columns, found.registers
    number = source_fields(columns, rows, operand)
    values, loaded = registers.read(rows, number)
    if operand.pair:
        values, loaded = _global(where, core, found, rows, operand, number)
    offset = columns.offset_value[rows].astype(np.int64) * _scale(found, rows, operand.scale)
    chosen = operand.bit < 0 or (columns.offset_select[rows] & operand.bit) != 0
    found.address[place, rows] = np.where(loaded, 0, values) + np.where(chosen, offset, 0)
    found.register[place, rows] = np.where(loaded, number, -1)


def _global(
    where: str, core: int, found: Effective, rows: np.ndarray, operand: AddressField, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Addresses of global memory, none of them loaded: in two words, or in one where the emitter knows no pairs."""
    columns, registers = found.columns, found.registers
    values, loaded = registers.read(rows, number)
    if found.pairs:
        lower, loaded_too = registers.read(rows, number + 1)
        loaded = loaded | loaded_too
        wrong = (values < 0) | (values >= 1 << 16)
        refuse_first(where, core, columns, rows, wrong, operand.register, "an address of more than 48 bits")
        values = (values << 32) + (lower & 0xFFFFFFFF)
    what = "its address of global memory comes from memory itself (sld): that cannot be run"
    refuse_first(where, core, columns, rows, loaded, operand.register, what)
    return values if found.pairs else values & 0xFFFFFFFF, np.zeros(len(rows), np.bool_)


def _scale(found: Effective, rows: np.ndarray, scale: Scale) -> np.ndarray | int:
    if scale is Scale.BYTES:
        return 1
    types = found.types.inputs if scale is Scale.INPUTS else found.types.outputs
    return SIZES[types[rows]]


def _extents(found: Effective, rows: np.ndarray, place: int, operand: AddressField, op: Op, groups: CoreGroups) -> None:
    columns = found.columns
    width, fields = _scale(found, rows, operand.scale), op.fields
    if op.name == "mvmul":
        count = groups.extents(rows, place)
    elif op.name == "sld":
        count = np.full(len(rows), 4)
    else:
        count = getattr(columns, "size" if "size" in fields else "len")[rows].astype(np.int64)
    if op.single and place == 0:
        count = np.ones(len(rows), np.int64)
    total = count * width
    if op.stride and place == 1:
        reach = found.extra[rows] * np.maximum(count - 1, 0) * width
        found.low[place, rows] = np.minimum(reach, 0)
        total = np.where(count > 0, np.abs(reach) + width, 0)
    found.bytes[place, rows] = total


def _check_bounds(where: str, core: int, found: Effective) -> None:
    columns = found.columns
    for place in range(3):
        is_global = among(columns.op, *_PAIRS[place])
        known = found.known(place)
        limits = np.where(is_global, MAX_GLOBAL, MAX_LOCAL)
        wrong = known & ((found.begin(place) < 0) | (found.end(place) > limits))
        if not wrong.any():
            continue
        row = int(np.argmax(wrong))
        operand = _operand(columns, row, place)
        memory = f"global memory of {MAX_GLOBAL} bytes" if is_global[row] else f"local memory of {MAX_LOCAL} bytes"
        refuse(
            where, core, columns, row, operand.register,
            f"bytes {int(found.begin(place)[row])} to {int(found.end(place)[row])} are not in a {memory}",
        )  # fmt: skip


def _operand(columns: CoreColumns, row: int, place: int) -> AddressField:
    operand = BY_CODE[int(columns.op[row])].operands[place]
    assert operand is not None
    return operand


def _is_global(place: int) -> Callable[[Op], bool]:
    return lambda op: (operand := op.operands[place]) is not None and operand.pair


_PAIRS = [names_of(_is_global(place)) for place in range(3)]
