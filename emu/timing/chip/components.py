"""How many of each component a chip has, where its description says it and where it does not."""

from __future__ import annotations

from emu.arch import Arch
from emu.arch.components import COMPONENTS, LEVELS
from emu.timing.chip.needed import figure


def level_count(arch: Arch, level: str) -> int:
    """How many crossbars, MVM units, cores, clusters or chips there are, of all chips together."""
    core = arch.core
    counts = {
        "crossbar": arch.cores * core.crossbars,
        "mvmu": arch.cores * core.crossbars // (core.crossbars_per_mvmu or 1),
        "core": arch.cores,
        "cluster": arch.cores // (arch.cores_per_cluster or 1),
        "chip": 1,
    }
    return 1 if level == "system" else counts[level] * arch.system.chips


def parts_within(arch: Arch, level: str) -> int:
    """How many parts of the level below one part of `level` holds; 1 crossbar is its own."""
    place = LEVELS.index(level)
    return level_count(arch, LEVELS[place - 1]) // level_count(arch, level) if place else 1


def default_count(arch: Arch, component: str) -> int:
    """How many of a component each part of its level has, where a description does not say."""
    count = COMPONENTS[component].count
    if isinstance(count, int):
        return count
    return next(int(found) for key in count if (found := figure(arch, key)))


def placed(arch: Arch, component: str) -> tuple[str, int]:
    """The level that a component belongs to, and how many of it each part of that level has."""
    stated = getattr(arch.area, component) if arch.area else None
    several = COMPONENTS[component].once and arch.system.chips > 1
    level = "system" if several else COMPONENTS[component].level
    if stated is None or (stated.per is None and stated.count is None):
        if component == "adc" and arch.crossbar.adc_arrays:
            return "mvmu", int(arch.unit_adcs)
        return level, default_count(arch, component)
    return stated.per or level, stated.count or 1


def instances(arch: Arch, component: str) -> int:
    """How many of a component there are on all chips."""
    level, count = placed(arch, component)
    return count * level_count(arch, level)
