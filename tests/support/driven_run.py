"""A run without processes: a `RunState` that is driven by events, in a world that answers as a test says."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from emu.core.trap import TrapRecord
from emu.noc.deadlock.place import ProgramPlace
from emu.noc.deadlock.waitfor import Blocked, DeadlockReport, Direction
from emu.noc.memory.host_link import SampleOutputs
from emu.noc.watch.joining import JoinProgress
from emu.noc.watch.watch import Overdue
from launch.processes.orders import MEMORY_NODE, ProcessReport, ReportKind
from launch.supervision import actions as do
from launch.supervision import events as on
from launch.supervision.causes import Cause
from launch.supervision.run_state import RunPhase, RunState

TICK = 0.05
BOUND = ProcessReport(ReportKind.BOUND, MEMORY_NODE, "ipc://memory", process=7)


def trap(core: int, sample: int, peer: int = -1) -> ProcessReport:
    section = "init" if sample < 0 else "main"
    return ProcessReport(
        ReportKind.TRAP, core, peer=peer, record=TrapRecord(core, section, 0, "ld", (), sample, "", "undefined read")
    )


def ends(core: int, kind: ReportKind = ReportKind.EXIT) -> ProcessReport:
    return ProcessReport(kind, core, "why", status=-9)


def error(text: str = "the log is a directory") -> ProcessReport:
    return ProcessReport(ReportKind.ERROR, 0, text)


def result(sample: int) -> SampleOutputs:
    return SampleOutputs(sample, [], [], {}, unsettled=False)


def deadlock(sample: int) -> DeadlockReport:
    place = ProgramPlace("main", 0, "", (), sample, "")
    edges = tuple(Blocked(core, Direction.RECV, 1 - core, 0, place) for core in (0, 1))
    return DeadlockReport(edges, True, None, (0, 1))


def overdue(rows: bytes) -> Overdue:
    return Overdue([], rows)


def joining(moved: bytes, said: int = 0) -> JoinProgress:
    """One core, which has said `said` times what nobody answers."""
    return JoinProgress(moved, np.array([said]), np.array([True]), [])


@dataclass
class World:
    """What is to be seen of processes and board, unless that is `outdated`."""

    outdated: bool = False
    deadlock: DeadlockReport | None = None
    settled: int = on.NOT_SETTLED
    overdue: Overdue | None = None
    joining: JoinProgress | None = None
    run_counts: dict[str, str] | None = None
    awake: frozenset[str] = frozenset()
    stopped: dict[str, str] = field(default_factory=dict)
    forked: int = 0

    def answer(self, question: do.Question) -> on.Event:
        match question:
            case do.ReadBoard() if self.outdated:
                return on.BoardOutdated()
            case do.ReadBoard():
                return on.BoardRead(self.deadlock, self.settled, self.overdue, self.joining)
            case do.InspectThreads():
                return on.ThreadsSeen(self.run_counts)
            case do.InspectMembers():
                return on.MembersSeen(self.run_counts, self.awake)
            case do.FindStopped():
                return on.StoppedSeen(self.stopped)
            case do.CountCores():
                return on.CoresCounted(self.forked)


class DrivenRun:
    """Does what the supervisor does: asks again after each answer, and lets the world answer questions.

    `history` is all that went in and came out, in order; `fed`, `actions`, `answers` ... are parts of it.
    """

    def __init__(self, timeout: float | None = None, grace: float = 0.5) -> None:
        self.state, self.world, self.timeout = RunState(grace, notices=True), World(), timeout
        self.now = self.asked = 0.0
        self.history: list[on.Event | do.Action] = []
        self.ask()

    def feed(self, *events: on.Event) -> DrivenRun:
        """These happen now, one after the other."""
        for event in events:
            if self._handle(event):
                self.ask()
        return self

    def ask(self) -> None:
        """Somebody waits for what comes next."""
        self.asked = self.now
        self._handle(on.WaitStarted(self.timeout))

    def _handle(self, event: on.Event) -> bool:
        """Whether that, with all that it leads to, is an answer."""
        answered, coming = False, [event]
        for each in coming:
            self.history.append(each)
            for action in self.state.handle(each, self.now):
                self.history.append(action)
                answered |= isinstance(action, do.Answer)
                if isinstance(action, do.Question):
                    coming.append(self.world.answer(action))
        return answered

    def reports(self, *reports: ProcessReport) -> DrivenRun:
        return self.feed(on.Reported(reports))

    def passes(self, seconds: float, tick: float = TICK) -> DrivenRun:
        """Nothing comes for so long."""
        end = self.now + seconds
        while self.now < end and not self.ended:
            self.now += tick
            self.feed(on.Tick())
        return self

    def running(self, results: int = 0) -> DrivenRun:
        """All have started, and so many results have come."""
        self.reports(BOUND).feed(on.StartAllowed())
        return self.feed(*(on.Finished(result(sample)) for sample in range(results)))

    @property
    def ended(self) -> bool:
        return self.state.phase is RunPhase.ENDED

    @property
    def fed(self) -> list[on.Event]:
        return [each for each in self.history if isinstance(each, on.Event)]

    @property
    def actions(self) -> list[do.Action]:
        return [each for each in self.history if isinstance(each, do.Action)]

    @property
    def answers(self) -> list[do.Answer]:
        return [each for each in self.history if isinstance(each, do.Answer)]

    @property
    def delivered(self) -> list[int]:
        return [answer.result.sample for answer in self.answers if isinstance(answer, do.Deliver)]

    @property
    def causes(self) -> list[Cause]:
        return [action.cause for action in self.history if isinstance(action, do.Fail)]

    @property
    def notes(self) -> list[str]:
        return [action.text for action in self.history if isinstance(action, do.Notify)]

    @property
    def nudged(self) -> bool:
        return self.count(do.Nudge) > 0

    def count(self, kind: type[do.Action]) -> int:
        return sum(isinstance(each, kind) for each in self.history)
