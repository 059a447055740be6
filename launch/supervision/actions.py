"""Actions of the supervision state machine, as plain values: what `run_state` returns for an event.

An `Answer` goes to the caller that waits, a `Question` to the machine and its status board; what is seen there comes
back as an event.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.noc.memory.host_link import SampleOutputs
from launch.supervision.causes import Cause


class Connect(NamedTuple):
    """The memory node listens at `endpoint`."""

    endpoint: str


class Begin(NamedTuple):
    """The start barrier has opened."""


class Deliver(NamedTuple):
    """The result of the next sample."""

    result: SampleOutputs


class ReadBoard(NamedTuple):
    """Read the board: `BoardRead`, or `BoardOutdated`.

    With `settled`, or with a deadlock, also which samples are settled.
    """

    settled: bool


class InspectThreads(NamedTuple):
    """Check whether all threads of the cores sleep: `ThreadsSeen`."""


class InspectMembers(NamedTuple):
    """Check the `silent` cores, and who of `awake` (empty: of all others) is still awake: `MembersSeen`."""

    silent: tuple[int, ...]
    awake: frozenset[str]


class FindStopped(NamedTuple):
    """Find processes that are stopped: `StoppedSeen`."""


class CountCores(NamedTuple):
    """Count the cores that have been forked: `CoresCounted`."""


class Remind(NamedTuple):
    """Send the memory node again what it has not answered."""


class Nudge(NamedTuple):
    """Let the memory node check which samples are finished: no core may be left to report it."""


class ForkProgress(NamedTuple):
    """Report that so many `cores` have been forked."""

    cores: int


class Notify(NamedTuple):
    """Print a sentence about a process that was stopped or continued."""

    text: str


class Fail(NamedTuple):
    """Raise the error of `cause` once all actions are done; it is made before the machine is closed."""

    cause: Cause


class Close(NamedTuple):
    """End all processes."""


Answer = Connect | Begin | Deliver
Question = ReadBoard | InspectThreads | InspectMembers | FindStopped | CountCores
Deed = Remind | Nudge | ForkProgress | Notify | Close  # without an answer
Action = Answer | Question | Deed | Fail
