"""Zygotes that are forked from the process that starts them, in place of fresh interpreters, which import anew.

For processes that `emu_processes` has forked: everything is imported there already.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Sequence
from typing import NoReturn

from emu.core.products.threads import ONE_THREAD, one_blas_thread
from launch.processes import zygote, zygote_process
from launch.processes.interpreter import exit_descriptor

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


class ForkedZygote:
    """A `StartedZygote` that is a fork of this process, with a session of its own."""

    def __init__(self, descriptors: Sequence[int], directories: Sequence[str]) -> None:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        self.parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            _become(reader, descriptors, directories)
        os.close(reader)
        self.stdin = os.fdopen(writer, "wb")
        self.exit = exit_descriptor(self.pid)
        self._status: int | None = None

    def number(self, descriptor: int) -> int:
        return descriptor

    def wait(self, timeout: float | None = None) -> int:
        if self._status is None:
            ended = os.pidfd_open(self.pid)
            try:
                if not select.select([ended], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("the zygote", timeout or 0)
            finally:
                os.close(ended)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def kill(self) -> None:
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)


def _become(life_line: int, descriptors: Sequence[int], directories: Sequence[str]) -> NoReturn:
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(life_line, 0)
        begin = 3
        for kept in [*sorted(descriptors), os.sysconf("SC_OPEN_MAX")]:
            os.closerange(begin, kept)
            begin = kept + 1
        os.environ.update(ONE_THREAD)
        one_blas_thread()
        zygote.become_quiet()
        status = zygote.serve_run(directories)
    finally:
        os._exit(status)


def fork_zygotes() -> None:
    """From now on all zygotes of this process are forks of it."""
    zygote_process.start_fresh = ForkedZygote
