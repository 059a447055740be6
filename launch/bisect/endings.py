"""Where the cores stood when a run failed."""

from __future__ import annotations

from dataclasses import dataclass

from emu.core.trap import TrapRecord
from emu.errors import EmuError
from emu.noc.deadlock.waitfor import Blocked, DeadlockReport
from launch.bisect.finding import Site
from launch.bisect.network import OnnxNetwork
from launch.supervision.errors import CoreTrapped, Deadlock


@dataclass(frozen=True, slots=True)
class RunEnding:
    """How a run ended, "trap" or "deadlock", and where its cores stood: the most likely place first."""

    by: str
    sites: tuple[Site, ...]


def ending_of(network: OnnxNetwork, error: EmuError | None) -> RunEnding | None:
    """The ending for a trap or a deadlock; None for every other error."""
    if isinstance(error, CoreTrapped):
        return RunEnding("trap", tuple(_of_trap(network, record) for record in error.records))
    if isinstance(error, Deadlock):
        return RunEnding(
            "deadlock", tuple(_of_blocked(network, blocked) for blocked in _in_order(network, error.report))
        )
    return None


def _of_trap(network: OnnxNetwork, record: TrapRecord) -> Site:
    owner = network.owner(record.node)
    return Site(record.core, owner, record.section, record.index, record.instruction, record.counters)


def _of_blocked(network: OnnxNetwork, blocked: Blocked) -> Site:
    place = blocked.place
    owner = network.owner(place.node)
    return Site(blocked.core, owner, place.section, place.index, place.instruction, place.counters)


def _in_order(network: OnnxNetwork, report: DeadlockReport) -> list[Blocked]:
    """The end of a chain first: all others wait for it; of a cycle, the core that is first in the network."""
    if not report.cycle:
        return list(reversed(report.edges))
    order = {node: place for place, node in enumerate(dict.fromkeys(network.nodes.values()))}
    return sorted(report.edges, key=lambda blocked: order.get(network.owner(blocked.place.node), len(order)))
