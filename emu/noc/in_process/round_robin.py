"""Runs all cores of a chip in turn in one process; reports a deadlock exactly when there is one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import INIT_SAMPLE, CoreTrap, TrapRecord
from emu.noc.deadlock.place import ProgramPlace, place_of
from emu.noc.deadlock.waitfor import Blocked, DeadlockReport, find_deadlock
from emu.noc.in_process.queues import Fabric, FabricState, PortState, QueuePort
from emu.noc.ports.port import PortFault
from emu.noc.ports.resumable_core import ResumableCore
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


@dataclass(frozen=True, slots=True)
class SchedulerState:
    """Where a `RoundRobin` stands between two turns. Requests and lent data refer to the memory of the cores."""

    pending: Mapping[int, Request]
    turns: tuple[int, ...]
    running: frozenset[int]
    traps: tuple[CoreTrap, ...]
    sample: int
    ports: Mapping[int, PortState]
    fabric: FabricState


class RoundRobin:
    """All cores with a program, in turn: `step` cores for one instruction, `batch` cores until they need something."""

    def __init__(
        self, resumables: Mapping[int, ResumableCore], programs: Mapping[int, Program], fabric: Fabric
    ) -> None:
        self._resumables, self._programs, self._fabric = dict(resumables), programs, fabric
        self._ports: dict[int, QueuePort] = {c: fabric.port(c, m.events) for c, m in self._resumables.items()}
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
        self.begin(section, sample)
        turn = 0
        while self._turns:
            self.turn()
            turn += 1
            if deadline is not None and turn % CLOCK_TURNS == 0 and time.monotonic() > deadline:
                raise OutOfTime
        self.finish()

    def begin(self, section: str, sample: int) -> None:
        """Let all cores stand at the begin of `init`, or of `main` of a sample; `turn` runs them."""
        self._traps.clear()
        self._pending.clear()
        self._sample = INIT_SAMPLE if section == "init" else sample
        self._running = set(self._resumables)
        for core, resumable in self._resumables.items():
            resumable.begin(section, max(sample, 0))
            self._wake(core)

    @property
    def upcoming(self) -> int | None:
        """The core whose turn is next; None if no core can go on, whether all have halted or not."""
        return self._turns[0] if self._turns else None

    def turn(self) -> None:
        """One turn of the core that is `upcoming`: some of its program, or a look whether its request is fulfilled."""
        core = self._turns.popleft()
        self._queued.discard(core)
        try:
            if self._advance(core):
                self._wake(core)
        except CoreTrap as trap:
            self._running.discard(core)
            self._traps.append(trap)

    def finish(self) -> None:
        """No core is upcoming: raises ChipTrapped or ChipDeadlocked unless all have halted."""
        if self._traps:
            raise ChipTrapped([trap.record for trap in self._traps]) from self._traps[0]
        if self._running:
            raise ChipDeadlocked(self._report())

    @property
    def running(self) -> Collection[int]:
        """The cores that have neither halted nor trapped."""
        return self._running

    @property
    def traps(self) -> list[TrapRecord]:
        """Of the cores that have trapped in this section, the first one first."""
        return [trap.record for trap in self._traps]

    def open_request(self, core: int) -> Request | None:
        """The request of `core` that is begun and not known to be complete."""
        return self._pending.get(core)

    def waiting(self) -> dict[int, Blocked]:
        """What each core with an open request waits for, by core."""
        return {core: self._blocked(core) for core in sorted(self._pending)}

    def deadlock(self) -> DeadlockReport | None:
        """The cores that can never go on, whatever the others do yet."""
        certain = {core: self._blocked(core) for core in self._pending if core not in self._queued}
        return find_deadlock(certain, self._halted(), event_sources(self._programs))

    def save(self) -> SchedulerState:
        """All that the turns to come depend on, but for the cores themselves and global memory."""
        ports = {core: port.save() for core, port in self._ports.items()}
        fabric, traps = self._fabric.save(), tuple(self._traps)
        return SchedulerState(
            dict(self._pending), tuple(self._turns), frozenset(self._running), traps, self._sample, ports, fabric
        )

    def restore(self, state: SchedulerState) -> None:
        """Stand where `save` was called; the caller puts back the cores, whose open requests are `state.pending`."""
        self._pending, self._turns, self._queued = dict(state.pending), deque(state.turns), set(state.turns)
        self._running, self._traps, self._sample = set(state.running), list(state.traps), state.sample
        self._fabric.restore(state.fabric)
        for core, port in self._ports.items():
            port.restore(state.ports[core])

    def unfinished(self) -> list[str]:
        """What each core does that has not halted, by core number."""
        return [self._describe(core) for core in sorted(self._running)]

    def _describe(self, core: int) -> str:
        return str(self._blocked(core)) if core in self._pending else f"core {core} computed at {self._place(core)}"

    def _advance(self, core: int) -> bool:
        """One turn of `core`; whether it wants another one without being woken."""
        resumable, port = self._resumables[core], self._ports[core]
        request = self._pending.pop(core, None)
        try:
            if request is None:
                step = resumable.advance()
                if isinstance(step, Progress):
                    return self._progress(core, step)
                request, complete = step, port.start(step, self._sample)
            else:
                complete = port.poll()
        except PortFault as fault:
            raise resumable.trap(fault.reason, value=fault.value, limit=fault.limit) from None
        if complete:
            resumable.complete(request)
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

    def _place(self, core: int) -> ProgramPlace:
        section, index, counters, _ = self._resumables[core].position()
        return place_of(self._programs[core], section, index, counters, self._sample)

    def _report(self) -> DeadlockReport:
        blocked = {core: self._blocked(core) for core in self._running}
        report = find_deadlock(blocked, self._halted(), event_sources(self._programs))
        if report is None:
            raise RuntimeError("no core can run, yet none waits for another: the scheduler lost a wake-up")
        return report

    def _halted(self) -> dict[int, int]:
        return dict.fromkeys(self._resumables.keys() - self._running, self._sample)
