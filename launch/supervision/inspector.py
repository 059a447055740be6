"""Answers the questions of the state machine from the machine and its board, and turns causes into errors."""

from __future__ import annotations

import math
import time
from typing import assert_never

from emu.errors import EmuError, InputError
from emu.noc.watch.joining import joining, waits
from emu.noc.watch.watch import Watch
from emu.wording import core_name
from launch.processes.log import core_log, tail
from launch.processes.machine import Machine
from launch.processes.orders import OTHERS, ProcessReport, ReportKind
from launch.processes.status import StoppedProcess, on_machine
from launch.supervision import actions, causes, events
from launch.supervision.errors import (
    CoreDied,
    CoreTrapped,
    Deadlock,
    HostLost,
    MessageDamaged,
    MessageLost,
    NeverStarted,
    RunTimeout,
)
from launch.supervision.stopped_processes import stop_sentence


class Inspector:
    """Inspects `machine` on demand; `watch` reads its board, and logs of cores are in `log_dir` (None: no logs)."""

    def __init__(self, machine: Machine, watch: Watch, log_dir: str | None) -> None:
        self._machine, self._watch, self._log_dir = machine, watch, log_dir
        self._looked = -math.inf  # when the last look at the board had ended

    def answer(self, question: actions.Question) -> events.Event:
        """The event that answers `question` now."""
        match question:
            case actions.ReadBoard(settled):
                return self._board(settled)
            case actions.InspectThreads():
                return events.ThreadsSeen(self._machine.status.run_counts())
            case actions.InspectMembers(silent, awake):
                return self._members(silent, awake)
            case actions.FindStopped():
                stopped = self._machine.status.stopped()
                return events.StoppedSeen({process.name: self._sentence(process) for process in stopped})
            case actions.CountCores():
                return events.CoresCounted(self._machine.status.forked())

    def unfinished(self) -> list[str]:
        """What each unfinished process is doing, stopped ones first."""
        stopped = self._machine.status.stopped()
        cores = [process.core for process in stopped if process.core is not None]
        return [*map(self._sentence, stopped), *self._watch.unfinished(cores)]

    def error(self, cause: causes.Cause) -> EmuError:
        """The error for `cause`, with all that is known of it now."""
        self._machine.refresh()
        match cause:
            case causes.ProcessRefused(text):
                return InputError(text)
            case causes.Trapped(_, records):
                return CoreTrapped(records)
            case causes.Deadlocked(report):
                return Deadlock(report)
            case causes.Damaged(report):
                return MessageDamaged(report.core, report.text, self._watch.place(report.core))
            case causes.Died(report):
                return HostLost(report.text) if report.event is ReportKind.LOST else self._died(report)
            case causes.MessagesLost(overdue):
                return MessageLost(self._watch.losses(overdue))
            case causes.Unstartable():
                return NeverStarted(waits(self._machine.board, self._machine.status.name))
            case causes.TimedOut(seconds):
                return RunTimeout(seconds, self.unfinished())
            case _:
                assert_never(cause)

    def _board(self, settled: bool) -> events.BoardRead | events.BoardOutdated:
        if self._machine.refresh() <= self._looked:
            return events.BoardOutdated()
        deadlock = self._watch.deadlock()
        last = self._watch.settled() if settled or deadlock is not None else events.NOT_SETTLED
        seen = events.BoardRead(deadlock, last, self._watch.overdue(), joining(self._machine.board))
        self._looked = time.monotonic()
        return seen

    def _members(self, silent: tuple[int, ...], awake: frozenset[str]) -> events.MembersSeen:
        status = self._machine.status
        run_counts = status.run_counts(silent)
        if run_counts is None:  # who else is awake does not matter then
            return events.MembersSeen(None, awake)
        return events.MembersSeen(run_counts, status.awake(awake or status.members() - set(map(status.name, silent))))

    def _sentence(self, process: StoppedProcess) -> str:
        place = None if process.core is None else self._watch.place(process.core)
        return stop_sentence(process.name, process.reason, place)

    def _died(self, report: ProcessReport) -> CoreDied:
        if report.core in OTHERS:
            who = on_machine(OTHERS[report.core], report.machine)
            return CoreDied(who, None, report.status, traceback=report.text)
        place, log = self._watch.place(report.core), tail(self._log_dir, core_log(report.core))
        who = on_machine(core_name(report.core), report.machine)
        return CoreDied(who, report.core, report.status, place, report.text, log)
