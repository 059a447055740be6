"""Forks the processes of a run, reports which of them have ended, and kills them all."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from launch.processes.orders import Event, Report, send_report

PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None, use_errno=True).prctl


class Children:
    """Child processes of this one; call it from the main thread only, whose death they do not survive."""

    def __init__(self, reports: int) -> None:
        self._reports = reports
        self._running: dict[int, int] = {}  # process -> core
        self._wake, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)

    def fork(self, core: int, work: Callable[[], None]) -> int:
        """Run `work` in a child that is known as `core`, and ends when `work` returns; its process number."""
        parent = os.getpid()
        process = os.fork()
        if not process:
            self._child(parent, core, work)
        self._running[process] = core
        return process

    def _child(self, parent: int, core: int, work: Callable[[], None]) -> NoReturn:
        status = 1
        try:
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() == parent:  # else it died before we asked to die with it
                self._shed()
                work()
                status = 0
        except Exception:
            send_report(self._reports, Report(Event.BUG, core, traceback.format_exc()))
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _shed(self) -> None:
        """Give up what only the parent needs, its life line and its signal pipe, and collect garbage again.

        Little Python: each page of objects that a fresh process touches for the first time is copied.
        """
        gc.enable()
        signal.set_wakeup_fd(-1)
        os.close(self._wake)
        os.close(self._woken)
        os.dup2(self._null, 0)

    def watch(self, life_line: int, launcher: int) -> None:
        """Report children that end, until the launcher closes `life_line` or is gone."""
        poll = select.poll()
        poll.register(life_line, select.POLLIN | select.POLLHUP)
        poll.register(self._wake, select.POLLIN)
        while os.getppid() == launcher:
            ready = {descriptor for descriptor, _ in poll.poll(500)}
            if life_line in ready and not os.read(life_line, 1):
                return
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._reap()

    def _reap(self) -> None:
        for process, status in iter(_ended, (0, 0)):
            core = self._running.pop(process)
            if status:
                code = os.waitstatus_to_exitcode(status)
                send_report(self._reports, Report(Event.EXIT, core, status=code))

    def kill(self) -> None:
        """Kill all children and wait for their end."""
        signal.set_wakeup_fd(-1)
        for process in self._running:
            os.kill(process, signal.SIGKILL)
        for process in self._running:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, 0)
        self._running.clear()


def _ended() -> tuple[int, int]:
    """(process, status) of a child that has ended, or (0, 0)."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(-1, os.WNOHANG)
    return 0, 0
