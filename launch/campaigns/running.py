"""Runs cases, some at a time, until all are done, the deadline passes, one fails, or the command is ended."""

from __future__ import annotations

import math
import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType

from emu.errors import InputError, option
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.case_process import recalled
from launch.campaigns.outcomes import Judge, judged, outcome
from launch.campaigns.starting import Place, RunningCase, WarmProcesses
from launch.system.cleanup import Cleaning

PAUSE = 0.02  # seconds between two checks of processes whose end the kernel does not signal
PERIOD = 0.2  # the same at the clock
GRACE = 10.0  # seconds that a case may take to end its children
TIMEOUT = 6
ALWAYS = math.inf


class CampaignRun:
    """A context manager, at whose end running cases are ended. `done` is called with each result as cases end.

    At most `jobs` cases run at a time, at `place` (default: in forks of a warm process). Those that have not ended
    after `deadline` seconds of all, or `timeout` of the case, have failed. With `first`, what has not ended when one
    does that is not good, as `judge` says, is not run.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        done: Callable[[CaseResult], None] = lambda result: None,
        *,
        jobs: int = 1,
        deadline: float | None = None,
        timeout: float | None = None,
        first: bool = False,
        place: Place | None = None,
        judge: Judge = outcome,
    ) -> None:
        self._cases, self._jobs, self._done = cases, jobs, done
        self._deadline, self._timeout, self._first, self._judge = deadline, timeout, first, judge
        self._place = place or WarmProcesses()
        self._waiting = deque(range(len(cases)))
        self._running: dict[int, RunningCase] = {}
        self._results: dict[int, CaseResult] = {}
        self._idle = ""  # why the remaining cases did not run, unless the command was ended
        self.began = time.monotonic()

    def __enter__(self) -> CampaignRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with Cleaning():
            self._end_all()

    def run(self) -> list[CaseResult]:
        """Run all cases and return their results."""
        until = ALWAYS if self._deadline is None else self.began + self._deadline
        with self._place:
            try:
                self._run(until)
            finally:
                with Cleaning():
                    self._end_all()  # before the process that they are forked from
        return self.results()

    def _run(self, until: float) -> None:
        while self._waiting or self._running:
            self._collect()
            if time.monotonic() >= until:
                self._give_up()
            while self._waiting and len(self._running) < self._jobs and not self._idle:
                self._start(self._waiting.popleft())
            if self._idle:
                return
            self._rest(until)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    def results(self) -> list[CaseResult]:
        """In the order of the cases; those without a result have not run to their end."""
        return [
            self._results.get(number) or CaseResult(case, None, self._why_idle(number))
            for number, case in enumerate(self._cases)
        ]

    def _why_idle(self, number: int) -> str:
        return self._idle or ("not started" if number in self._waiting else "interrupted while it ran")

    def _start(self, number: int) -> None:
        known = self._cases[number].known
        if known is not None:
            self._keep(number, judged(recalled(self._cases[number], known)))
            return
        try:
            self._running[number] = self._place.start(self._cases[number])
        except InputError as error:  # no process: the next case may get one
            self._keep(number, CaseResult(self._cases[number], error.exit_code, str(error)))

    def _rest(self, until: float) -> None:
        """Wait for the end of a case, but not for long."""
        poll, ends = select.poll(), [case.exit for case in self._running.values()]
        if any(case.has_ended() for case in self._running.values()):
            return
        for end in ends:
            if end >= 0:
                poll.register(end, select.POLLIN)
        longest = PAUSE if -1 in ends else PERIOD
        poll.poll(1000 * max(0.0, min(longest, until - time.monotonic())) if ends else 0)

    def _collect(self) -> None:
        for number, running in list(self._running.items()):
            if running.has_ended():
                self._keep(number, judged(self._running.pop(number).result()))
            elif self._timeout is not None and running.seconds > self._timeout:
                self._end_late(number)

    def _end_late(self, number: int) -> None:
        """A case has exceeded its timeout."""
        case = self._running.pop(number)
        case.ask_to_end()
        case.force_end(GRACE)
        said = case.result()
        reason = f"it took longer than {self._timeout:g} s (raise {option('timeout')} if it only takes longer)"
        self._keep(number, judged(CaseResult(said.case, TIMEOUT, reason, said.seconds, errors=said.errors)))

    def _keep(self, number: int, result: CaseResult) -> None:
        self._results[number] = result
        self._done(result)
        if self._first and not self._judge(result).good:
            self._idle = f"not run, because {result.case.name} is not right"

    def _give_up(self) -> None:
        """The deadline has passed: running cases are ended, and fail together with those that have not begun."""
        reason = f"the deadline of {self._deadline:g} s has passed"
        left = sorted([*self._running, *self._waiting])
        self._waiting.clear()
        for number, result in {**dict.fromkeys(left), **self._end_all()}.items():
            seconds, said = (result.seconds, result.errors) if result else (0.0, "")
            late = CaseResult(self._cases[number], TIMEOUT, reason, seconds, errors=said, given_up=True)
            self._keep(number, late)

    def _end_all(self) -> dict[int, CaseResult]:
        """End the running cases; their results."""
        for process in self._running.values():
            process.ask_to_end()
        until = time.monotonic() + GRACE
        ended: dict[int, CaseResult] = {}
        for number in list(self._running):
            self._running[number].force_end(max(0.0, until - time.monotonic()))
            ended[number] = self._running.pop(number).result()
        return ended
