"""The components of a chip: what each is, and how many there are where a description does not say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from emu.arch import Arch
from emu.arch_area import LEVELS


@dataclass(frozen=True, slots=True)
class Component:
    """What a component is; the part of a chip that it belongs to, and how many of it such a part has."""

    meaning: str
    per: str
    count: Callable[[Arch], int] = lambda arch: 1


COMPONENTS: Mapping[str, Component] = {
    "crossbar": Component("the array of cells", "crossbar"),
    "dac": Component(
        "converters that drive word lines", "crossbar", lambda arch: arch.crossbar.dac_count or arch.crossbar.rows
    ),
    "adc": Component(
        "converters that read bit lines", "crossbar", lambda arch: arch.crossbar.adc_count or arch.crossbar.cols
    ),
    "sample_hold": Component("keeps a bit line's current until it is converted", "crossbar", lambda a: a.crossbar.cols),
    "shift_add": Component("adds what slices of bits give", "mvmu"),
    "input_register": Component("holds the inputs of a product", "mvmu"),
    "output_register": Component("holds its results", "mvmu"),
    "mvmu": Component("a whole MVM unit, of a chip that publishes no more of it", "mvmu"),
    "vector": Component("the vector unit", "core"),
    "special": Component("unit for functions such as sigmoid", "core"),
    "pool": Component("unit for pooling", "core"),
    "accumulator": Component("adds the results of MVM units", "core"),
    "scalar": Component("the scalar unit", "core"),
    "register_file": Component("registers of vectors or scalars", "core"),
    "control": Component("fetch, decode, dispatch", "core"),
    "instruction_memory": Component("holds the core's program", "core"),
    "local_memory": Component("the core's data memory", "core"),
    "output_buffer": Component("holds results on their way to the memory", "core"),
    "bus": Component("between memory and MVM units", "core"),
    "transfer": Component("sends, receives, loads and stores", "core"),
    "receive_buffer": Component("holds messages that came in", "cluster"),
    "attribute_memory": Component("says which words of a shared memory are ready, and for how many readers", "cluster"),
    "cluster_control": Component("control of what the cores of a cluster share", "cluster"),
    "cluster_instruction_memory": Component("its program", "cluster"),
    "router": Component("a router of the network", "cluster"),
    "link": Component("a link between routers", "cluster", lambda arch: 2),
    "global_memory": Component("the memory of the chip", "chip"),
    "offchip": Component("links to other chips", "chip"),
}


def parts(arch: Arch, level: str) -> int:
    """How many crossbars, MVM units, cores or clusters the chip has; one chip."""
    core = arch.core
    counts = {
        "crossbar": arch.cores * core.crossbars,
        "mvmu": arch.cores * core.crossbars // (core.crossbars_per_mvmu or 1),
        "core": arch.cores,
        "cluster": arch.cores // (arch.cores_per_cluster or 1),
        "chip": 1,
    }
    return counts[level]


def parts_within(arch: Arch, level: str) -> int:
    """How many parts of the level below one part of `level` holds; 1 crossbar is its own."""
    place = LEVELS.index(level)
    return parts(arch, LEVELS[place - 1]) // parts(arch, level) if place else 1


def placed(arch: Arch, component: str) -> tuple[str, int]:
    """The level that a component belongs to, and how many of it each part of that level has."""
    stated = getattr(arch.area, component) if arch.area else None
    known = COMPONENTS[component]
    if stated is None or (stated.per is None and stated.count is None):
        return known.per, known.count(arch)
    return stated.per or known.per, stated.count or 1


def instances(arch: Arch, component: str) -> int:
    """How many of a component the chip has in all."""
    level, count = placed(arch, component)
    return count * parts(arch, level)
