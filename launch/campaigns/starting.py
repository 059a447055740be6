"""Places where cases run: forks of a warm process, fresh interpreters, or this process."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Protocol

from emu.errors import InputError
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.case_process import CaseProcess, CaseStarted, explained
from launch.campaigns.child import answered
from launch.processes.fork_server_process import ForkServerProcess, ServerGone
from launch.processes.interpreter import Interpreter
from launch.processes.warm_zygotes import WarmZygotes
from launch.system.by_name import named

WORK = "launch.campaigns.child:serve_case"
MOST = 500  # modules of one request: more may not fit into it
NEEDED = ("launch.campaigns.child", "launch.processes.warm_zygotes")  # by every case


class RunningCase(Protocol):
    """A case that was started."""

    case: Case
    exit: int
    seconds: float

    def has_ended(self) -> bool:
        """Whether it has ended."""
        ...

    def ask_to_end(self) -> None:
        """Ask it to end its children, and itself."""
        ...

    def force_end(self, seconds: float) -> None:
        """Wait for its end at most so long, then kill it."""
        ...

    def result(self) -> CaseResult:
        """The result, once it has ended."""
        ...


class FreshInterpreters:
    """A context manager: each case, and each of its runs, gets a fresh interpreter."""

    def __enter__(self) -> FreshInterpreters:
        return self

    def begin(self) -> None:
        """There is nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def start(self, case: Case) -> CaseProcess:
        """Run a case; raises InputError."""
        return CaseProcess(case, _FreshProcess)


class _FreshProcess(Interpreter):
    """A fresh interpreter as the process of a case."""

    def __init__(self, files: Sequence[int]) -> None:
        given, answer, output, errors = files
        super().__init__(
            "launch.campaigns.child",
            [str(os.getpid()), str(given), str(answer)],
            subprocess.DEVNULL,
            [given, answer],
            stdout=output,
            stderr=errors,
            keep_memory=False,
            computes=False,
        )

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self.poll() is not None

    def end(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        self.send_signal(number)

    def close(self) -> None:
        """Give up what is held of it, once it has ended."""
        if self.exit >= 0:
            os.close(self.exit)
            self.exit = -1


class WarmProcesses:
    """A context manager over two processes that begin with the first case.

    Each case is a fork of one, and the zygotes of its runs are forks of the other. Modules that are `needed`, or that a
    case has imported, are already imported in the next case.
    """

    def __init__(self, needed: Sequence[str] = ()) -> None:
        self._needed = (*NEEDED, *needed)
        self._learned: list[str] = []
        self._server: ForkServerProcess | None = None
        self._zygotes: WarmZygotes | None = None
        self._open = ExitStack()

    def __enter__(self) -> WarmProcesses:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self._server = self._zygotes = None

    def begin(self) -> None:
        """Let both processes import what they need, while others do something else; raises InputError."""
        if self._zygotes is None:
            self._server = self._served()
            self._zygotes = WarmZygotes()
            self._open.callback(self._zygotes.close)

    def start(self, case: Case) -> CaseProcess:
        """Run a case; raises InputError."""
        self.begin()
        assert self._zygotes is not None
        zygotes = self._zygotes.server  # once: it is replaced if it has died, and number and socket are of one process
        return CaseProcess(case, partial(self._fork, zygotes.descriptor), zygotes.pid, self._learned.extend)

    def _served(self) -> ForkServerProcess:
        server = ForkServerProcess(self._needed, "cases", keep_memory=False, computes=False)
        self._open.callback(server.close)
        return server

    def _fork(self, zygotes: int, files: Sequence[int]) -> CaseStarted:
        given, answer, output, errors = files
        lent = [given, answer, zygotes]
        for _ in range(2):  # it may be killed while it is asked
            self._server = self._server or self._served()
            news, self._learned[:] = self._learned[:MOST], self._learned[MOST:]
            try:
                return self._server.fork(lent, (), output, errors, work=WORK, ending=signal.SIGTERM, needed=tuple(news))
            except ServerGone:
                self._server = None
        raise InputError("no case can be started: the warm process ends as soon as it is started; see its last words")


class InThisProcess:
    """A context manager: cases run in this process, one after the other; a signal ends the case with the command."""

    def __enter__(self) -> InThisProcess:
        return self

    def begin(self) -> None:
        """There is nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def start(self, case: Case) -> _Done:
        """Run a case."""
        began = time.monotonic()
        report = answered(named(case.function), case.arguments)
        code, reason = explained(int(report.get("exit_code", 0)), report)
        return _Done(CaseResult(case, code, reason, time.monotonic() - began, report))


class _Done:
    """A case that has run."""

    exit = -1

    def __init__(self, result: CaseResult) -> None:
        self.case, self.seconds, self._result = result.case, result.seconds, result

    def has_ended(self) -> bool:
        """It has."""
        return True

    def ask_to_end(self) -> None:
        """It has."""

    def force_end(self, seconds: float) -> None:
        """It has."""

    def result(self) -> CaseResult:
        """The result."""
        return self._result


Place = FreshInterpreters | WarmProcesses | InThisProcess


def place_for(needed: Sequence[str] | None, isolated: bool) -> Place:
    """The place for cases that need these modules; None: this process, because the cases measure it."""
    return InThisProcess() if needed is None else FreshInterpreters() if isolated else WarmProcesses(needed)
