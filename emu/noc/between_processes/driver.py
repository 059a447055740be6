"""Drives one core by blocking requests: what a core process does from power-on to the end."""

from __future__ import annotations

from typing import Protocol

from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import INIT_SAMPLE
from emu.noc.ports.port import Port, PortFault
from emu.noc.ports.resumable_core import ResumableCore
from emu.noc.watch.board import Activity, BoardRow


class SampleLog(Protocol):
    """Where a driver notes its progress."""

    def begins(self, sample: int) -> None:
        """`sample` (INIT_SAMPLE: `init`) begins."""
        ...

    def ends(self, sample: int) -> None:
        """`sample` is done."""
        ...


def drive(resumable: ResumableCore, port: Port, row: BoardRow, log: SampleLog) -> None:
    """Run `init`, then `main` for one sample after the other as their inputs arrive; never returns.

    Raises CoreTrap.
    """
    port.attach(resumable.events)
    sample = INIT_SAMPLE
    while True:
        port.begin(sample)
        log.begins(sample)
        run_section(resumable, port, row, sample)
        log.ends(sample)
        port.end(sample)
        sample += 1


def run_section(resumable: ResumableCore, port: Port, row: BoardRow, sample: int) -> None:
    """Run `main` of `sample`, or `init` if it is INIT_SAMPLE; raises CoreTrap."""
    section = "init" if sample == INIT_SAMPLE else "main"
    resumable.begin(section, max(sample, 0))
    row.at((section, 0, (), sample), sample)
    row.does(Activity.RUNNING)
    while (step := resumable.advance()) is not Progress.HALTED:
        if isinstance(step, Progress):
            continue
        row.at(resumable.position(), sample)
        _fulfil(resumable, port, step, sample)
        row.runs()


def _fulfil(resumable: ResumableCore, port: Port, request: Request, sample: int) -> None:
    try:
        if not port.start(request, sample):
            port.wait()
    except PortFault as fault:
        raise resumable.trap(fault.reason, value=fault.value, limit=fault.limit) from fault
    resumable.complete(request)
