"""Children of a baseline: forked to do one thing, killed at its end, and by the kernel if it is killed itself."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack

from launch.processes.reaping import die_with

PATIENCE = 60  # seconds without a sign of life of a child, after which something is wrong


def fork(work: Callable[[], object]) -> int:
    """The number of a child that does `work`, and ends with it; an exception of it goes to standard error.

    ZeroMQ must not be used before.
    """
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        if die_with(parent):
            work()
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(0)


def end(children: Iterable[int]) -> None:
    """Kill all of them, and wait until they are gone."""
    own = list(children)
    for child in own:
        os.kill(child, signal.SIGKILL)
    for child in own:
        os.waitpid(child, 0)


class ForkedBaseline(ExitStack):
    """A baseline with children; leaving it ends them, and whatever else was put on the stack, the last one first."""

    def __init__(self) -> None:
        super().__init__()
        self.children = list[int]()

    def fork(self, work: Callable[[], object]) -> None:
        """One more child, which does `work`."""
        self.children.append(fork(work))
        self.callback(end, self.children[-1:])
