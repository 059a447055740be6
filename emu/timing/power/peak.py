"""The peak power of a chip and of a core: the largest sum of the powers of all units at one time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from emu.arch import Arch
from emu.timing.power.draw import Draw, draws_of, watts
from emu.timing.power.operations import Operations, operations_of
from emu.timing.power.record import Repeated
from emu.timing.power.sweep import largest_sums
from emu.timing.setup import Setup

AT_ONCE = 1 << 20  # operations that are sorted together, about
_PW_PER_MW = 1e9


@dataclass(frozen=True, slots=True)
class Most:
    """The largest sum of an amount at one time: on the chip, first at `at` (ps since `main` begins); on core `core`."""

    chip: int
    at: int
    core: int
    on_core: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The most `power` (pW, dynamic only) and `crossbars`; `components`: mW of each when the chip draws most."""

    power: Most
    crossbars: Most
    components: Mapping[str, float]

    @property
    def chip_mw(self) -> float:
        """Of the chip."""
        return self.power.chip / _PW_PER_MW

    @property
    def core_mw(self) -> float:
        """Of the core that draws most."""
        return self.power.on_core / _PW_PER_MW


def peak_power(setup: Setup, arch: Arch, samples: int = 1) -> Peak:
    """The peaks of so many samples back to back; raises TimingRefused where too many operations had to be kept."""
    timing, found = operations_of(setup, samples)
    draws = draws_of(setup, arch)
    begin, end = timing.main.begin, timing.main.end
    power, crossbars = most_of(found, draws, begin, end)
    return Peak(power, crossbars, _components(found, draws, begin + power.at))


def most_of(found: Operations, draws: Mapping[int, Draw], begin: int, end: int) -> tuple[Most, Most]:
    """The most power (pW) and the most crossbars of operations by core, from `begin` to `end` (ps)."""
    cores = {core: [(part, draws[core].amounts(part.operations)) for part in parts] for core, parts in found.items()}
    chip, at = np.zeros(2, np.int64), np.zeros(2, np.int64)
    best = {core: np.zeros(2, np.int64) for core in found}
    for low, high in _windows(found, begin, end):
        rows = {core: _within(parts, low, high) for core, parts in cores.items()}
        for core, columns in rows.items():
            best[core] = np.maximum(best[core], largest_sums(*columns)[0])
        starts, ends, amounts = (np.concatenate(column) for column in zip(*rows.values(), strict=True))
        sums, times = largest_sums(starts, ends, amounts)
        chip, at = np.maximum(sums, chip), np.where(sums > chip, times - begin, at)
    by_core = np.array(list(best.values())).reshape(-1, 2).T.tolist()
    power, crossbars = map(_most, chip.tolist(), at.tolist(), [list(best)] * 2, by_core)
    return power, crossbars


def _most(chip: int, at: int, cores: Sequence[int], sums: Sequence[int]) -> Most:
    """With the first of the cores that have most."""
    best = max(sums)
    return Most(chip, at, cores[sums.index(best)], best)


def _windows(found: Operations, begin: int, end: int) -> list[tuple[int, int]]:
    """Parts of the time with some `AT_ONCE` operations each."""
    operations = sum(part.count for parts in found.values() for part in parts)
    count = max(1, min(-(-operations // AT_ONCE), end - begin))
    return list(pairwise(begin + (end - begin) * number // count for number in range(count + 1)))


def _within(
    parts: Sequence[tuple[Repeated, np.ndarray]], begin: int, end: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, ends and amounts of what is at work from `begin` to `end`, cut there."""
    rows = [(*part.rows(begin, end), amounts) for part, amounts in parts if part.meets(begin, end)]
    times = np.concatenate([np.zeros((0, 3), np.int64), *(found for found, _, _ in rows)])
    amounts = np.concatenate([np.zeros((0, 2), np.int64), *(amounts[index] for _, index, amounts in rows)])
    return np.maximum(times[:, 0], begin), np.minimum(times[:, 1], end), amounts


def _components(found: Operations, draws: Mapping[int, Draw], at: int) -> dict[str, float]:
    """mW by component at a time."""
    sums: dict[str, int] = {}
    for core, parts in found.items():
        for part in parts:
            if part.meets(at, at + 1):
                rows, _ = part.rows(at, at + 1)
                starts, ends, instruction = rows.T
                for component, pj in draws[core].pj.items():
                    sums[component] = sums.get(component, 0) + int(watts(pj[instruction], ends - starts).sum())
    return {component: power / _PW_PER_MW for component, power in sorted(sums.items()) if power}
