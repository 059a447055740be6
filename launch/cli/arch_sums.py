"""Sums of a chip's components for `emu arch --sum`: as tables, and as plain values for --json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from launch.text.answer import Part, Table
from launch.text.chip_totals import NAMES, total_title
from launch.text.units import number_text

if TYPE_CHECKING:
    from emu.arch import Arch

PUBLISHED = ("total", "unit", "sum of the parts", "published", "difference", "why")
FIGURES = {"power_mw": "mW", "static_mw": "mW at rest", "mm2": "mm2"}  # of components, and their columns
LACKING = {"power_mw": "power at work", "mm2": "area"}


def sums_of(arch: Arch) -> dict[str, Any]:
    """Plain values: `levels` from crossbar to chip or system, `totals`, those `published`, and what they lack."""
    from emu.timing.chip.needed import missing
    from emu.timing.chip.product import product_keys
    from emu.timing.chip.sums import comparisons, lacking, levels, totals

    return {
        "levels": [asdict(level) for level in levels(arch)],
        "totals": totals(arch),
        "published": [{**asdict(each), "difference": each.difference} for each in comparisons(arch)],
        "lacking": {**lacking(arch), "peaks": missing(arch, ("timing.float_bits", *product_keys(arch)))},
    }


def sum_parts(arch: Arch, sums: dict[str, Any]) -> Iterator[Part]:
    """The component table with a line of totals per level, and the published totals."""
    figures = [figure for figure in FIGURES if sums["levels"][-1][figure] is not None]
    if figures:
        columns = [FIGURES[figure] for figure in figures]
        titles = ("part", "count", *(f"{column} of one" for column in columns), *columns)
        yield f"{arch.name}: components"
        yield Table("", titles, list(_rows(sums["levels"], figures)), "l" + "r" * (1 + 2 * len(figures)))
    else:
        yield f"{arch.name}: no component has a power or an area in its description: there is nothing to sum"
    for figure, what in LACKING.items():
        if figure in figures and sums["lacking"].get(figure):
            yield f"without {what}, so not in its sums: {', '.join(sums['lacking'][figure])}"
    if sums["published"]:
        yield f"totals, and those published in {arch.published and arch.published.source}"
        rows = [
            (
                *total_title(each["key"]),
                *(_number(each["summed"]), _number(each["published"]), _share(each["difference"])),
                each["why"],
            )
            for each in sums["published"]
        ]
        yield Table("", PUBLISHED, rows, "llrrrl")
    elif sums["totals"]:
        yield "totals"
        yield Table(
            "", PUBLISHED[:3], [(*total_title(key), _number(value)) for key, value in sums["totals"].items()], "llr"
        )
    if arch.timing and sums["lacking"]["peaks"]:
        yield f"no peaks: nothing is known of {', '.join(sums['lacking']['peaks'])}"


def _rows(levels: list[dict[str, Any]], figures: list[str]) -> Iterator[tuple[object, ...]]:
    """Per level the parts of the level below, the level's own components, and their sum."""
    below: dict[str, Any] = {}
    for level in levels:
        adds = bool(level["rows"]) or level["inner"] > 1
        if below and adds and _known(below):
            yield _line(_name(below), level["inner"], below, figures)
        for row in level["rows"]:
            yield _line(row["component"], row["count"], row, figures)
        if adds and _known(level):
            yield (f"= one {_name(level)}", *[""] * (1 + len(figures)), *(_number(level[figure]) for figure in figures))
        below = level


def _name(level: dict[str, Any]) -> str:
    return NAMES.get(level["name"], level["name"])


def _known(level: dict[str, Any]) -> bool:
    return any(level[figure] is not None for figure in FIGURES)


def _line(name: str, count: int, one: dict[str, Any], figures: list[str]) -> tuple[object, ...]:
    values = [one[figure] for figure in figures]
    return (f"  {name}", count, *map(_number, values), *(_number(v if v is None else v * count) for v in values))


def _number(value: float | None) -> str:
    return "" if value is None else number_text(value)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:+.2%}"
