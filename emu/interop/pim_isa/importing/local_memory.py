"""The local memory of a foreign core: how much it takes, and what it reads that nothing has written."""

from __future__ import annotations

import numpy as np

from emu.check.written_before import AccessedIntervals, join, written_before
from emu.interop.pim_isa.importing.array_groups import CoreGroups
from emu.interop.pim_isa.importing.element_types import SIZES
from emu.interop.pim_isa.importing.resolve import Effective
from emu.interop.pim_isa.isa import STRIDED, UNIT_OF, PimUnit, among
from emu.intervals import EMPTY, Spans, merge

ALIGNMENT = 64  # bytes
MAX_PIECES = 1 << 22  # elements of strided sources that are looked at one by one


def highest_byte(found: Effective) -> int:
    """The byte behind the last one of local memory that the core is known to use."""
    return max(
        (int(end[known].max(initial=0)) for place in range(3) for end, known in [_local(found, place)]), default=0
    )


def scratch_size(found: Effective, groups: CoreGroups) -> int:
    """Bytes of an area of scratch memory that holds any operand of the core, in whatever type, aligned."""
    vector = UNIT_OF[found.columns.op] == PimUnit.VECTOR
    elements = int(found.columns.len[vector].max(initial=0))
    widest = max([int(SIZES[kinds].max(initial=1)) for kinds in (found.types.inputs, found.types.outputs)] + [4])
    size = max([elements * widest, *(spec.cols * max(spec.output.size, widest) for spec in groups.specs)])
    return aligned(size)


def aligned(size: int) -> int:
    """The next multiple of ALIGNMENT."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def unwritten_reads(found: Effective) -> tuple[np.ndarray, Spans]:
    """The instructions that read local bytes before any is written there, ascending, and what they read.

    A core that reads at addresses from memory (`sld`) may read all that it uses.
    """
    if (found.register[1:] >= 0).any():
        rows = np.flatnonzero((found.register[1:] >= 0).any(axis=0))
        return rows, merge(np.zeros(1, np.int64), np.array([highest_byte(found)], np.int64))
    reads = join([_accesses(found, place) for place in (1, 2)])
    if not len(reads.time):
        return np.zeros(0, np.int64), EMPTY
    early = reads.where(~written_before(EMPTY, _accesses(found, 0), reads))
    return np.unique(early.time), merge(early.low, early.high)


def _local(found: Effective, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the operands at `place`, and which of them are known and local."""
    elsewhere = among(found.columns.op, *(("st",) if place == 0 else ("ld", "sld")))
    return found.end(place), found.known(place) & ~elsewhere


def _accesses(found: Effective, place: int) -> AccessedIntervals:
    end, known = _local(found, place)
    rows = np.flatnonzero(known)
    low, high, time = found.begin(place)[rows], end[rows], rows
    if place == 1:
        low, high, time = _pieces(found, rows, low, high)
    return AccessedIntervals(low, high, time, time)


def _pieces(
    found: Effective, rows: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, with those that have gaps element by element, as long as these are not too many."""
    widths = SIZES[found.types.inputs[rows]]
    gaps = among(found.columns.op[rows], *STRIDED) & (np.abs(found.extra[rows]) > 1)
    counts = np.where(gaps, found.columns.len[rows], 1).astype(np.int64)
    if not gaps.any() or counts.sum() > MAX_PIECES:
        return low, high, rows
    owner = np.repeat(np.arange(len(rows)), counts)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    step = np.where(gaps, np.abs(found.extra[rows]) * widths, 0)
    begin = low[owner] + number * step[owner]
    return begin, np.where(gaps[owner], begin + widths[owner], high[owner]), rows[owner]
