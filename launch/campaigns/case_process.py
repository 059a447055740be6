"""A case that runs in a process of its own, and its result at the end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from launch.campaigns.case import Case, CaseResult
from launch.campaigns.child import read_memory, write_memory
from launch.system.process_end import signal_name
from launch.system.process_limits import no_process
from launch.workers.channel import unpacked

LOST, INTERNAL = 5, 70
FROM_OUTSIDE = {128 + number: number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}


class CaseStarted(Protocol):
    """A process that was started; `exit` is a descriptor that becomes readable when it ends, or -1."""

    pid: int
    exit: int

    def has_ended(self) -> bool:
        """Whether it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status (minus the signal that killed it); raises subprocess.TimeoutExpired."""
        ...

    def end(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        ...

    def close(self) -> None:
        """Close the descriptors of it, once it has ended."""
        ...


# Starts a process with these memory files: arguments, answer, output and errors.
StartCase = Callable[[Sequence[int]], CaseStarted]
Modules = Callable[[Sequence[str]], object]


class CaseProcess:
    """The function of `case`, which is called in a session of its own: Ctrl-C reaches only this process.

    `start` starts a process, `zygotes` is the one that its runs are forked from, if any, and `modules` is called at its
    end with the modules of the project that it has imported. Raises InputError if no process can be started.
    """

    def __init__(self, case: Case, start: StartCase, zygotes: int = 0, modules: Modules = lambda names: None) -> None:
        self.case, self._modules = case, modules
        self.began = time.monotonic()
        self._files = [os.memfd_create(f"emu-case-{name}", os.MFD_CLOEXEC) for name in _FILES]
        self._given, self._answer, self._out, self._errors = self._files
        about = {
            "function": case.function,
            "given": case.arguments,
            "zygotes": zygotes,
            "environment": dict(os.environ),
        }
        try:
            write_memory(self._given, about)
            with no_process(f"case {case.name}"):
                self._process = start(self._files)
        except BaseException:
            self._close()
            raise

    @property
    def pid(self) -> int:
        """The process number."""
        return self._process.pid

    @property
    def exit(self) -> int:
        """A descriptor that becomes readable when it ends; -1 if this system has none."""
        return self._process.exit

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process.has_ended()

    def ask_to_end(self) -> None:
        """Send SIGTERM: it ends its children, and itself."""
        self._process.end(signal.SIGTERM)

    def force_end(self, seconds: float) -> None:
        """Wait for its end at most so long, then send SIGKILL: its children die with it."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.end(signal.SIGKILL)
            self._process.wait()

    def result(self) -> CaseResult:
        """The result, once it has ended."""
        seconds, status = self.seconds, self._process.wait()
        output, errors = (read_memory(file).decode("utf-8", "backslashreplace") for file in (self._out, self._errors))
        answer = read_memory(self._answer)
        self._process.close()
        self._close()
        reply = unpacked(memoryview(answer)) if answer and status >= 0 else {"values": None, "modules": []}
        self._modules(reply["modules"])
        report = _answer(output) if reply["values"] is None else reply["values"]
        code, reason = explained(status, report, errors)
        return CaseResult(self.case, code, reason, seconds, report, output, errors)

    def _close(self) -> None:
        for descriptor in self._files:
            os.close(descriptor)


_FILES = ("given", "answer", "out", "err")
_LONGEST = 400  # characters of last words


def explained(status: int, report: dict[str, Any], errors: str = "") -> tuple[int, str]:
    """Exit code and reason of a case whose process ended with `status` (minus the signal) and this answer.

    Of one without an answer the last line of its `errors` is told.
    """
    if status < 0:
        return LOST, f"ended without an answer (killed by {signal_name(-status)})"
    if status in FROM_OUTSIDE:
        return LOST, f"ended without an answer (asked to by {signal_name(FROM_OUTSIDE[status])} from outside)"
    if not report:
        last = errors.strip().rpartition("\n")[2]
        return status or INTERNAL, f"ended without an answer (exit code {status}){last and f': {last[:_LONGEST]}'}"
    reply = report.get("error") or report.get("reason")
    return status, "" if status == 0 else str(reply or f"exit code {status}")


def recalled(case: Case, known: Mapping[str, Any]) -> CaseResult:
    """The known result of a case, as if it had just run in no time."""
    report = dict(known)
    return CaseResult(case, *explained(int(report.get("exit_code", 0)), report), report=report)


def _answer(output: str) -> dict[str, Any]:
    """The object of --json without its version; empty if there is none."""
    with contextlib.suppress(ValueError, RecursionError):
        values = json.loads(output)
        if isinstance(values, dict):
            return {key: value for key, value in values.items() if key != "schema"}
    return {}
