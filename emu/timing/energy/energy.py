"""The energy of programs on a chip: integer counts times prices, once; static power times time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from emu.arch import Arch
from emu.arch.components import COMPONENTS, LEVELS
from emu.arch.figures import Energy
from emu.timing.basis.units import PS_PER_NS
from emu.timing.chip.components import level_count, placed
from emu.timing.energy.prices import ActionPrices
from emu.timing.model.costs import Action


def dynamic_pj(counts: Mapping[Action, int], prices: ActionPrices) -> dict[Action, float]:
    """pJ of each action that has a price."""
    return {action: counts[action] * price for action, price in prices.prices.items() if counts.get(action)}


def by_component(amounts: Mapping[Action, float]) -> dict[str, float]:
    """Amounts of actions, such as pJ, as sums by component."""
    found: dict[str, float] = {}
    for (component, _), amount in amounts.items():
        found[component] = found.get(component, 0.0) + amount
    return found


@dataclass(frozen=True, slots=True)
class StaticPower:
    """mW at rest: by component, of the cores that have programs and what these share (`used`), and of all (`chip`)."""

    used: Mapping[str, float]
    chip: Mapping[str, float]


def static_power(arch: Arch, cores: Collection[int]) -> StaticPower:
    """The static power of a chip, or of several, of which these cores have programs."""
    energy, used, whole = arch.energy or Energy(), dict[str, float](), dict[str, float]()
    for name in COMPONENTS:
        power: float | None = getattr(energy, name).static_mw
        if power is not None:
            level, count = placed(arch, name)
            everything = level_count(arch, level)
            whole[name] = power * count * everything
            used[name] = power * count * _used(arch, level, cores, everything)
    return StaticPower(used, whole)


def _used(arch: Arch, level: str, cores: Collection[int], everything: int) -> int:
    """How many parts of a level belong to the cores that have programs; the global memory is at the first chip."""
    if LEVELS.index(level) <= LEVELS.index("core"):
        return everything * len(cores) // arch.all_cores
    if level == "cluster":
        return min(everything, -(-len(cores) // (arch.cores_per_cluster or 1)))
    return len({0, *(core // arch.cores for core in cores)}) if level == "chip" else everything


def static_pj(power_mw: float, time: int) -> float:
    """pJ of a power (mW) over a time (ps)."""
    return power_mw * time / PS_PER_NS
