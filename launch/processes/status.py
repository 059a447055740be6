"""The interface for states of the processes of a run, wherever they are: which exist, are stopped, are asleep."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

from launch.system.process_state import RunCounts


def on_machine(process: str, machine: str) -> str:
    """The name of a process that `machine` calls `process`; a machine without a name is the only one."""
    return f"{process} on host {machine}" if machine else process


class StoppedProcess(NamedTuple):
    """A process that is stopped by `reason` (SIGSTOP, a debugger); `core`, if it is known to be one."""

    name: str
    reason: str
    core: int | None = None


class Status(Protocol):
    """States of the processes of one run, which are known by name ("core 3")."""

    def name(self, core: int) -> str:
        """The name of the process of `core`."""
        ...

    def processes(self) -> dict[str, int]:
        """The process ids of the processes that have been identified."""
        ...

    def forked(self) -> int:
        """How many cores have been forked, whether they have reported or not."""
        ...

    def members(self) -> frozenset[str]:
        """The names of all processes, including those not identified yet."""
        ...

    def stopped(self) -> list[StoppedProcess]:
        """The stopped processes: the helpers, those not identified yet, and then the cores."""
        ...

    def run_counts(self, cores: Collection[int] | None = None) -> RunCounts | None:
        """How often each thread of `cores` (None: all that have begun) has run, if all sleep; else None."""
        ...

    def awake(self, names: Collection[str]) -> frozenset[str]:
        """Those of `names` that do not sleep: they run, are stopped, or are gone."""
        ...
