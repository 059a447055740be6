"""Runs cases, some at a time, until all are done, time is up, or the command is ended."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType

from emu.errors import InputError
from launch.suites.case import Case, CaseResult
from launch.suites.case_process import CaseProcess
from launch.system.cleanup import Cleaning

PAUSE = 0.02  # seconds between two looks at the processes
GRACE = 10.0  # seconds that a case may take to end what it has started
TIMEOUT = 6
ALWAYS = math.inf


class SuiteRun:
    """A context manager: what runs when it is left is ended. `done` is told each result, in the order of their ends.

    At most `jobs` cases run at a time; those that have not ended after `deadline` seconds have failed.
    """

    def __init__(
        self, cases: Sequence[Case], jobs: int, deadline: float | None, done: Callable[[CaseResult], None]
    ) -> None:
        self._cases, self._jobs, self._deadline, self._done = cases, jobs, deadline, done
        self._waiting = deque(range(len(cases)))
        self._running: dict[int, CaseProcess] = {}
        self._results: dict[int, CaseResult] = {}
        self.began = time.monotonic()

    def __enter__(self) -> SuiteRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with Cleaning():
            self._end_all()

    def run(self) -> None:
        """Run all cases; whatever comes of them, the others run, too."""
        until = ALWAYS if self._deadline is None else self.began + self._deadline
        while self._waiting or self._running:
            self._collect()
            if time.monotonic() >= until:
                self._give_up()
                return
            while self._waiting and len(self._running) < self._jobs:
                self._start(self._waiting.popleft())
            time.sleep(PAUSE)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.began

    def results(self) -> list[CaseResult]:
        """In the order of the cases; those without a result have not run to their end."""
        return [
            self._results.get(number) or CaseResult(case, None, self._idle(number))
            for number, case in enumerate(self._cases)
        ]

    def _idle(self, number: int) -> str:
        return "not started" if number in self._waiting else "interrupted while it ran"

    def _start(self, number: int) -> None:
        try:
            self._running[number] = CaseProcess(self._cases[number])
        except InputError as error:  # no process: the next case may get one
            self._keep(number, CaseResult(self._cases[number], error.exit_code, str(error)))

    def _collect(self) -> None:
        for number in [number for number, process in self._running.items() if process.has_ended()]:
            self._keep(number, self._running.pop(number).result())

    def _keep(self, number: int, result: CaseResult) -> None:
        self._results[number] = result
        self._done(result)

    def _give_up(self) -> None:
        """Time is up: what runs is ended, and fails with all that has not begun."""
        reason = f"the deadline of {self._deadline:g} s has passed"
        late = sorted([*self._running, *self._waiting])
        self._waiting.clear()
        for number, result in {**dict.fromkeys(late), **self._end_all()}.items():
            seconds, said = (result.seconds, result.errors) if result else (0.0, "")
            self._keep(number, CaseResult(self._cases[number], TIMEOUT, reason, seconds, errors=said))

    def _end_all(self) -> dict[int, CaseResult]:
        """End what runs; what each has said."""
        for process in self._running.values():
            process.ask_to_end()
        until = time.monotonic() + GRACE
        ended: dict[int, CaseResult] = {}
        for number in list(self._running):
            self._running[number].force_end(max(0.0, until - time.monotonic()))
            ended[number] = self._running.pop(number).result()
        return ended
