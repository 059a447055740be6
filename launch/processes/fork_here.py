"""A fork server that begins as a fork of this process, which has imported already what its forks need."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress

from launch.processes.fork_server import ForkingLoop
from launch.processes.fork_server_process import ForkServerProcess
from launch.processes.zygote import become_quiet
from launch.system.memory import keep_memory

LOOK = 0.01  # seconds between two looks whether it has ended
REQUESTS = 0  # standard input of a fork server


def fork_server_here() -> ForkServerProcess:
    """A fork server with all that this process has imported by now; it ends with this process.

    To be called in the main thread, before others have begun that might hold a lock at this moment. Raises InputError.
    """
    gc.collect()
    gc.freeze()  # pages of what is imported stay shared
    return ForkServerProcess(start=lambda requests: ForkHere(lambda: _serve(requests)))


class ForkHere:
    """A fork of this process that does `work` and ends with its status; waited for as a `subprocess.Popen`."""

    def __init__(self, work: Callable[[], int]) -> None:
        self.exit = -1  # `wait` looks for itself
        self._status: int | None = None
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # handlers are those of this process
        try:
            self.pid = os.fork()
            if not self.pid:
                _become(work, before)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def poll(self) -> int | None:
        """Its exit status (minus the signal that killed it), once it has ended."""
        if self._status is None:
            process, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if process else None
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        """The same, after at most `timeout` seconds; raises subprocess.TimeoutExpired."""
        until = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if until is not None and time.monotonic() > until:
                raise subprocess.TimeoutExpired("a fork", timeout or 0)
            time.sleep(LOOK)
        return status

    def kill(self) -> None:
        """End it, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def _become(work: Callable[[], int], mask: Iterable[int]) -> None:
    """In the fork: forget the signals of its parent, and work; never returns."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.setsid()  # what is typed is for its parent
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(status)


def _serve(requests: int) -> int:
    """Serve as `launch.processes.fork_server` does, with no descriptor of the parent but standard error."""
    parent = os.getppid()
    os.dup2(requests, REQUESTS)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    become_quiet()
    keep_memory()
    return ForkingLoop(socket.socket(fileno=REQUESTS)).serve(parent)
