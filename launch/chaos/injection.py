"""Chaos of one powered-on chip: faults are planned here, sent to the processes, and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from mmap import mmap
from types import TracebackType
from typing import Any

from emu.chaos.fault import ChaosFault
from emu.chaos.plan import plan
from emu.chaos.spec import Chaos
from emu.chaos.tally import FaultTally
from emu.errors import EmuError
from emu.program.program import Program
from launch.chaos.disturbance import Disturbance
from launch.processes.observer import Observation, ObservedHost


class Injection(Observation):
    """Chaos in one run, whose processes count the faults that they inject.

    An EmuError that passes through gets the counts so far as `injected` in its details.
    """

    observer = Disturbance

    def __init__(self, chaos: Chaos) -> None:
        self._chaos = chaos
        self._faults: list[ChaosFault] = []
        self._cores: Sequence[int] = ()
        self._tally: FaultTally | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, EmuError) and self._tally:
            counts = self._tally.counts()
            error.details = {**error.details, "injected": counts}
            error.add_note(f"chaos: {injections(counts)}")

    def plan(self, programs: Mapping[int, Program]) -> list[list[Any]]:
        """The faults of a run, as plain values; raises InputError for a core that is none of `programs`."""
        self._faults, self._cores = plan(self._chaos, programs), list(programs)
        self.row = FaultTally.size([0], self._faults)
        return [list(astuple(fault)) for fault in self._faults]

    def begins(self, memory: mmap | None, hosts: Sequence[ObservedHost]) -> None:
        """The counts are in `memory`."""
        assert memory is not None
        self._tally = FaultTally(memory, self._cores, self._faults)

    def observed(self) -> dict[str, Any]:
        """`injected`: faults so far by kind, 0 included; None before anything was planned."""
        return {"injected": self._tally.counts() if self._tally else None}


def idle_sentence(counts: Sequence[Mapping[str, int]]) -> str:
    """Why runs with these counts of injected faults tested nothing; empty if a fault was injected in one."""
    if any(sum(injected.values()) for injected in counts):
        return ""
    runs = "this run" if len(counts) == 1 else f"{len(counts)} runs"
    kinds = ", ".join(dict.fromkeys(kind for injected in counts for kind in injected)) or "chaos"
    return (
        f"nothing was injected in {runs}: {kinds} never triggered, so nothing was tested (choose a smaller N after @, "
        "another core, a larger probability, or more samples)"
    )


def injected_line(chaos: Chaos, injected: Mapping[str, int]) -> str:
    """Seed and counts in one line."""
    return f"chaos, seed {chaos.seed}: {injections(injected)}"


def injections(injected: Mapping[str, int]) -> str:
    """How many faults were injected of each kind, in words."""
    if not any(injected.values()):
        return "injected nothing" + (f" ({', '.join(injected)} never triggered)" if injected else "")
    return f"injected {', '.join(f'{kind} {count}' for kind, count in injected.items())}"
