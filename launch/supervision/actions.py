"""What is to be done for a run, as plain values: what `run_state` answers to events.

`Answer`s go to whoever waits, `Question`s to the machine and its board: what is seen there is an event again.
"""

from __future__ import annotations

from dataclasses import dataclass

from emu.noc.memory.host_link import Result
from launch.supervision.causes import Cause


@dataclass(frozen=True, slots=True)
class Connect:
    """The memory node listens at `endpoint`."""

    endpoint: str


@dataclass(frozen=True, slots=True)
class Begin:
    """All may start."""


@dataclass(frozen=True, slots=True)
class Deliver:
    """The result of the next sample."""

    result: Result


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the board: `Looked`. With `settled`, or with a deadlock, also which samples are settled."""

    settled: bool


@dataclass(frozen=True, slots=True)
class LookAtThreads:
    """Look whether all cores sleep: `ThreadsSeen`."""


@dataclass(frozen=True, slots=True)
class LookAtMembers:
    """Look at the cores that are `silent`, and who of `awake` still is (none given: of all others): `MembersSeen`."""

    silent: tuple[int, ...]
    awake: frozenset[str]


@dataclass(frozen=True, slots=True)
class LookForStops:
    """Look who is stopped: `StopsSeen`."""


@dataclass(frozen=True, slots=True)
class CountCores:
    """Look how many cores are there: `Counted`."""


@dataclass(frozen=True, slots=True)
class Remind:
    """Say to the memory node again what it has not answered."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Let the memory node look which samples are finished: no core may tell it any more."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Tell that so many `cores` have been forked."""

    cores: int


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell a sentence about a process that is stopped, or goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Fail:
    """Raise the error of `cause`, once all actions are done; looked up before the machine is closed."""

    cause: Cause


@dataclass(frozen=True, slots=True)
class Close:
    """End all processes."""


Answer = Connect | Begin | Deliver
Question = Look | LookAtThreads | LookAtMembers | LookForStops | CountCores
Deed = Remind | Nudge | Progress | Notify | Close  # of which nothing comes back
Action = Answer | Question | Deed | Fail
