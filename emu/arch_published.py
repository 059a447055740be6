"""Totals that a chip's authors print: table `[published]` of its description, held beside the sums of its parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.arch_figure import amount, positive_time, rate, words

_WHY = "why the sum differs, in words"


@dataclass(frozen=True, slots=True)
class Why:
    """Why a published total is not the sum of the published parts."""

    mvmu_power_mw: str | None = words(_WHY)
    mvmu_mm2: str | None = words(_WHY)
    core_power_mw: str | None = words(_WHY)
    core_mm2: str | None = words(_WHY)
    shared_core_power_mw: str | None = words(_WHY)
    shared_core_mm2: str | None = words(_WHY)
    cluster_power_mw: str | None = words(_WHY)
    cluster_mm2: str | None = words(_WHY)
    chip_power_mw: str | None = words(_WHY)
    chip_mm2: str | None = words(_WHY)
    product_ns: str | None = words(_WHY)
    product_nj: str | None = words(_WHY)
    peak_tops: str | None = words(_WHY)
    gops_per_w: str | None = words(_WHY)
    gops_per_mm2: str | None = words(_WHY)


@dataclass(frozen=True, slots=True)
class Published:
    """Totals for comparison; nothing is computed from them."""

    source: str | None = words("where the totals are printed")
    mvmu_power_mw: float | None = amount("power of one MVM unit (`core.crossbars_per_mvmu`)")
    mvmu_mm2: float | None = amount("area of one MVM unit")
    core_power_mw: float | None = amount("power of one core")
    core_mm2: float | None = amount("area of one core")
    shared_core_power_mw: float | None = amount("power of one core and its share of what its cluster has")
    shared_core_mm2: float | None = amount("area of one core and its share of what its cluster has")
    cluster_power_mw: float | None = amount("power of one cluster (`chip.cores_per_cluster`)")
    cluster_mm2: float | None = amount("area of one cluster")
    chip_power_mw: float | None = amount("power of the chip")
    chip_mm2: float | None = amount("area of the chip")
    product_ns: float | None = positive_time("one product of a matrix of crossbar size, of `timing.float_bits` bits")
    product_nj: float | None = amount("energy of that product")
    peak_tops: float | None = rate("1e12 operations per second; a multiplication and an addition are two")
    gops_per_w: float | None = rate("1e9 operations per second and watt")
    gops_per_mm2: float | None = rate("1e9 operations per second and square millimetre")
    why: Why = field(default_factory=Why)
