"""Why a run ended, as plain values of the state machine; `Inspector.error` turns each into an error of `errors`."""

from __future__ import annotations

from typing import NamedTuple

from emu.core.trap import TrapRecord
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.watch.watch import Overdue
from launch.processes.orders import ProcessReport


class ProcessRefused(NamedTuple):
    """A process cannot do its work for a reason that the user can fix."""

    text: str


class Trapped(NamedTuple):
    """Cores trapped in `sample`, the first that failed."""

    sample: int
    records: tuple[TrapRecord, ...]


class Deadlocked(NamedTuple):
    """Cores wait for each other in the sample of `report`."""

    report: DeadlockReport

    @property
    def sample(self) -> int:
        """The sample that deadlocked."""
        return self.report.sample


class Damaged(NamedTuple):
    """A core received a corrupt message: a DAMAGED report."""

    report: ProcessReport


class Died(NamedTuple):
    """A process ended unexpectedly or raised an internal error, or its machine is lost: an EXIT, BUG or LOST report."""

    report: ProcessReport


class MessagesLost(NamedTuple):
    """Messages that the cores of `overdue` wait for were sent, but nothing makes progress any more."""

    overdue: Overdue


class Unstartable(NamedTuple):
    """The processes wait for each other at the start, and none makes progress any more."""


class TimedOut(NamedTuple):
    """No result came within `seconds`."""

    seconds: float


Failure = Trapped | Deadlocked  # of one sample: earlier samples still finish
Cause = ProcessRefused | Failure | Damaged | Died | MessagesLost | Unstartable | TimedOut
