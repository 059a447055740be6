"""What is timed: the programs of all cores with the costs of their instructions, on one chip under one flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.noc.ports.port import FlowControl
from emu.program.program import Program
from emu.replay.core_view import SectionView
from emu.timing.model.costs import Costs
from emu.timing.network.network import NetworkTimes

SECTIONS = ("init", "main")


@dataclass(frozen=True, eq=False)
class TimedSection:
    """A section and what its instructions cost."""

    view: SectionView
    costs: Costs


@dataclass(frozen=True, eq=False)
class TimedCore:
    """A core: its program, and `init` and `main` with their costs."""

    program: Program
    sections: Mapping[str, TimedSection]

    @property
    def units(self) -> int:
        """How many units the core has: scalar, vector, transfer and its array groups."""
        return 3 + len(self.program.groups)


@dataclass(frozen=True, eq=False)
class Setup:
    """All that an executor needs. Its result is a pure function of this and the number of samples.

    `cores` in ascending order. `window`: operations in flight per core, at least 1. `local_ports`, `memory_ports`: of
    each local memory and of the global memory; 0: as many as are asked for. `fill`: what the front end takes (ps)
    before the first instruction of a section or sample. `credits`: of the flow, 0 is rendezvous.
    """

    cores: Mapping[int, TimedCore]
    window: int
    local_ports: int
    memory_ports: int
    network: NetworkTimes
    credits: int
    fill: int = 0

    @property
    def flow(self) -> FlowControl:
        """What orders messages."""
        return FlowControl(self.credits)

    @property
    def port_queues(self) -> int:
        """Ports of each local memory for which operations in flight wait; 0: they never do, as one alone never does."""
        return self.local_ports if self.window > 1 else 0
