"""Send latencies of a stress test: histograms in shared memory, filled by wrappers around the ports of cores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from mmap import mmap
from typing import Any

from emu.noc.ports.meter import Latency, Meter, MeteredPort
from emu.program.program import Program
from launch.processes.observer import MakePort, Observation, ProcessObserver
from launch.system.memory import resize


class MeterObserver(ProcessObserver):
    """Meters the port of each core, which sends at most `values` messages per second (0: no limit)."""

    def __init__(self, values: Any, memory: mmap | None, cores: Sequence[int]) -> None:
        assert memory is not None
        self._rate, self._meter = values, Meter(memory, cores)

    def ports(self, core: int, make: MakePort) -> MakePort:
        """A metered port."""
        return lambda *ends: MeteredPort(make(*ends), self._meter.row(core), self._rate)


class Metering(Observation):
    """The meter of a run of `cores` cores with a program, which are the first ones."""

    observer = MeterObserver

    def __init__(self, cores: int, rate: float) -> None:
        self._cores, self._rate = cores, rate
        self._meter: Meter | None = None

    def __enter__(self) -> Metering:
        self.descriptor = os.memfd_create("emu-meter", os.MFD_CLOEXEC)
        resize(self.descriptor, Meter.size(self._cores))
        self._meter = Meter(mmap(self.descriptor, 0), range(self._cores))
        return self

    def plan(self, programs: Mapping[int, Program]) -> float:
        """The rate for the observer."""
        return self._rate

    def latency(self) -> Latency | None:
        """Over all cores so far, also when the run is over; None before the first send has ended."""
        return self._meter.latency() if self._meter else None
