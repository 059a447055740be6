"""Which instructions of a section, and which loops, work for the same ONNX node, as numbers."""

from __future__ import annotations

import numpy as np

from emu.isa.table import LOOP
from emu.program.section import Section

_HIGH, _LOW = 1 << 30, -2  # above and below all sources


def labels(section: Section) -> list[int]:
    """Per instruction a number, equal for instructions of one source, and for the loops that hold no other."""
    columns = section.columns
    source, loops = columns["source"].astype(np.int64), columns["op"] == LOOP
    found = source.copy()
    at = np.flatnonzero(loops)
    if at.size:
        bounds = np.stack([at + 1, columns["end"][at]], axis=1).reshape(-1)
        lowest = np.minimum.reduceat(np.append(np.where(loops, _HIGH, source), _HIGH), bounds)[::2]
        highest = np.maximum.reduceat(np.append(np.where(loops, _LOW, source), _LOW), bounds)[::2]
        found[at] = np.where(lowest == highest, lowest, _LOW - at)
    return found.tolist()
