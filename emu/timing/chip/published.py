"""Totals that a chip's authors print: table `[published]` of its description, held beside the sums of its parts."""

from __future__ import annotations

from dataclasses import dataclass

from emu.timing.chip.figure import amount, positive_time, rate


@dataclass(frozen=True, slots=True)
class Published:
    """Totals for comparison; nothing is computed from them."""

    mvmu_power_mw: float | None = amount("power of one MVM unit (`core.crossbars_per_mvmu`)")
    mvmu_mm2: float | None = amount("area of one MVM unit")
    core_power_mw: float | None = amount("power of one core")
    core_mm2: float | None = amount("area of one core")
    cluster_power_mw: float | None = amount("power of one cluster (`chip.cores_per_cluster`)")
    cluster_mm2: float | None = amount("area of one cluster")
    chip_power_mw: float | None = amount("power of the chip")
    chip_mm2: float | None = amount("area of the chip")
    product_ns: float | None = positive_time(
        "one product of a matrix of crossbar size, all bits of `timing.float_bits`"
    )
    product_nj: float | None = amount("energy of that product")
    peak_tops: float | None = rate(
        "peak of the chip in 1e12 operations per second; a multiplication and an addition are two"
    )
    gops_per_w: float | None = rate("peak per watt, in 1e9 operations per second")
    gops_per_mm2: float | None = rate("peak per square millimetre, in 1e9 operations per second")
