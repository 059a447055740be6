"""What can be asked about the processes of a run, wherever they are: who is there, stopped, asleep."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

from launch.system.process_state import RunCounts


def core_name(core: int) -> str:
    """The name that the process of a core goes by."""
    return f"core {core}"


class StoppedProcess(NamedTuple):
    """A process that is stopped by `reason` (SIGSTOP, a debugger); `core`, if it is known to be one."""

    name: str
    reason: str
    core: int | None = None


class Status(Protocol):
    """Answers questions about the processes of one run by looking at them; all go by name ("core 3")."""

    def processes(self) -> dict[str, int]:
        """The numbers of the processes of which it is known what they are."""
        ...

    def forked(self) -> int:
        """How many cores are there, whether they have said anything yet or not."""
        ...

    def members(self) -> frozenset[str]:
        """Everybody who is there, also processes that have not said yet what they are."""
        ...

    def stopped(self) -> list[StoppedProcess]:
        """Who is stopped: the helpers, those that have not said what they are, and then the cores."""
        ...

    def run_counts(self, cores: Collection[int] | None = None) -> RunCounts | None:
        """How often each thread of `cores` (None: all that have begun) has run, if all sleep; else None."""
        ...

    def awake(self, names: Collection[str]) -> frozenset[str]:
        """Those of `names` that do not sleep: they run, are stopped, or are gone."""
        ...
