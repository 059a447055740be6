"""What each core reads from and writes to global memory in one sample, and between which of its messages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.operands.timeline import TooMuch
from emu.replay.core_view import CoreView, SectionView
from emu.replay.traces import ExchangeTrace

MAX_GLOBAL = 4_000_000  # executions of one instruction


@dataclass(frozen=True, eq=False)
class GlobalAccesses:
    """Of all cores, as columns. `epoch` counts the communication steps that the core has completed before.

    `reasons` name accesses that are not known in advance.
    """

    core: np.ndarray
    row: np.ndarray
    time: np.ndarray
    epoch: np.ndarray
    low: np.ndarray
    high: np.ndarray
    write: np.ndarray
    reasons: tuple[str, ...]


def core_globals(core: CoreView, trace: ExchangeTrace) -> GlobalAccesses:
    """The accesses of `main`; raises TooMuch."""
    view, reasons = core.sections["main"], list[str]()
    parts = [_row(core.program.core, view, trace, row, reasons) for row in view.global_rows.tolist()]
    return _columns(parts, tuple(reasons))


def _columns(parts: list[tuple[np.ndarray, ...]], reasons: tuple[str, ...]) -> GlobalAccesses:
    core, row, time, epoch, low, high, write = (
        np.concatenate([np.zeros(0, np.int64), *(part[k] for part in parts)]) for k in range(7)
    )
    return GlobalAccesses(core, row, time, epoch, low, high, write, reasons)


def _row(core: int, view: SectionView, trace: ExchangeTrace, row: int, reasons: list[str]) -> tuple[np.ndarray, ...]:
    a, index = view.accesses, int(view.accesses.instruction[row])
    if view.timeline.executions(index) > MAX_GLOBAL:
        raise TooMuch(f"{view.text(index)} runs more than {MAX_GLOBAL} times")
    times, addresses, known = view.addresses(row)
    if not known.all():
        why = view.scalars.reason or "its register is loaded from global memory"
        reasons.append(f"the address of {view.text(index)}, operand {a.role(row)}, is unknown: {why}")
        times, addresses = times[known], addresses[known]
    fill, high = np.ones(len(times), np.int64), int(a.high[row])
    epoch = np.searchsorted(trace.time, times)
    return core * fill, row * fill, times, epoch, addresses, addresses + high, bool(a.write[row]) * fill


def gather(parts: list[GlobalAccesses]) -> GlobalAccesses:
    """The accesses of all cores."""
    columns = [(part.core, part.row, part.time, part.epoch, part.low, part.high, part.write) for part in parts]
    return _columns(columns, tuple(reason for part in parts for reason in part.reasons))
