"""An operation in flight, and the records that all of them share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from emu.noc.traffic.topology import Link
from emu.timing.basis.event_queue import Turn
from emu.timing.basis.log import LogBuilder, OperationPhase, Reason
from emu.timing.basis.result import Cause, SectionTiming
from emu.timing.executor.kernel import Process, ProcessLoop, Service
from emu.timing.executor.ports import Ports
from emu.timing.executor.walk import WalkedOperation
from emu.timing.setup import SECTIONS, Setup, TimedSection


@dataclass(slots=True)
class Records:
    """What a section's operations add up to; see SectionTiming."""

    busy: dict[int, np.ndarray]
    blocked: dict[int, np.ndarray]
    executions: dict[int, np.ndarray]
    ends: dict[int, list[int]]
    waits: dict[tuple[int, Cause, int], int] = field(default_factory=dict)
    links: dict[Link, int] = field(default_factory=dict)
    memory: int = 0

    @classmethod
    def of(cls, setup: Setup, section: str) -> Records:
        """Nothing yet."""
        cores = setup.cores.items()
        return cls(
            {number: np.zeros(core.units, np.int64) for number, core in cores},
            {number: np.zeros(len(Cause), np.int64) for number, _ in cores},
            {number: np.zeros(len(core.sections[section].view.section), np.int64) for number, core in cores},
            {number: [] for number, _ in cores},
        )

    def timing(self, begin: int, samples: int) -> SectionTiming:
        """The result."""
        ends = np.array([self.ends[core] for core in self.ends], np.int64).reshape(len(self.ends), samples)
        blocked = np.array(list(self.blocked.values()), np.int64).reshape(len(self.ends), len(Cause))
        busy, executions = tuple(self.busy.values()), tuple(self.executions.values())
        return SectionTiming(begin, ends, busy, blocked, self.waits, executions, self.memory, self.links)


@dataclass(slots=True)
class Flight:
    """An operation from its start on: whose it is, what it costs, when it started, and its latest moment in the log."""

    core: int
    section: str
    sample: int
    operation: WalkedOperation
    timed: TimedSection
    kernel: ProcessLoop
    records: Records
    log: LogBuilder
    moment: int
    started: int = 0
    phase: OperationPhase = OperationPhase.START
    has_read: bool = False
    finished: bool = False

    def cost(self, column: str) -> int:
        """Its entry of a column of the costs."""
        return int(getattr(self.timed.costs, column)[self.operation.instruction])

    def field(self, column: str) -> int:
        """Its entry of a column of the section."""
        return int(self.timed.view.section.columns[column][self.operation.instruction])

    @property
    def turn(self) -> Turn:
        """When it is served among others that ask at the same time."""
        return self.core, self.operation.number

    def block(self, cause: Cause, time: int, peer: int | None = None) -> None:
        """Count a wait of so many ps."""
        if time:
            self.records.blocked[self.core][cause] += time
            if peer is not None:
                key = self.core, cause, peer
                self.records.waits[key] = self.records.waits.get(key, 0) + time

    def note(self, phase: OperationPhase, reason: Reason, before: int | None = None, time: int | None = None) -> int:
        """Log a moment, of now or `time`; what decided it is the latest one of this operation, or `before`."""
        return self.log.add(
            self.core,
            SECTIONS.index(self.section),
            self.sample,
            self.operation.instruction,
            self.operation.number,
            phase,
            self.kernel.now if time is None else time,
            self.moment if before is None else before,
            reason,
        )

    def mark(self, phase: OperationPhase, reason: Reason, before: int | None = None, time: int | None = None) -> None:
        """The same, and it is from now on the latest one of this operation."""
        self.moment, self.phase = self.note(phase, reason, before, time), phase

    def serve(self, ports: Ports, phase: OperationPhase, duration: int, reasons: tuple[Reason, Reason]) -> Process:
        """Wait for a port, and then for its service; the second reason is logged if others were served before."""

        def mark(end: int, before: int) -> int:
            waited = before >= 0
            self.mark(phase, reasons[waited], before if waited else None, end)
            return self.moment

        if duration:
            yield Service(self.turn, lambda now: ports.take(now, duration, mark))
