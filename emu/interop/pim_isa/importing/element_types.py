"""Which element type a width of PIM-ISA stands for: the instruction set has widths alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from emu.errors import InputError, option, shown
from emu.interop.pim_isa.format.checks import element_bytes
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.importing.refusal import refuse
from emu.interop.pim_isa.isa import UNIT_OF, PimUnit, among
from emu.isa.dtypes import NUMBERS, DType

USUAL = {8: DType.i8, 16: DType.i16, 32: DType.i32, 64: DType.i64}
ASSUMED = 8  # bits, where no `setbw` has said any
MOST_BYTES = 8  # of an element
SIZES = np.array([*(kind.size for kind in DType), -1], np.int64)  # by code; the last one is of no type
_NO_TYPE = len(DType)
_NONE = 255  # of a width without type


@dataclass(frozen=True, slots=True)
class Types:
    """The type of elements by their width in bits, and what an export says beyond that (see `Extension`).

    `changes` are per core rows [instruction, type of inputs, type of outputs] from that instruction on, `weights` per
    core the type of each array group.
    """

    by_width: Mapping[int, DType] = field(default_factory=lambda: dict(USUAL))
    changes: Mapping[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    weights: Mapping[int, tuple[DType, ...]] = field(default_factory=dict[int, tuple[DType, ...]])


def parse_types(text: str) -> dict[int, DType]:
    """The types of a text such as "8=u8,32=f32"; raises InputError."""
    found: dict[int, DType] = {}
    for part in text.split(","):
        width, _, name = part.strip().partition("=")
        kind = DType.__members__.get(name)
        if kind is None or kind not in NUMBERS or width != str(kind.size * 8):
            names = ", ".join(f"{each.size * 8}={each.name}" for each in DType if each in NUMBERS)
            raise InputError(f"{option('types', text)}: {shown(part)} is no width and type of it: {names}")
        if int(width) in found:
            raise InputError(f"{option('types', text)}: width {width} is there twice")
        found[int(width)] = kind
    return found


@dataclass(frozen=True, eq=False)
class ElementTypes:
    """Per instruction the types (codes of DType, uint8) of inputs, outputs and weights; `missing`: no width was set."""

    inputs: np.ndarray
    outputs: np.ndarray
    weights: np.ndarray
    missing: np.ndarray  # instructions that ran before any `setbw`


def element_types(where: str, core: int, columns: CoreColumns, types: Types) -> ElementTypes:
    """The types at every instruction of a core; raises ProgramError for a width that is no type."""
    _, _, inputs, outputs = element_bytes(columns)
    matrix, vector = among(columns.op, "mvmul"), UNIT_OF[columns.op] == PimUnit.VECTOR
    uses = matrix | vector
    before = np.cumsum(among(columns.op, "setbw")) == 0
    missing = np.flatnonzero(uses & before)
    inputs, outputs = (np.where(before, ASSUMED // 8, width) for width in (inputs, outputs))
    weights = np.where(matrix, -(-columns.mbiw.astype(np.int64) // 8), ASSUMED // 8)
    usual = np.full(MOST_BYTES + 1, _NONE, np.uint8)
    for bits, kind in types.by_width.items():
        usual[bits // 8] = kind
    changed = _Changed(columns, core, types)
    told = (("ibiw", inputs, changed.inputs), ("obiw", outputs, changed.outputs), ("mbiw", weights, changed.weights))
    found: list[np.ndarray] = []
    for key, widths, others in told:
        codes = usual[np.clip(widths, 0, MOST_BYTES)]
        codes = np.where(SIZES[others] == widths, others, codes)
        wrong = np.flatnonzero((matrix if key == "mbiw" else uses) & ((codes == _NONE) | (widths > MOST_BYTES)))
        if len(wrong):
            row = int(wrong[0])
            wide = int(widths[row])
            refuse(where, core, columns, row, key, f"elements of {wide} bytes: 1, 2, 4 or 8 can be run")
        found.append(np.where(codes == _NONE, int(DType.i8), codes).astype(np.uint8))
    return ElementTypes(found[0], found[1], found[2], missing)


class _Changed:
    """The types that an export names at every instruction of a core: codes, or `_NO_TYPE`."""

    def __init__(self, columns: CoreColumns, core: int, types: Types) -> None:
        rows = np.arange(columns.count)
        self.inputs = self.outputs = self.weights = np.full(columns.count, _NO_TYPE)
        changes = types.changes.get(core)
        if changes is not None and len(changes):
            place = np.searchsorted(changes[:, 0], rows, "right") - 1
            self.inputs, self.outputs = (
                np.where(place >= 0, changes[np.maximum(place, 0), column], _NO_TYPE) for column in (1, 2)
            )
        kinds = np.array([*types.weights.get(core, ()), _NO_TYPE], np.int64)
        number = columns.group.astype(np.int64)
        self.weights = kinds[np.where((number >= 0) & (number < len(kinds)), number, len(kinds) - 1)]
