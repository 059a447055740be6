"""Runs all cores of a chip in turn in one process; reports a deadlock exactly when there is one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping

from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import INIT_SAMPLE, CoreTrap, TrapRecord
from emu.noc.deadlock.place import Place, place_of
from emu.noc.deadlock.waitfor import Blocked, DeadlockReport, find_deadlock
from emu.noc.in_process.queues import Fabric, QueuePort
from emu.noc.ports.machine import Machine
from emu.noc.ports.port import PortFault
from emu.noc.traffic.traffic import event_sources
from emu.program.program import Program

CLOCK_TURNS = 256  # turns between two looks at the clock


class ChipTrapped(Exception):
    """At least one core trapped; `records` are those of all cores that trapped, the first one first."""

    def __init__(self, records: list[TrapRecord]) -> None:
        super().__init__(str(records[0]))
        self.records = records


class ChipDeadlocked(Exception):
    """No core can go on."""

    def __init__(self, report: DeadlockReport) -> None:
        super().__init__(str(report))
        self.report = report


class OutOfTime(Exception):
    """The deadline passed before all cores had halted."""


class RoundRobin:
    """All cores with a program, in turn: `step` cores for one instruction, `batch` cores until they need something."""

    def __init__(self, machines: Mapping[int, Machine], programs: Mapping[int, Program], fabric: Fabric) -> None:
        self._machines, self._programs, self._fabric = dict(machines), programs, fabric
        self._ports: dict[int, QueuePort] = {c: fabric.port(c, m.events) for c, m in self._machines.items()}
        self._pending: dict[int, Request] = {}  # what each blocked core waits for
        self._turns: deque[int] = deque()
        self._queued: set[int] = set()
        self._running: set[int] = set()
        self._traps: list[CoreTrap] = []
        self._sample = INIT_SAMPLE
        fabric.wake = self._wake

    def run(self, section: str, sample: int, deadline: float | None = None) -> None:
        """Run `init` or `main` of one sample on all cores until they halt, or until none can go on.

        `deadline` is a time of `time.monotonic`. Raises ChipTrapped, ChipDeadlocked or OutOfTime.
        """
        self._traps.clear()
        self._pending.clear()
        self._sample = INIT_SAMPLE if section == "init" else sample
        self._running = set(self._machines)
        for core, machine in self._machines.items():
            machine.begin(section, max(sample, 0))
            self._wake(core)
        self._take_turns(deadline)
        if self._traps:
            raise ChipTrapped([trap.record for trap in self._traps]) from self._traps[0]
        if self._running:
            raise ChipDeadlocked(self._report())

    def unfinished(self) -> list[str]:
        """What each core does that has not halted, by core number."""
        return [self._describe(core) for core in sorted(self._running)]

    def _describe(self, core: int) -> str:
        return str(self._blocked(core)) if core in self._pending else f"core {core} computed at {self._place(core)}"

    def _take_turns(self, deadline: float | None) -> None:
        turn = 0
        while self._turns:
            core = self._turns.popleft()
            self._queued.discard(core)
            try:
                if self._advance(core):
                    self._wake(core)
            except CoreTrap as trap:
                self._running.discard(core)
                self._traps.append(trap)
            turn += 1
            if deadline is not None and turn % CLOCK_TURNS == 0 and time.monotonic() > deadline:
                raise OutOfTime

    def _advance(self, core: int) -> bool:
        """One turn of `core`; whether it wants another one without being woken."""
        machine, port = self._machines[core], self._ports[core]
        request = self._pending.pop(core, None)
        try:
            if request is None:
                step = machine.advance()
                if isinstance(step, Progress):
                    return self._progress(core, step)
                request, complete = step, port.start(step, self._sample)
            else:
                complete = port.poll()
        except PortFault as fault:
            raise machine.trap(fault.reason, value=fault.value, limit=fault.limit) from None
        if complete:
            machine.complete(request)
        else:
            self._pending[core] = request
        return complete

    def _progress(self, core: int, progress: Progress) -> bool:
        if progress is Progress.HALTED:
            self._running.discard(core)
            self._ports[core].end(self._sample)
        return progress is Progress.RUNNING

    def _wake(self, core: int) -> None:
        if core in self._running and core not in self._queued:
            self._queued.add(core)
            self._turns.append(core)

    def _blocked(self, core: int) -> Blocked:
        return Blocked(core, *self._ports[core].blocked, self._place(core))

    def _place(self, core: int) -> Place:
        section, index, counters, _ = self._machines[core].position()
        return place_of(self._programs[core], section, index, counters, self._sample)

    def _report(self) -> DeadlockReport:
        blocked = {core: self._blocked(core) for core in self._running}
        halted = dict.fromkeys(self._machines.keys() - self._running, self._sample)
        report = find_deadlock(blocked, halted, event_sources(self._programs))
        if report is None:
            raise RuntimeError("no core can run, yet none waits for another: the scheduler lost a wake-up")
        return report
