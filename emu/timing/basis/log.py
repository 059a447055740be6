"""A log of moments: when each phase of each operation was over, and which earlier moment decided that."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np


class OperationPhase(IntEnum):
    """Moments in the life of an operation, in their order; an operation has those that README.md lists."""

    START = 0
    READY = 1  # a request is set up
    GRANTED = 2  # the peer is ready (of a rendezvous: known to the sender), or there is a credit
    READ = 3  # its operands have been read
    COMPUTED = 4
    ARRIVED = 5  # at the global memory, or the message at its receiver
    SERVED = 6  # by the global memory
    FINISHED = 7


class Reason(IntEnum):
    """What passed between a moment and the one that decided it."""

    BEGIN = 0  # of the section: the deciding moment is the last end of the sample before, if any
    FRONT = 1  # the front end
    WINDOW = 2
    UNIT = 3
    OPERAND = 4
    WORK = 5  # reading, computing, writing, setting up: what the instruction itself costs
    PORT = 6  # the same, after another operation had left the port of local memory
    PEER = 7  # the deciding moment belongs to the peer
    NETWORK = 8
    LINK = 9  # the same, after another message had left a link
    MEMORY = 10  # the service of the global memory
    QUEUE = 11  # the same, after another request had left a port of the global memory


@dataclass(frozen=True, eq=False)
class Log:
    """Columns [moments], in no particular order of time; `before` is the index of the deciding moment, -1: none.

    `section` 0 is `init`, 1 `main`; `instruction` is the index into it; `operation` numbers what a core executes in a
    sample.
    """

    core: np.ndarray
    section: np.ndarray
    sample: np.ndarray
    instruction: np.ndarray
    operation: np.ndarray
    phase: np.ndarray
    time: np.ndarray
    before: np.ndarray
    reason: np.ndarray

    def last(self, sample: int) -> int:
        """The moment at which the last operation of a sample of `main` is finished; -1 if it has none."""
        finished = np.flatnonzero(
            (self.phase == OperationPhase.FINISHED) & (self.section == 1) & (self.sample == sample)
        )
        return int(finished[np.argmax(self.time[finished])]) if len(finished) else -1

    def path(self, last: int) -> np.ndarray:
        """The moments that led to the moment `last`, each decided by the one before it, int64 [moments of the path]."""
        found = [last]
        while self.before[found[-1]] >= 0:
            found.append(int(self.before[found[-1]]))
        return np.array(found[::-1], np.int64)


class LogBuilder:
    """Collects moments, if they are wanted at all."""

    def __init__(self, wanted: bool) -> None:
        self._moments: list[tuple[int, ...]] | None = [] if wanted else None

    def add(self, *moment: int) -> int:
        """Its index, for what it decides: -1 if no log is wanted. The columns in the order of `Log`."""
        if self._moments is None:
            return -1
        self._moments.append(moment)
        return len(self._moments) - 1

    def finish(self) -> Log | None:
        """The log, if it is wanted."""
        if self._moments is None:
            return None
        columns = np.array(self._moments, np.int64).reshape(-1, len(fields(Log)))
        return Log(*columns.T)
