"""The same random sets with long loops in which a core is alone, whose operands meet, part, and come round."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from timed_sets import Sets

from emu.isa.address import Address, Term
from emu.isa.codes import ASK_OF
from emu.noc.traffic.topology import Mesh
from emu.program.builder import SectionBuilder
from emu.replay.core_view import SectionView
from emu.timing.model.costs import WHOLE, Costs
from emu.timing.network.network import NetworkTimes

TRIPS = (1, 2, 3, 8, 25, 25, 60)
MAX_RUNS = 150  # of an instruction, within the loops of one nest


@dataclass
class Nests(Sets):
    """Sets of long loops. Any unit may be pipelined."""

    runs: int = 1  # of an instruction of the loops that are being written

    def _body(self, cores: list[int], steps: int) -> None:
        super()._body(cores, steps)
        for core in cores if self.runs == 1 else ():
            self._loop([core])

    def _loop(self, cores: list[int]) -> None:
        before, trips = (self.runs, self.trips, self.requests), self.choose.choice(TRIPS)
        alone = len(cores) == 1 and self._build[cores[0]].depth < 3
        if alone and self.runs * trips <= MAX_RUNS:
            self.runs, self.trips, self.requests = self.runs * trips, (trips,), self.requests and trips < 8
        elif not alone:
            self.runs, self.trips = 2 * self.runs, (0, 1, 2)
        else:
            self.trips = (0, 1)
        super()._loop(cores)
        self.runs, self.trips, self.requests = before

    def _place(self, build: SectionBuilder) -> Address:
        choose = self.choose
        terms = [self._term(level) for level in range(build.depth) if choose.integer(0, 3)]
        register = choose.integer(0, 3) if choose.integer(0, 39) == 0 else -1
        return Address(choose.choice((0, 8, 100, 300, 310, 600, 700)), tuple(terms), register)

    def _term(self, level: int) -> Term:
        choose = self.choose
        if choose.integer(0, 9) == 0:
            return Term(level, choose.choice((1, 4, 8)), choose.integer(-1, 3), choose.choice((2, 5, 40)))
        return Term(level, choose.choice((1, 4, 4, 4, 4, 8, 20, -4)))

    def costs(self, view: SectionView, network: NetworkTimes) -> Costs:
        """As in Sets."""
        costs = super().costs(view, network)
        rng = np.random.default_rng(self.choose.integer(0, 1 << 16))
        piped = (ASK_OF[view.section.columns["op"]] == 0) & (rng.integers(0, 2, len(costs.unit)) > 0)
        return replace(costs, interval=np.where(piped, costs.compute // rng.integers(1, 4, len(costs.unit)), WHOLE))


@dataclass
class Ties(Sets):
    """Sets of many cores in which all steps take 0 or 1 ps, so that much happens at one time."""

    cores: int = 6
    trips: tuple[int, ...] = (1, 2)

    def network(self) -> NetworkTimes:
        """Few links that all share, or no distance at all."""
        links = self.choose.integer(0, 1)
        return NetworkTimes(Mesh(self.choose.choice((2, 6))), 0, links, links, 4, None, bool(links))

    def costs(self, view: SectionView, network: NetworkTimes) -> Costs:
        """As in Sets."""
        costs = super().costs(view, network)
        names = "issue", "read", "compute", "write", "service", "wire"
        short = {name: np.minimum(getattr(costs, name), 1) for name in names}
        return replace(costs, **short, interval=np.full(len(costs.unit), WHOLE))
