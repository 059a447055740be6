"""Events of the supervision state machine, as plain values: the inputs of `run_state`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from emu.core.trap import INIT_SAMPLE
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.memory.host_link import SampleOutputs
from emu.noc.watch.joining import JoinProgress
from emu.noc.watch.watch import Overdue
from launch.processes.orders import ProcessReport
from launch.system.process_state import RunCounts

NOT_SETTLED = INIT_SAMPLE - 1  # not even `init`


class WaitStarted(NamedTuple):
    """The caller waits for the next answer (endpoint, start, result), at most `timeout` seconds (None: no limit)."""

    timeout: float | None


class Reported(NamedTuple):
    """Reports of processes have arrived."""

    reports: tuple[ProcessReport, ...]


class StartAllowed(NamedTuple):
    """The memory node has opened the start barrier; it may say so twice."""


class Finished(NamedTuple):
    """The memory node sent the result of a sample that all cores have finished."""

    result: SampleOutputs


class Tick(NamedTuple):
    """Nothing has arrived for one polling period."""


class BoardRead(NamedTuple):
    """State of the board: a `deadlock`, the last `settled` sample, `overdue` messages, progress of `joining`.

    `settled` is NOT_SETTLED if it was not asked for.
    """

    deadlock: DeadlockReport | None
    settled: int
    overdue: Overdue | None
    joining: JoinProgress | None


class BoardOutdated(NamedTuple):
    """Part of what the board says is older than the last look at it: there is nothing to be told yet."""


class ThreadsSeen(NamedTuple):
    """How often each thread of all cores has run; None unless all sleep."""

    run_counts: RunCounts | None


class MembersSeen(NamedTuple):
    """How often each thread of the silent cores has run (None unless all sleep), and who of the others is `awake`."""

    run_counts: RunCounts | None
    awake: frozenset[str]


class StoppedSeen(NamedTuple):
    """The processes that are stopped now: a sentence by name."""

    stopped: Mapping[str, str]


class CoresCounted(NamedTuple):
    """How many `cores` have been forked."""

    cores: int


class Quit(NamedTuple):
    """The caller abandons the run."""


Event = (
    WaitStarted
    | Reported
    | StartAllowed
    | Finished
    | Tick
    | BoardRead
    | BoardOutdated
    | ThreadsSeen
    | MembersSeen
    | StoppedSeen
    | CoresCounted
    | Quit
)
