"""The same random sets with long loops in which a core is alone, whose operands meet, part, and come round."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from timed_sets import Sets

from emu.isa.address import Term
from emu.isa.codes import ASK_OF
from emu.replay.core_view import SectionView
from emu.timing.model.costs import WHOLE, Costs
from emu.timing.network.network import Network

MAX_RUNS = 500  # of an instruction, within the loops of one nest


@dataclass
class Nests(Sets):
    """Sets of long loops. Any unit may be pipelined."""

    runs: int = 1  # of an instruction of the loops that are being written

    def _loop(self, cores: list[int]) -> None:
        before, trips = (self.runs, self.trips, self.requests), self.choose.choice((1, 2, 3, 8, 25, 25, 60))
        if len(cores) == 1 and self.runs * trips <= MAX_RUNS:
            self.runs, self.trips, self.requests = self.runs * trips, (trips,), self.requests and trips < 8
        elif self.runs > 1:
            self.trips = (0, 1)
        super()._loop(cores)
        self.runs, self.trips, self.requests = before

    def _term(self, level: int) -> Term:
        stride, modulus = self.choose.choice((1, 4, 4, 4, 8, 20, -4)), self.choose.choice((0, 0, 0, 0, 2, 5, 40))
        return Term(level, stride, self.choose.integer(-1, 3) if modulus else 0, modulus)

    def costs(self, view: SectionView, network: Network) -> Costs:
        """As in Sets."""
        costs = super().costs(view, network)
        rng = np.random.default_rng(self.choose.integer(0, 1 << 16))
        piped = (ASK_OF[view.section.columns["op"]] == 0) & (rng.integers(0, 2, len(costs.unit)) > 0)
        return replace(costs, interval=np.where(piped, costs.compute // rng.integers(1, 4, len(costs.unit)), WHOLE))
