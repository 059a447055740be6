"""Design spaces of papers, and the tables of docs/design-spaces.md that are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from emu.arch.chip import Arch
from emu.arch.derived import derived
from emu.arch.read import load_arch
from emu.timing.chip.sums import areas_of, totals
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

ROWS, SHARED, ARRAYS, LANES = (64, 128, 256), (0.25, 0.5, 1, 2), (4, 8, 16, 32), (1, 2, 4, 8, 16, 64)
SAR, SURVEY = ("adc-sar", "node"), ("adc-survey",)  # laws of ISAAC's converters
UNIT_SURVEY, UNIT_SAR = ("mvm-unit-survey", "node"), ("mvm-unit-sar", "node")  # of PUMA's units


@dataclass(frozen=True)
class Point:
    """GOPS/mm2, GOPS/W and MiB/mm2 of a chip; how long a product takes; the share of converters in its area."""

    gops_per_mm2: float
    gops_per_w: float
    mib_per_mm2: float
    product_ns: float
    adc_area: float


def point(chip: Arch) -> Point:
    """What can be summed and computed of a chip."""
    found = totals(chip)
    keys = ("gops_per_mm2", "gops_per_w", "mib_per_mm2", "product_ns")
    return Point(*(found[key] for key in keys), areas_of(chip).get("adc", 0) / found["chip_mm2"])


def bits_for(lines: int) -> int:
    """Bits of a conversion of so many word lines by ISAAC's section V: 1-bit inputs, 2-bit cells, encoded."""
    return int(log2(lines)) + 1


def isaac(lines: int = 128, adcs: float = 1, arrays: int = 8, law: Sequence[str] = SAR) -> Point:
    """ISAAC with arrays of other sizes, other numbers of converters per array and arrays per IMA; 12 IMAs per tile."""
    base = derived(load_arch("isaac"), {"energy.adc.scale": law, "area.adc.scale": law})
    changes: dict[str, Any] = {
        **_square(lines),
        "crossbar.adc_count": max(int(adcs), 1),
        "core.crossbars_per_mvmu": arrays,
        "core.crossbars": 12 * arrays,
    }
    return point(derived(base, changes | ({"crossbar.adc_arrays": int(1 / adcs)} if adcs < 1 else {})))


def _square(lines: int) -> dict[str, Any]:
    sides = dict.fromkeys(("crossbar.rows", "crossbar.cols", "crossbar.dac_count"), lines)
    return {**sides, "crossbar.adc_bits": bits_for(lines)}


def puma(lines: int = 128, lanes: int = 4, law: Sequence[str] = UNIT_SURVEY) -> Point:
    """PUMA with MVM units and vector units of other sizes; a stage is as long as converting all bit lines."""
    base = derived(load_arch("puma"), {"energy.mvmu.scale": law, "area.mvmu.scale": law})
    return point(derived(base, {**_square(lines), "timing.crossbar.read_ns": lines, "timing.vector.lanes": lanes}))


def isaac_converters() -> str:
    """Arrays of ISAAC by size and converters, by both laws."""
    rows = [
        (f"{lines} x {lines}", bits_for(lines), f"{adcs:g}", f"{sar.product_ns:.0f}", *_figures(sar, survey))
        for lines in ROWS
        for adcs in SHARED
        for sar, survey in [(isaac(lines, adcs), isaac(lines, adcs, law=SURVEY))]
    ]
    laws = (f"{what}, {law}" for law in ("adc-sar", "adc-survey") for what in ("GOPS/mm2", "GOPS/W", "MiB/mm2"))
    return _table(("array", "ADC bits", "ADCs per array", "product, ns", *laws), rows)


def _figures(*points: Point) -> list[str]:
    return [f"{value:.4g}" for each in points for value in (each.gops_per_mm2, each.gops_per_w, each.mib_per_mm2)]


def isaac_arrays() -> str:
    """ISAAC's IMAs by the number of their arrays."""
    rows = [(arrays, f"{isaac(arrays=arrays).adc_area:.1%}", *_figures(isaac(arrays=arrays))) for arrays in ARRAYS]
    return _table(("arrays per IMA", "ADCs of the area", "GOPS/mm2", "GOPS/W", "MiB/mm2"), rows)


def puma_units() -> str:
    """PUMA's MVM units by their dimension, by both laws."""
    rows = [
        (lines, bits_for(lines), *_figures(each)[:2], *_figures(other)[:2])
        for lines in (32, *ROWS, 512)
        for each, other in [(puma(lines), puma(lines, law=UNIT_SAR))]
    ]
    laws = (f"{what}, {law}" for law in (UNIT_SURVEY[0], UNIT_SAR[0]) for what in ("GOPS/mm2", "GOPS/W"))
    return _table(("dimension", "ADC bits", *laws), rows)


def puma_lanes() -> str:
    """PUMA's vector units by their lanes."""
    return _table(("lanes", "GOPS/mm2", "GOPS/W"), [(lanes, *_figures(puma(lanes=lanes))[:2]) for lanes in LANES])


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return markdown_table(Table("", columns, [*rows], "r" * len(columns)))
