"""Send latencies of a stress test: histograms in shared memory, filled by wrappers around the ports of cores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from mmap import mmap
from typing import Any

from emu.noc.ports.meter import Latency, Meter, MeteredPort
from emu.program.program import Program
from launch.processes.observer import MakePort, Observation, ObservedHost, ProcessObserver


class MeterObserver(ProcessObserver):
    """Meters the port of each core, which sends at most `values` messages per second (0: no limit)."""

    def __init__(self, values: Any, memory: mmap | None, cores: Sequence[int]) -> None:
        assert memory is not None
        self._rate, self._meter = values, Meter(memory, cores)

    def ports(self, core: int, make: MakePort) -> MakePort:
        """A metered port."""
        return lambda *ends: MeteredPort(make(*ends), self._meter.row(core), self._rate)


class Metering(Observation):
    """The meter of a run whose cores send at most `rate` messages per second (0: no limit)."""

    observer = MeterObserver
    row = Meter.size(1)

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._cores: Sequence[int] = ()
        self._meter: Meter | None = None

    def plan(self, programs: Mapping[int, Program]) -> float:
        """The rate for the observer."""
        self._cores = list(programs)
        return self._rate

    def begins(self, memory: mmap | None, hosts: Sequence[ObservedHost]) -> None:
        """The histograms are in `memory`."""
        assert memory is not None
        self._meter = Meter(memory, self._cores)

    def latency(self) -> Latency | None:
        """Over all cores so far, also when the run is over; None before the first send has ended."""
        return self._meter.latency() if self._meter else None
