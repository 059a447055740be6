"""The state machine of a run: pure, without clock, sockets, processes or shared memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from emu.core.trap import INIT_SAMPLE
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.memory.host_link import SampleOutputs
from launch.processes import orders
from launch.processes.orders import OTHERS, ProcessReport
from launch.supervision import actions as do
from launch.supervision import events as on
from launch.supervision.actions import Action
from launch.supervision.causes import (
    Cause,
    Damaged,
    Deadlocked,
    Died,
    Failure,
    MessagesLost,
    ProcessRefused,
    TimedOut,
    Unstartable,
)
from launch.supervision.loss_detector import LossDetector
from launch.supervision.start_watch import StartWatch
from launch.supervision.stopped_processes import StoppedProcesses
from launch.supervision.traps import ReportedTraps

GRACE = 0.05  # seconds in which other cores may still trap
PATIENCE = 10.0  # seconds for cores that have not come to an end in the sample that failed
# After which a core comes to no end.
ENDS = (orders.ReportKind.DAMAGED, orders.ReportKind.BUG, orders.ReportKind.EXIT, orders.ReportKind.LOST)


class RunPhase(Enum):
    """The phase of a run."""

    BINDING = "binding"
    JOINING = "joining"
    RUNNING = "running"
    SETTLING = "settling"
    FAILING = "failing"
    ENDED = "ended"


class RunState:
    """The state of one run, from the orders to its end: `handle` each event, and perform the actions in their order.

    | phase    | waits for                                       | and becomes                                       |
    |----------|-------------------------------------------------|---------------------------------------------------|
    | BINDING  | the memory node's endpoint (BOUND: Connect)     | JOINING                                           |
    | JOINING  | the word that all may start (Opened: Begin)     | RUNNING; SETTLING if a core has trapped meanwhile |
    | RUNNING  | results (Finished: Deliver)                     | SETTLING by a trap, FAILING by a settled deadlock |
    | SETTLING | what else goes wrong in the sample that failed, | FAILING once all have come to their end in it,    |
    |          | and results of samples before it                | after PATIENCE, or GRACE after somebody has died  |
    | FAILING  | results of the samples before the failed one    | ENDED when none is due, or none came for PATIENCE |
    | ENDED    | nothing: all events are ignored                 |                                                   |

    In every phase Quit closes the machine, and an ERROR report ends the run at once. Any other cause (somebody died, a
    message was damaged or lost, nobody can start, time is over) does so only if nothing had failed before: what
    happened first in a core counts before what follows from it. Silent leads to questions, whose answers are events
    again. Time is what events say, and counts only while somebody waits: from Asked to an answer.

    `grace` is that of the transport, `notices` whether somebody is told of stopped processes. If `cores` is not 0,
    somebody is told how many of them are there, until all may start.
    """

    def __init__(self, grace: float, notices: bool = False) -> None:
        self.phase = RunPhase.BINDING
        self.cores = 0
        self._notices = notices
        self._forked = 0  # cores that have been there: an idle one may end before the others run
        self._waiting = False
        self._timeout = self._deadline = math.inf
        self._due = INIT_SAMPLE - 1  # the next answer: the endpoint, the start (INIT_SAMPLE), and then samples
        self._traps = ReportedTraps()
        self._failure: Failure | None = None
        self._deadlock: DeadlockReport | None = None  # the present one
        self._stuck_since: float | None = None  # when it was seen first
        self._span, self._until = PATIENCE, math.inf  # how long SETTLING and FAILING may take without an answer
        self._stopped, self._losses, self._start_watch = StoppedProcesses(), LossDetector(grace), StartWatch(grace)

    def handle(self, event: on.Event, now: float) -> list[Action]:
        """What is to be done about `event`, which happens `now` (seconds of a clock that never goes back)."""
        if self.phase is RunPhase.ENDED:
            return []
        actions = self._respond(event, now)
        if self._waiting and not any(isinstance(action, do.Question) for action in actions):
            actions += self._check_time(now)  # the answers to questions come first
        return actions

    def _respond(self, event: on.Event, now: float) -> list[Action]:
        match event:
            case on.Finished(result):
                return self._finished(result)
            case on.WaitStarted(timeout):
                return self._wait_started(timeout, now)
            case on.Reported(reports):
                return self._reported(reports, now)
            case on.StartAllowed():
                return self._start_allowed(now)
            case on.Tick():
                return self._tick(now)
            case on.BoardRead():
                return self._board_read(event, now)
            case on.BoardOutdated():
                return []
            case on.ThreadsSeen(run_counts):
                overdue = self._losses.judge(run_counts, now)
                return self._give_up(MessagesLost(overdue)) if overdue else []
            case on.MembersSeen(run_counts, awake):
                return self._give_up(Unstartable()) if self._start_watch.judge(run_counts, awake) else []
            case on.StoppedSeen(stopped):
                return [do.Notify(text) for text in self._stopped.changes(stopped)]
            case on.CoresCounted(cores):
                self._forked = min(self.cores, max(self._forked, cores))
                return [do.ForkProgress(self._forked)]
            case on.Quit():
                self.phase = RunPhase.ENDED
                return [do.Close()]

    def _wait_started(self, timeout: float | None, now: float) -> list[Action]:
        self._waiting = True
        self._timeout = math.inf if timeout is None else timeout
        self._deadline, self._until = now + self._timeout, now + self._span
        if self.phase is not RunPhase.BINDING:
            self._stopped.restart(now)
        return []

    def _answer(self, answer: do.Answer, due: int) -> list[Action]:
        """Give `answer` to the caller, whose next question is for `due`."""
        self._waiting, self._due = False, due
        return [answer]

    def _reported(self, reports: Sequence[ProcessReport], now: float) -> list[Action]:
        for report in reports:
            if report.event is orders.ReportKind.ERROR:
                return self._end(ProcessRefused(report.text))
        deaths = [report for report in reports if report.event in ENDS]
        self._traps.add(reports, now)
        if self.phase is RunPhase.SETTLING or self.phase is RunPhase.FAILING:
            if (self.phase is RunPhase.SETTLING and deaths) or any(report.core in OTHERS for report in deaths):
                self._hurry(now)
        elif self._traps and (self.phase is RunPhase.RUNNING or deaths):
            self._settle(now)
            if deaths:
                self._hurry(now)
        elif deaths:
            first = deaths[0]
            return self._end(Damaged(first) if first.event is orders.ReportKind.DAMAGED else Died(first))
        return self._bound(reports)

    def _bound(self, reports: Sequence[ProcessReport]) -> list[Action]:
        endpoint = next((report.text for report in reports if report.event is orders.ReportKind.BOUND), None)
        if endpoint is None or self._due >= INIT_SAMPLE:
            return []
        if self.phase is RunPhase.BINDING:
            self.phase = RunPhase.JOINING
        return self._answer(do.Connect(endpoint), INIT_SAMPLE)

    def _start_allowed(self, now: float) -> list[Action]:
        if self._due != INIT_SAMPLE:
            return []
        if self.phase is RunPhase.JOINING:
            self.phase = RunPhase.RUNNING
            if self._traps:
                self._settle(now)
        return self._answer(do.Begin(), 0)

    def _finished(self, result: SampleOutputs) -> list[Action]:
        failed = self._failure or self._traps
        if not 0 <= self._due <= result.sample or (failed and result.sample >= failed.sample):
            return []
        return self._answer(do.Deliver(result), result.sample + 1)

    def _tick(self, now: float) -> list[Action]:
        actions: list[Action] = []
        if self._due == INIT_SAMPLE:
            actions.append(do.Remind())
            if self.cores:
                actions.append(do.CountCores())
        if self._notices and self._stopped.due(now):
            actions.append(do.FindStopped())
        return [*actions, do.ReadBoard(settled=self.phase is RunPhase.SETTLING)]

    def _board_read(self, seen: on.BoardRead, now: float) -> list[Action]:
        self._deadlock = seen.deadlock
        if seen.deadlock is None:
            self._stuck_since = None
        if self.phase is RunPhase.FAILING:
            return []
        if self.phase is RunPhase.SETTLING:
            quiet = now - self._traps.last >= GRACE and not self._traps.expected
            return self._judge(now) if quiet and seen.settled >= self._traps.sample else []
        actions: list[Action] = []
        if self.phase is not RunPhase.BINDING:
            if seen.deadlock is not None and self._is_final(seen.deadlock, seen.settled, now):
                stuck = Deadlocked(seen.deadlock)
                return self._fail(self._traps.failure(seen.deadlock) if self._traps else stuck, now)
            if self._losses.look(seen.overdue, now):
                actions.append(do.InspectThreads())
        members = self._start_watch.look(seen.joining, now)
        return actions if members is None else [*actions, members]

    def _is_final(self, deadlock: DeadlockReport, settled: int, now: float) -> bool:
        """Whether no other core can still join the `deadlock`, or trap, in its sample."""
        if self._stuck_since is None:
            self._stuck_since = now
        return settled >= deadlock.sample or now - self._stuck_since > PATIENCE

    def _settle(self, now: float) -> None:
        """Cores have trapped: wait for further traps and deadlocks of the sample."""
        self.phase, self._deadlock = RunPhase.SETTLING, None
        self._span, self._until = PATIENCE, now + PATIENCE

    def _hurry(self, now: float) -> None:
        """A process that is waited for has died."""
        self._span, self._until = GRACE, min(self._until, now + GRACE)

    def _judge(self, now: float) -> list[Action]:
        """Enough is known of the traps."""
        return self._fail(self._traps.failure(self._deadlock), now)

    def _fail(self, failure: Failure, now: float) -> list[Action]:
        """A sample has failed; earlier ones are finished, which the memory node may not have noticed."""
        self.phase, self._failure = RunPhase.FAILING, failure
        self._span, self._until = PATIENCE, now + PATIENCE
        return [do.Nudge()]

    def _check_time(self, now: float) -> list[Action]:
        actions: list[Action] = []
        if self.phase is RunPhase.SETTLING and now > self._until:
            actions = self._judge(now)
        if self._failure is not None and (self._due >= self._failure.sample or now > self._until):
            return actions + self._end(self._failure)
        if now > self._deadline:
            return actions + self._give_up(TimedOut(self._timeout))
        return actions

    def _give_up(self, cause: Cause) -> list[Action]:
        """End with the failure that preceded `cause`, or with `cause`."""
        if self._failure is None and self._traps:
            self._failure = self._traps.failure(self._deadlock)
        return self._end(self._failure or cause)

    def _end(self, cause: Cause) -> list[Action]:
        self.phase, self._waiting = RunPhase.ENDED, False
        return [do.Fail(cause), do.Close()]
