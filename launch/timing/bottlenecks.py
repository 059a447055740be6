"""What bounds latency, pace, energy and area; what a sample would take with a resource free, and with more of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from emu.errors import InputError
from emu.timing.basis.units import FIRST_GROUP, TRANSFER, unit_name
from emu.timing.changes import FREE, ChipChanges, resources_of
from emu.timing.chip.sums import areas_of
from emu.timing.countable import one_more
from emu.timing.model.costs import WHOLE
from emu.timing.path.component_parts import parts_of
from launch.text.answer import Part, Table
from launch.text.units import energy_text, number_text, time_text
from launch.timing.critical import critical
from launch.timing.energy_lines import share_text, shares_text
from launch.timing.report import TimingReport
from launch.timing.timed_image import TimedImage
from launch.timing.what_if import WhatIf, change_text, figures_of, what_if

EFFECT = 1e-3  # smaller changes are taken for none
ROWS = 8  # of the table
MAIN = ("latency_ps", "period_ps", "energy_pj", "area_mm2")
Shares = Mapping[str, float]  # amounts by component, the largest first


@dataclass(frozen=True, eq=False)
class Bottlenecks:
    """What of a report's figures goes by which component (ps, pJ, mm2), and each resource `free`, or `more` of it.

    `pace` is of the busiest unit per sample. `why`: there is no critical path. `full`: there cannot be more of them.
    """

    report: TimingReport
    latency: Shares
    why: str
    pace: Shares
    energy: Shares
    area: Shares
    free: Sequence[WhatIf]
    more: Sequence[WhatIf]
    full: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        shares = {name: dict(getattr(self, name)) for name in ("latency", "pace", "energy", "area")}
        return {
            "bounds": {**shares, "why": self.why},
            "bottlenecks": [each.to_dict() for each in self.free],
            "one_more": [each.to_dict() for each in self.more],
        }


def bottlenecks(report: TimingReport) -> Bottlenecks:
    """What bounds the figures of a report; those changes first that shorten the latency most."""
    timed, energy = report.timed, report.energy
    today, latency, why = figures_of(timed), dict[str, float](), ""
    try:
        latency = dict(critical(timed).by_component)
    except InputError as error:
        why = str(error)
    spent = dict(energy.by_component) if energy else {}
    for name, mw in energy.static.used.items() if energy else ():
        spent[name] = spent.get(name, 0.0) + mw * report.period_ps / 1000
    counts = one_more(timed.chip)
    free = [what_if(timed, ChipChanges({name: FREE}), today) for name in resources_of(timed.chip)]
    more = [what_if(timed, ChipChanges(more={name: count}), today) for name, count in counts.items() if count]
    return Bottlenecks(
        report,
        latency,
        why,
        _sorted(_pace(timed, report)),
        _sorted(spent),
        _sorted(areas_of(timed.chip)),
        sorted(free, key=_gain),
        sorted(more, key=_gain),
        tuple(name for name, count in counts.items() if not count),
    )


def _pace(timed: TimedImage, report: TimingReport) -> dict[str, float]:
    """ps per sample of the busiest unit, by component."""
    found, busiest = dict[str, float](), report.busiest
    if busiest is None:
        return found
    section = timed.setup.cores[busiest.core].sections["main"]
    costs, executions = section.costs, timed.timing.main.executions[timed.timing.cores.index(busiest.core)]
    for index, parts in enumerate(parts_of(timed.setup, busiest.core, on_unit=True)):
        unit, interval = int(costs.unit[index]), int(costs.interval[index])
        if unit in (TRANSFER, -1) or unit_name(unit) != busiest.unit:
            continue
        whole = interval == WHOLE or unit < FIRST_GROUP
        rest = int(costs.compute[index] + costs.write[index]) if whole else interval
        ps = (int(costs.read[index]) + rest) * int(executions[index]) / timed.samples
        for name, part in parts.items():
            found[name] = found.get(name, 0.0) + part * ps
    return found


def _sorted(amounts: Mapping[str, float]) -> Shares:
    return {name: amount for name, amount in sorted(amounts.items(), key=lambda item: -item[1]) if amount}


def _gain(found: WhatIf) -> tuple[Any, ...]:
    then = found.then
    return then.latency_ps, then.period_ps, then.energy_pj or 0.0, *found.changes.names


def bottleneck_parts(found: Bottlenecks) -> list[Part]:
    """Four lines, a table of the resources that make a difference, and a line of those that make none."""
    effective = [name for name in dict.fromkeys(_names(found)) if any(map(_matters, _of(found, name)))]
    effective.sort(key=lambda name: -_effect(found, name))
    shown, rest = effective[:ROWS], sorted({*_names(found)} - {*effective[:ROWS]})
    least = max((_effect(found, name) for name in rest), default=0.0)
    lines = [
        f"others, free or more of them, change {ceil(max(EFFECT, least) * 1000) / 1000:.1%} at most: {', '.join(rest)}"
        if rest
        else "",
        f"there cannot be more of {', '.join(found.full)}" if found.full else "",
    ]
    remarks = dict.fromkeys(remark for each in found.more if _matters(each) for remark in each.remarks)
    return [
        *_bounds(found),
        Table(
            "if a resource were free, or there were more of it",
            ("free", "latency", "per sample", "energy", "more", "latency", "per sample", "energy", "area"),
            [_row(found, name) for name in shown],
            "lrrrlrrrr",
        ),
        *filter(None, ["; ".join(filter(None, lines)), "; ".join(remarks)]),
    ]


def _bounds(found: Bottlenecks) -> list[str]:
    report, energy = found.report, found.report.energy
    lines = [
        f"latency {time_text(report.latency_ps)}: {found.why or f'{shares_text(found.latency)} of the critical path'}",
    ]
    if report.busiest and report.period_ps:
        busiest = report.busiest
        lines.append(
            f"time per sample {time_text(report.period_ps)}: {busiest.unit} of core {busiest.core}"
            f" ({', '.join(busiest.nodes)}) works {share_text(busiest.busy_ps / report.period_ps)} of it:"
            f" {shares_text(found.pace)}"
        )
    if energy and found.energy:
        total = sum(found.energy.values())
        lines.append(
            f"energy {energy_text(total)}: {shares_text(found.energy)}; work {share_text(energy.dynamic_pj / total)},"
            f" time {share_text(1 - energy.dynamic_pj / total)}"
        )
    if found.area:
        lines.append(f"area {number_text(sum(found.area.values()))} mm2: {shares_text(found.area)}")
    return lines


def _names(found: Bottlenecks) -> list[str]:
    return [name for each in (*found.free, *found.more) for name in each.changes.names]


def _of(found: Bottlenecks, name: str) -> list[WhatIf]:
    return [each for each in (*found.free, *found.more) if name in each.changes.names]


def _effect(found: Bottlenecks, name: str) -> float:
    """The largest share by which a resource changes a figure."""
    return max(abs(each.share(figure) or 0.0) for each in _of(found, name) for figure in MAIN)


def _matters(found: WhatIf) -> bool:
    return any(abs(found.share(figure) or 0.0) >= EFFECT for figure in MAIN)


def _row(found: Bottlenecks, name: str) -> list[str]:
    free = next((each for each in found.free if name in each.changes.names), None)
    more = next((each for each in found.more if name in each.changes.names), None)
    return [
        name,
        *(change_text(free.share(figure)) if free else "" for figure in MAIN[:-1]),
        more.changes.text if more else "",
        *(change_text(more.share(figure)) if more else "" for figure in MAIN),
    ]
