"""For processes that fork: notification of children that end, and death with the parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator

PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None, use_errno=True).prctl


def die_with(parent: int, ending: int = signal.SIGKILL) -> bool:
    """Let the kernel send this process, a fork of `parent`, a signal when that one ends; False if it has already.

    What counts is the end of the thread that has forked.
    """
    _prctl(PR_SET_PDEATHSIG, ending, 0, 0, 0)
    return os.getppid() == parent


class ChildEnds:
    """Children that have ended: `descriptor` is readable then. One per process, made in the main thread."""

    def __init__(self) -> None:
        self.descriptor, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)

    def ended(self) -> Iterator[tuple[int, int]]:
        """(process, wait status) of each child that has ended since the last call."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.descriptor, 4096)
        with contextlib.suppress(ChildProcessError):
            yield from iter(lambda: os.waitpid(-1, os.WNOHANG), (0, 0))

    def stop(self) -> None:
        """From now on children are waited for by process id."""
        signal.set_wakeup_fd(-1)

    def close_inherited(self) -> None:
        """In a child, close the descriptors of the parent."""
        self.stop()
        os.close(self.descriptor)
        os.close(self._woken)
