"""Which element type a width of PIM-ISA stands for: the instruction set has widths alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from emu.errors import InputError, option, shown
from emu.foreign.importing.refusal import refuse
from emu.foreign.pimsim.checks import element_bytes
from emu.foreign.pimsim.ops import UNIT_OF, Unit, among
from emu.foreign.pimsim.program import CoreColumns
from emu.isa.dtypes import NUMBERS, DType

USUAL = {8: DType.i8, 16: DType.i16, 32: DType.i32, 64: DType.i64}
ASSUMED = 8  # bits, where no `setbw` has said any
_NONE = 255


@dataclass(frozen=True, slots=True)
class Types:
    """The type of elements by their width in bits, of all cores, and what a core changes at an instruction."""

    by_width: Mapping[int, DType] = field(default_factory=lambda: dict(USUAL))
    changes: Mapping[int, tuple[tuple[int, DType], ...]] = field(
        default_factory=dict[int, tuple[tuple[int, DType], ...]]
    )


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
    matrix, vector = among(columns.op, "mvmul"), UNIT_OF[columns.op] == Unit.VECTOR
    uses = matrix | vector
    before = np.cumsum(among(columns.op, "setbw")) == 0
    missing = np.flatnonzero(uses & before)
    inputs, outputs = (np.where(before, ASSUMED // 8, width) for width in (inputs, outputs))
    weights = np.where(matrix, -(-columns.mbiw.astype(np.int64) // 8), ASSUMED // 8)
    table = _table(columns.count, core, types)
    found: list[np.ndarray] = []
    for key, widths in (("ibiw", inputs), ("obiw", outputs), ("mbiw", weights)):
        codes = table(widths)
        wrong = np.flatnonzero((matrix if key == "mbiw" else uses) & (codes == _NONE))
        if len(wrong):
            row = int(wrong[0])
            wide = int(widths[row])
            refuse(where, core, columns, row, key, f"elements of {wide} bytes: 1, 2, 4 or 8 can be run")
        found.append(np.where(codes == _NONE, int(DType.i8), codes).astype(np.uint8))
    return ElementTypes(found[0], found[1], found[2], missing)


class _table:
    """Codes of types by width in bytes, at every instruction of a core."""

    def __init__(self, count: int, core: int, types: Types) -> None:
        known = USUAL | dict(types.by_width)
        usual = np.full(16, _NONE, np.uint8)
        for bits, kind in known.items():
            usual[bits // 8] = kind
        self._rows, self._usual = np.arange(count), usual
        self._changes = types.changes.get(core, ())

    def __call__(self, widths: np.ndarray) -> np.ndarray:
        narrow = np.clip(widths, 0, len(self._usual) - 1)
        codes = self._usual[narrow].copy()
        codes[widths >= len(self._usual)] = _NONE
        for first, kind in self._changes:
            codes[(self._rows >= first) & (widths == kind.size)] = kind
        return codes
