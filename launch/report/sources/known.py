"""What the values of a report are made from, each of it made once: counts, simulated time, graph, pairs of cores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from emu.census.census import Census
from emu.errors import InputError, option
from launch.images.mapping import MappingReport, map_nodes
from launch.info.summary import Summary, summarise
from launch.report.sources.graph import ReportGraph, graph_of
from launch.report.sources.simulated import Simulated, simulate
from launch.report.sources.subject import ReportSubject


@dataclass(frozen=True, eq=False)
class KnownSubject:
    """All that is known of a subject; raises InputError where a `peak_power` is asked for and cannot be had."""

    subject: ReportSubject
    peak_power: bool = False

    def __post_init__(self) -> None:
        if self.peak_power and self.subject.timed is None:
            raise InputError(f"{option('peak_power')} is of simulated time: {self.subject.untimed}")

    @cached_property
    def summary(self) -> Summary:
        """Counts of the programs, and of global memory."""
        return summarise(self.subject.image.manifest, self.subject.programs)

    @property
    def census(self) -> Census:
        """Counts of the programs by core and node."""
        return self.summary.census

    @cached_property
    def simulated(self) -> Simulated | None:
        """What is known of simulated time; None without any."""
        return simulate(self.subject.timed, self.peak_power)

    @cached_property
    def graph(self) -> ReportGraph:
        """Which node reads what which other one has made."""
        return graph_of(self.subject)

    @cached_property
    def mapped(self) -> MappingReport:
        """Where each node runs."""
        return map_nodes(self.subject.image.manifest, self.census, self.graph.kinds)

    @cached_property
    def pairs(self) -> list[dict[str, int]]:
        """Per (sender, receiver): `messages` and `bytes` of a sample."""
        found = sorted(self.census.traffic.items())
        return [{"from": src, "to": dst, "messages": count, "bytes": size} for (src, dst), (count, size) in found]
