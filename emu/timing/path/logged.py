"""The critical path by the log of the executor that defines: for chips whose paths the fast one does not keep."""

from __future__ import annotations

import numpy as np

from emu.isa.codes import ASK_OF
from emu.program.nesting import operations
from emu.timing.basis.log import Log, Reason
from emu.timing.basis.refused import TimingRefused
from emu.timing.executor.step import step
from emu.timing.path.path import PathStretch, Work
from emu.timing.setup import Setup

MOST = 200_000  # operations: each takes it some ten microseconds and moments


def logged_path(setup: Setup) -> list[PathStretch]:
    """The stretches of the path of the first sample in order of time; raises TimingRefused for long programs."""
    timed = [section for core in setup.cores.values() for section in core.sections.values()]
    count = sum(int(operations(section.view.section).sum()) for section in timed)
    if count > MOST:
        raise TimingRefused(
            f"no critical path: operations in flight wait for ports of local memory, and {count} operations are more"
            f" than the {MOST} that are followed one by one: take a chip without timing.local_ports, or with"
            " timing.window = 1"
        )
    timing = step(setup, log=True)
    log = timing.log
    last = log.last(0) if log is not None else -1
    if log is None or last < 0:
        return []
    asks = {core: ASK_OF[entry.sections["main"].view.section.columns["op"]] > 0 for core, entry in setup.cores.items()}
    return _stretches(log, log.path(last), asks, timing.main.begin)


def _stretches(log: Log, path: np.ndarray, asks: dict[int, np.ndarray], begin: int) -> list[PathStretch]:
    """The moments of the path, those of one core and kind together; what was before `begin` (ps) is left out."""
    found: list[PathStretch] = []
    now, before = begin, -1
    columns = (log.core, log.section, log.instruction, log.time, log.reason)
    for core, section, instruction, time, reason in zip(*(column[path].tolist() for column in columns), strict=True):
        if section == 0:
            continue
        request = bool(asks[core][instruction]) and reason not in (Reason.FRONT, Reason.BEGIN)
        work: Work = instruction, reason not in (Reason.FRONT, Reason.BEGIN)
        peer = before if request and before not in (-1, core) else None
        if not found or (found[-1].core, found[-1].request) != (core, request) or peer is not None:
            found.append(PathStretch(core, now - begin, now - begin, {}, request, peer))
        stretch = found[-1]
        if time > now:
            stretch.parts[work] = stretch.parts.get(work, 0) + time - now
        now = max(now, time)
        found[-1] = PathStretch(core, stretch.begin, now - begin, stretch.parts, request, stretch.peer)
        before = core
    return [stretch for stretch in found if stretch.parts]
