"""A case that runs: `emu` in a process of its own, and what it has answered at its end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from launch.suites.case import Case, CaseResult
from launch.system.process_limits import no_process

CHILD = Path(__file__).with_name("case_child.py")
LOST, INTERNAL = 5, 70
FROM_OUTSIDE = {128 + number: number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}


class CaseProcess:
    """`emu` with the arguments of `case` and --json, in a session of its own: Ctrl-C reaches only this process.

    It is asked to end if the thread that made it ends. Raises InputError if no process can be had.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self._began = time.monotonic()
        self._out, self._errors = (os.memfd_create(f"emu-case-{name}", os.MFD_CLOEXEC) for name in ("out", "err"))
        command = [sys.executable, "-P", str(CHILD), str(os.getpid()), *case.arguments, "--json"]
        try:
            with no_process(f"case {case.name}"):
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=self._out,
                    stderr=self._errors,
                    start_new_session=True,
                )
        except BaseException:
            self._close()
            raise

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def ask_to_end(self) -> None:
        """SIGTERM: it ends what it has started, and itself."""
        self._process.terminate()

    def force_end(self, seconds: float) -> None:
        """Wait for its end at most so long, then SIGKILL: what it has started dies with it."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def result(self) -> CaseResult:
        """What came of it, once it has ended."""
        seconds, code = time.monotonic() - self._began, self._process.returncode
        output, errors = _text(self._out), _text(self._errors)
        self._close()
        report = _answer(output)
        code, reason = explained(code, report)
        return CaseResult(self.case, code, reason, seconds, report, output, errors)

    def _close(self) -> None:
        for descriptor in (self._out, self._errors):
            os.close(descriptor)


def explained(status: int, report: dict[str, Any]) -> tuple[int, str]:
    """Exit code and reason of a case whose process ended with `status` (minus the signal) and this answer."""
    if status < 0:
        return LOST, f"ended without an answer (killed by {_signal_name(-status)})"
    if status in FROM_OUTSIDE:
        return LOST, f"ended without an answer (asked to by {_signal_name(FROM_OUTSIDE[status])} from outside)"
    if not report:
        return status or INTERNAL, f"ended without an answer (exit code {status})"
    told = report.get("error") or report.get("reason")
    return status, "" if status == 0 else str(told or f"exit code {status}")


def _answer(output: str) -> dict[str, Any]:
    """The object of --json without its version; empty if there is none."""
    with contextlib.suppress(ValueError, RecursionError):
        values = json.loads(output)
        if isinstance(values, dict):
            return {key: value for key, value in values.items() if key != "schema"}
    return {}


def _text(descriptor: int) -> str:
    """All that was written to a memory file."""
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).decode("utf-8", "backslashreplace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
