"""What happens to a run, as plain values: the stimuli of `run_state`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.core.trap import INIT_SAMPLE
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.memory.host_link import Result
from emu.noc.watch.joining import Joining
from emu.noc.watch.watch import Overdue
from launch.processes.orders import Report
from launch.system.process_state import Rest

NOT_SETTLED = INIT_SAMPLE - 1  # not even `init`


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody waits for what comes next (endpoint, start, result), at most `timeout` seconds (None: for ever)."""

    timeout: float | None


@dataclass(frozen=True, slots=True)
class Reported:
    """Processes have said something."""

    reports: tuple[Report, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """The memory node says that all may start; it may say so twice."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The memory node gives the result of a sample that all cores have finished."""

    result: Result


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing has come for a moment."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The board says: a `deadlock`, the last sample that is `settled`, what is `overdue`, how far all are `joining`.

    `settled` is NOT_SETTLED if nobody has looked.
    """

    deadlock: DeadlockReport | None
    settled: int
    overdue: Overdue | None
    joining: Joining | None


@dataclass(frozen=True, slots=True)
class ThreadsSeen:
    """How often the threads of all cores have run, if all sleep."""

    rest: Rest | None


@dataclass(frozen=True, slots=True)
class MembersSeen:
    """How often the threads of those who say nothing have run, if all sleep, and who of the others is `awake`."""

    rest: Rest | None
    awake: frozenset[str]


@dataclass(frozen=True, slots=True)
class StopsSeen:
    """Who is stopped now: by name, as a sentence."""

    stopped: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Counted:
    """How many `cores` have been forked."""

    cores: int


@dataclass(frozen=True, slots=True)
class Quit:
    """Whoever started the run wants no more of it."""


Event = Asked | Reported | Opened | Finished | Silent | Looked | ThreadsSeen | MembersSeen | StopsSeen | Counted | Quit
