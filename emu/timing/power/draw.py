"""What one execution of each instruction draws: energy by component, and physical crossbars that are at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.timing.energy.prices import prices_of
from emu.timing.setup import Setup

PW_PER_W = 1e12  # a pJ per ps is a W


@dataclass(frozen=True, eq=False)
class Draw:
    """Of the instructions of `main` of one core: `pj` by component, float64 [instructions], and `crossbars`, int64."""

    pj: Mapping[str, np.ndarray]
    crossbars: np.ndarray

    @cached_property
    def total(self) -> np.ndarray:
        """pJ of all components."""
        return sum(self.pj.values(), np.zeros(len(self.crossbars)))

    def amounts(self, operations: np.ndarray) -> np.ndarray:
        """Power (pW) and crossbars, int64 [operations, 2], of operations as in `record.Operation`, [operations, 3].

        The power of an operation is its energy over the time that it has its unit; what takes no time has none.
        """
        starts, ends, instruction = operations.T
        return np.stack([watts(self.total[instruction], ends - starts), self.crossbars[instruction]], axis=1)


def watts(pj: np.ndarray, ps: np.ndarray) -> np.ndarray:
    """Energies over durations, int64 [operations] in pW; 0 for what takes no time."""
    return np.rint(np.divide(pj * PW_PER_W, ps, out=np.zeros(len(pj)), where=ps > 0)).astype(np.int64)


def draws_of(setup: Setup, arch: Arch) -> dict[int, Draw]:
    """By core, by the prices of the chip; components without a price draw nothing."""
    sections = {core: entry.sections["main"] for core, entry in setup.cores.items()}
    actions = {action for section in sections.values() for action in section.costs.counts}
    prices = prices_of(arch, actions).prices
    found: dict[int, Draw] = {}
    for core, section in sections.items():
        op, group = (section.view.section.columns[name] for name in ("op", "arg0"))
        energies: dict[str, np.ndarray] = {}
        for action, amounts in section.costs.counts.items():
            if action in prices:
                component, _ = action
                energies[component] = energies.get(component, np.zeros(len(op))) + amounts * prices[action]
        arrays = [
            spec.crossbars * arch.arrays(arch.own_slices(spec.weight)) for spec in setup.cores[core].program.groups
        ]
        multiplies = ON_GROUP[op] & ~WRITES_GROUP[op]
        crossbars = np.array([*arrays, 0], np.int64)[np.where(multiplies, group, len(arrays))]
        found[core] = Draw(energies, crossbars)
    return found
