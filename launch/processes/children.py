"""Forks the processes of a run, reports those that end, and kills them all."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from launch.processes.orders import ProcessReport, ReportKind, send_report
from launch.processes.reaping import ChildEnds, die_with


class Children:
    """Child processes of this one; for the main thread only, with whose end they die."""

    def __init__(self, reports: int) -> None:
        self._reports = reports
        self._running: dict[int, int] = {}  # process -> core
        self._ends = ChildEnds()
        self._null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def fork(self, core: int, work: Callable[[], None]) -> int:
        """Fork a child that runs `work` as `core`, and ends when `work` returns; its process id."""
        parent = os.getpid()
        process = os.fork()
        if not process:
            self._child(parent, core, work)
        self._running[process] = core
        return process

    def _child(self, parent: int, core: int, work: Callable[[], None]) -> NoReturn:
        status = 1
        try:
            if die_with(parent):
                self._close_inherited()
                work()
                status = 0
        except Exception:
            send_report(self._reports, ProcessReport(ReportKind.BUG, core, traceback.format_exc()))
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _close_inherited(self) -> None:
        """In a child, close the life line and signal pipe of the parent, and enable the garbage collector again.

        As little Python as possible: each page of objects that a child touches for the first time is copied.
        """
        gc.enable()
        self._ends.close_inherited()
        os.dup2(self._null, 0)

    def watch(self, life_line: int, parent: int) -> None:
        """Report children that end, until the launcher closes `life_line` or the `parent` of this process ends."""
        poll = select.poll()
        poll.register(life_line, select.POLLIN | select.POLLHUP)
        poll.register(self._ends.descriptor, select.POLLIN)
        while os.getppid() == parent:
            ready = {descriptor for descriptor, _ in poll.poll(500)}
            if life_line in ready and not os.read(life_line, 1):
                return
            if self._ends.descriptor in ready:
                self._reap()

    def _reap(self) -> None:
        for process, status in self._ends.ended():
            core = self._running.pop(process)
            if status:
                code = os.waitstatus_to_exitcode(status)
                send_report(self._reports, ProcessReport(ReportKind.EXIT, core, status=code))

    def kill(self) -> None:
        """Kill all children and wait for their end."""
        self._ends.stop()
        for process in self._running:
            os.kill(process, signal.SIGKILL)
        for process in self._running:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, 0)
        self._running.clear()
