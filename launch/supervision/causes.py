"""What can end a run, as supervision knows it; the errors that people read are made of them (see `errors`)."""

from __future__ import annotations

from typing import NamedTuple

from emu.core.trap import TrapRecord
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.watch.watch import Overdue
from launch.processes.orders import ProcessReport


class Refused(NamedTuple):
    """A process cannot do what it was asked to, for a reason that is the user's to mend."""

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
        """The sample that cannot end."""
        return self.report.sample


class Damaged(NamedTuple):
    """A core got what no core can have sent: a DAMAGED report."""

    report: ProcessReport


class Died(NamedTuple):
    """A process ended, or failed by an error of its own: a BUG or EXIT report."""

    report: ProcessReport


class MessagesLost(NamedTuple):
    """What the cores of `overdue` wait for was sent, and nothing moves any more."""

    overdue: Overdue


class Unstartable(NamedTuple):
    """The members of the run wait for each other before it has begun, and nothing moves any more."""


class TimedOut(NamedTuple):
    """Nothing came within so many `seconds`."""

    seconds: float


Failure = Trapped | Deadlocked  # of a sample: those before it come to their end
Cause = Refused | Failure | Damaged | Died | MessagesLost | Unstartable | TimedOut
