"""Sums of a chip's components, level by level up to all chips, and what its authors print beside them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from emu.arch import Arch
from emu.arch.components import COMPONENTS, LEVELS
from emu.arch.figures import ComponentEnergy
from emu.arch.key import keys_of
from emu.timing.chip.components import level_count, parts_within, placed
from emu.timing.chip.needed import missing
from emu.timing.chip.product import product_keys, product_ns


@dataclass(frozen=True, slots=True)
class ComponentSum:
    """A component: `count` of it per part of its level; power at work and at rest (mW) and area (mm2) of one."""

    component: str
    count: int
    power_mw: float | None
    static_mw: float | None
    mm2: float | None


@dataclass(frozen=True, slots=True)
class Level:
    """One part of a level: its own components, `inner` parts of the level below, and the sums of both.

    A sum is None where no component has the figure; `lacking` names components, also of levels below, that have no
    power or no area, and add nothing to it.
    """

    name: str
    rows: tuple[ComponentSum, ...]
    inner: int
    power_mw: float | None
    static_mw: float | None
    mm2: float | None


@dataclass(frozen=True, slots=True)
class TotalComparison:
    """A published total (named by its key in `[published]`) beside the sum of the parts, if there is one."""

    key: str
    published: float
    summed: float | None
    why: str

    @property
    def difference(self) -> float | None:
        """How much more the sum is than the published total, as a share of it."""
        return None if self.summed is None or not self.published else self.summed / self.published - 1


def levels(arch: Arch) -> list[Level]:
    """All levels, from crossbar to chip, and the system if it has several chips or components of its own."""
    found: list[Level] = []
    for name in LEVELS:
        rows = tuple(_rows(arch, name))
        if name == "system" and arch.system.chips == 1 and not rows:
            break
        inner = parts_within(arch, name) if found else 0
        below = found[-1] if found else Level("", (), 0, None, None, None)
        found.append(
            Level(
                name,
                rows,
                inner,
                _sum([(row.count, row.power_mw) for row in rows], inner, below.power_mw),
                _sum([(row.count, row.static_mw) for row in rows], inner, below.static_mw),
                _sum([(row.count, row.mm2) for row in rows], inner, below.mm2),
            )
        )
    return found


def _rows(arch: Arch, level: str) -> list[ComponentSum]:
    rows: list[ComponentSum] = []
    for name in COMPONENTS:
        energy: ComponentEnergy | None = getattr(arch.energy, name) if arch.energy else None
        mm2: float | None = getattr(arch.area, name).mm2 if arch.area else None
        power, static = (energy.power_mw, energy.static_mw) if energy else (None, None)
        per, count = placed(arch, name)
        if per == level and not (power is static is mm2 is None):
            rows.append(ComponentSum(name, count, power, static, mm2))
    return rows


def areas_of(arch: Arch) -> dict[str, float]:
    """mm2 of all instances of each component that has an area."""
    return {
        row.component: row.count * level_count(arch, level) * row.mm2
        for level in LEVELS
        for row in _rows(arch, level)
        if row.mm2 is not None
    }


def _sum(own: list[tuple[int, float | None]], inner: int, below: float | None) -> float | None:
    known = [count * figure for count, figure in own if figure is not None]
    if below is not None:
        known.append(inner * below)
    return sum(known) if known else None


def lacking(arch: Arch) -> dict[str, list[str]]:
    """Components of the table without a power at work, or without an area: their sums are too low by what they have."""
    rows = [row for level in LEVELS for row in _rows(arch, level)]
    found = {
        "power_mw": [row.component for row in rows if row.power_mw is None],
        "mm2": [row.component for row in rows if row.mm2 is None],
    }
    return {figure: names for figure, names in found.items() if names and len(names) < len(rows)}


def totals(arch: Arch) -> dict[str, float]:
    """What can be summed and computed of a chip, by the keys of `[published]`."""
    found = {level.name: level for level in levels(arch)}
    cluster, clusters = found["cluster"], parts_within(arch, "cluster")
    system = found.get("system")
    values: dict[str, float | None] = {
        "mvmu_power_mw": found["mvmu"].power_mw,
        "mvmu_mm2": found["mvmu"].mm2,
        "core_power_mw": found["core"].power_mw,
        "core_mm2": found["core"].mm2,
        "shared_core_power_mw": None if cluster.power_mw is None else cluster.power_mw / clusters,
        "shared_core_mm2": None if cluster.mm2 is None else cluster.mm2 / clusters,
        "cluster_power_mw": cluster.power_mw,
        "cluster_mm2": cluster.mm2,
        "chip_power_mw": found["chip"].power_mw,
        "chip_mm2": found["chip"].mm2,
        "system_power_mw": system and system.power_mw,
        "system_mm2": system and system.mm2,
        **_peaks(arch, found["mvmu"], found["chip"]),
        "mib_per_mm2": _storage(arch, found["chip"]),
    }
    return {key: value for key, value in values.items() if value is not None}


def _peaks(arch: Arch, mvmu: Level, chip: Level) -> dict[str, float | None]:
    """Products of whole matrices of the chip's own number width, all crossbars at work."""
    bits = arch.timing.float_bits if arch.timing else None
    if bits is None or missing(arch, product_keys(arch)):
        return {}
    slices = arch.slices(bits)
    arrays, cols = arch.arrays(slices), arch.crossbar.cols // arch.side_by_side(slices)
    matrices = level_count(arch, "crossbar") // arch.system.chips // arrays
    interval = product_ns(arch, bits)
    units = ceil(arrays / (arch.core.crossbars_per_mvmu or 1))
    tops = matrices * 2 * arch.crossbar.rows * cols / interval / 1e3
    return {
        "product_ns": interval,
        "product_nj": None if mvmu.power_mw is None else units * mvmu.power_mw * interval / 1e3,
        "peak_tops": tops,
        "gops_per_w": tops * 1e3 / (chip.power_mw / 1e3) if chip.power_mw else None,
        "gops_per_mm2": tops * 1e3 / chip.mm2 if chip.mm2 else None,
    }


def _storage(arch: Arch, chip: Level) -> float | None:
    """MiB of cells per mm2 of a chip; None where an ideal cell holds any weight."""
    bits = (
        level_count(arch, "crossbar")
        // arch.system.chips
        * arch.crossbar.rows
        * arch.crossbar.cols
        * arch.crossbar.cell_bits
    )
    return bits / (8 << 20) / chip.mm2 if bits and chip.mm2 else None


def comparisons(arch: Arch) -> list[TotalComparison]:
    """The published totals of a chip beside the sums."""
    if arch.published is None:
        return []
    summed = totals(arch)
    return [
        TotalComparison(key, value, summed.get(key), getattr(arch.published.why, key) or "")
        for key in keys_of(arch.published.why)
        if (value := getattr(arch.published, key)) is not None
    ]
