"""What happens to a run, as plain values: the stimuli of `run_state`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from emu.core.trap import INIT_SAMPLE
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.memory.host_link import Result
from emu.noc.watch.joining import Joining
from emu.noc.watch.watch import Overdue
from launch.processes.orders import ProcessReport
from launch.system.process_state import RunCounts

NOT_SETTLED = INIT_SAMPLE - 1  # not even `init`


class WaitStarted(NamedTuple):
    """Somebody waits for what comes next (endpoint, start, result), at most `timeout` seconds (None: for ever)."""

    timeout: float | None


class Reported(NamedTuple):
    """Processes have said something."""

    reports: tuple[ProcessReport, ...]


class StartAllowed(NamedTuple):
    """The memory node says that all may start; it may say so twice."""


class Finished(NamedTuple):
    """The memory node gives the result of a sample that all cores have finished."""

    result: Result


class Tick(NamedTuple):
    """Nothing has come for a moment."""


class BoardRead(NamedTuple):
    """The board says: a `deadlock`, the last sample that is `settled`, what is `overdue`, how far all are `joining`.

    `settled` is NOT_SETTLED if nobody has looked.
    """

    deadlock: DeadlockReport | None
    settled: int
    overdue: Overdue | None
    joining: Joining | None


class ThreadsSeen(NamedTuple):
    """How often the threads of all cores have run, if all sleep."""

    run_counts: RunCounts | None


class MembersSeen(NamedTuple):
    """How often the threads of those who say nothing have run, if all sleep, and who of the others is `awake`."""

    run_counts: RunCounts | None
    awake: frozenset[str]


class StoppedSeen(NamedTuple):
    """Who is stopped now: by name, as a sentence."""

    stopped: Mapping[str, str]


class CoresCounted(NamedTuple):
    """How many `cores` have been forked."""

    cores: int


class Quit(NamedTuple):
    """Whoever started the run wants no more of it."""


Event = (
    WaitStarted
    | Reported
    | StartAllowed
    | Finished
    | Tick
    | BoardRead
    | ThreadsSeen
    | MembersSeen
    | StoppedSeen
    | CoresCounted
    | Quit
)
