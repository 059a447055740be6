"""What is to be done for a run, as plain values: what `run_state` answers to events.

`Answer`s go to whoever waits, `Question`s to the machine and its board: what is seen there is an event again.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.noc.memory.host_link import Result
from launch.supervision.causes import Cause


class Connect(NamedTuple):
    """The memory node listens at `endpoint`."""

    endpoint: str


class Begin(NamedTuple):
    """All may start."""


class Deliver(NamedTuple):
    """The result of the next sample."""

    result: Result


class ReadBoard(NamedTuple):
    """Look at the board: `Looked`. With `settled`, or with a deadlock, also which samples are settled."""

    settled: bool


class InspectThreads(NamedTuple):
    """Look whether all cores sleep: `ThreadsSeen`."""


class InspectMembers(NamedTuple):
    """Look at the cores that are `silent`, and who of `awake` still is (none given: of all others): `MembersSeen`."""

    silent: tuple[int, ...]
    awake: frozenset[str]


class FindStopped(NamedTuple):
    """Look who is stopped: `StoppedSeen`."""


class CountCores(NamedTuple):
    """Look how many cores are there: `Counted`."""


class Remind(NamedTuple):
    """Say to the memory node again what it has not answered."""


class Nudge(NamedTuple):
    """Let the memory node look which samples are finished: no core may tell it any more."""


class Progress(NamedTuple):
    """Tell that so many `cores` have been forked."""

    cores: int


class Notify(NamedTuple):
    """Tell a sentence about a process that is stopped, or goes on."""

    text: str


class Fail(NamedTuple):
    """Raise the error of `cause`, once all actions are done; looked up before the machine is closed."""

    cause: Cause


class Close(NamedTuple):
    """End all processes."""


Answer = Connect | Begin | Deliver
Question = ReadBoard | InspectThreads | InspectMembers | FindStopped | CountCores
Deed = Remind | Nudge | Progress | Notify | Close  # of which nothing comes back
Action = Answer | Question | Deed | Fail
