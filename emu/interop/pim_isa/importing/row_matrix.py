"""The instructions of a core as one matrix, raw fields and meaning side by side: what is rolled into loops."""

from __future__ import annotations

import numpy as np

from emu.interop.pim_isa.format.program import FIELDS
from emu.interop.pim_isa.importing.array_groups import CoreGroups
from emu.interop.pim_isa.importing.element_types import SIZES
from emu.interop.pim_isa.importing.resolve import PLACES, Effective
from emu.interop.pim_isa.isa import CODES, STRIDED, UNIT_OF, PimUnit, among

MEANING = (*PLACES, *(f"{place}_register" for place in PLACES), "extra", "input", "output", "use", "apart", "byte")
COLUMNS = (*FIELDS, *MEANING)
PLACE = {name: number for number, name in enumerate(COLUMNS)}
AFFINE = ("imm", "offset_value", *PLACES)  # fields that may advance from one iteration of a loop to the next
FIXED = [number for name, number in PLACE.items() if name not in AFFINE]
RAW = len(FIELDS)


def row_matrix(found: Effective, groups: CoreGroups) -> np.ndarray:
    """int64 [instructions, COLUMNS] of a core."""
    columns = found.columns
    matrix = np.empty((columns.count, len(COLUMNS)), np.int64)
    for name in FIELDS:
        matrix[:, PLACE[name]] = getattr(columns, name)
    for number, place in enumerate(PLACES):
        matrix[:, PLACE[place]] = found.address[number]
        matrix[:, PLACE[f"{place}_register"]] = found.register[number]
    matrix[:, PLACE["extra"]] = found.extra
    matrix[:, PLACE["input"]], matrix[:, PLACE["output"]] = found.types.inputs, found.types.outputs
    matrix[:, PLACE["use"]] = groups.index
    matrix[:, PLACE["apart"]] = _apart(found)
    matrix[:, PLACE["byte"]] = np.where(among(columns.op, "lldi"), columns.imm & 255, 0)
    return matrix


def _apart(found: Effective) -> np.ndarray:
    """Where no source shares bytes with the target, unless both are the same elements.

    What is at an address that nobody knows beforehand counts as overlapping.
    """
    apart = np.ones(found.columns.count, np.bool_)
    widths = SIZES[np.stack([found.types.inputs, found.types.outputs])]
    dense = ~among(found.columns.op, *STRIDED)
    same_width = dense & ((widths[0] == widths[1]) | among(found.columns.op, "vvadd", "vvsub", "vvmax", "vrelu"))
    for source in (1, 2):
        both = (found.bytes[0] > 0) & (found.bytes[source] > 0)
        unknown = both & ((found.register[0] >= 0) | (found.register[source] >= 0))
        meets = (found.begin(0) < found.end(source)) & (found.begin(source) < found.end(0))
        same = same_width & (found.address[0] == found.address[source]) & (found.bytes[0] == found.bytes[source])
        apart &= ~(both & (unknown | (meets & ~same)))
    local = (UNIT_OF[found.columns.op] == PimUnit.VECTOR) | (found.columns.op == CODES["mvmul"])
    return apart | ~local
