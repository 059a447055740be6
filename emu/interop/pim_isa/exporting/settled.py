"""Leaves out register writes and `setbw` that change nothing, across the pieces of a core."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from emu.interop.pim_isa.exporting.unroll import UnrolledPiece
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import CODES, REGISTERS

_UNKNOWN = 1 << 40  # no value of a register


class Settled:
    """What registers and widths hold; at first nobody knows."""

    def __init__(self) -> None:
        self._registers = np.full(REGISTERS, _UNKNOWN, np.int64)
        self._widths = np.full(1, _UNKNOWN, np.int64)

    def without(self, piece: UnrolledPiece) -> UnrolledPiece:
        """The instructions of the piece that have an effect."""
        columns = piece.columns
        keep = np.ones(columns.count, np.bool_)
        writes = np.flatnonzero(columns.op == CODES["sldi"])
        keep[writes] = _changes(columns.rd[writes], columns.imm[writes].astype(np.int64), self._registers)
        widths = np.flatnonzero(columns.op == CODES["setbw"])
        both = (columns.ibiw[widths].astype(np.int64) << 20) + columns.obiw[widths]
        keep[widths] = _changes(np.zeros(len(widths), np.int64), both, self._widths)
        if keep.all():
            return piece
        kept = (getattr(columns, field.name)[keep] for field in fields(CoreColumns))
        return UnrolledPiece(CoreColumns(*kept), piece.types[keep], piece.row[keep])


def _changes(place: np.ndarray, value: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Which of the writes of `value` to `place` change what is `held` there, which is brought up to date."""
    order = np.argsort(place, kind="stable")
    sorted_place, sorted_value = place[order], value[order]
    first = np.diff(sorted_place.astype(np.int64), prepend=-1) != 0
    before = np.empty_like(sorted_value)
    before[1:] = sorted_value[:-1]
    before[first] = held[sorted_place[first]]
    last = np.append(first[1:], True)[: len(first)]
    held[sorted_place[last]] = sorted_value[last]
    changed = np.empty(len(order), np.bool_)
    changed[order] = sorted_value != before
    return changed
