"""Chaos in the processes of a run: the order of forks, and a wrapper around the port of every core."""

from __future__ import annotations

from collections.abc import Sequence
from mmap import mmap
from typing import Any

from emu.chaos.fault import ChaosFault
from emu.chaos.port import disturbed, effects_of, fork_order
from emu.chaos.tally import FaultTally
from launch.processes.observer import MakePort, ProcessObserver


class Disturbance(ProcessObserver):
    """Injects the faults `values`, and counts them in `memory`."""

    def __init__(self, values: Any, memory: mmap | None, cores: Sequence[int]) -> None:
        assert memory is not None
        self._faults = [ChaosFault.of(fault) for fault in values]
        self._tally = FaultTally(memory, cores, self._faults)

    def forks(self, cores: list[int]) -> list[int]:
        """The order in which `cores` are forked."""
        return fork_order(self._faults, cores)

    def ports(self, core: int, make: MakePort) -> MakePort:
        """The port of `core` with its faults; some come before it joins."""
        effects = effects_of(self._faults, core, self._tally)
        for effect in effects:
            effect.joins()
        return disturbed(effects, make)
