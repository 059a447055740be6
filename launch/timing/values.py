"""A report as plain values for --json, and the same as rows of a CSV table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from emu.timing.chip.sums import areas_of
from emu.timing.energy.energy import static_pj
from emu.timing.prepare import timing_keys
from launch.text.csv_text import csv_text
from launch.timing.report import TimingReport

COLUMNS = ("part", "name", "figure", "value")
_NAMED = {"components": "component", "nodes": "node", "cores": "core", "units": "unit", "waits": "peer"}
_WRITTEN = {"groups": ("written group", "group"), "crossbars": ("written crossbar", "name")}  # lists of `wear`


def report_values(report: TimingReport) -> dict[str, Any]:
    """Times in ps, energies in pJ, powers in mW, areas in mm2; what is not known is null."""
    timed, energy = report.timed, report.energy
    without, busiest = report.without_communication, report.busiest
    return {
        "subject": "image",
        "image": str(timed.image.path),
        "arch": timed.chip.name,
        "model": report.model,
        "source": report.source,
        "flow": str(timed.flow),
        "samples": timed.samples,
        "window": timed.setup.window,
        "latency_ps": report.latency_ps,
        "period_ps": report.period_ps,
        "run_ps": report.run_ps,
        "steady": bool(report.steady),
        "steady_after": report.steady,
        "init_ps": timed.timing.init.end,
        "without_communication": {"latency_ps": without.latency_ps, "period_ps": without.period_ps},
        "energy_pj": energy and energy.dynamic_pj + report.static_pj(report.period_ps),
        "dynamic_pj": energy and energy.dynamic_pj,
        "static_pj": energy and report.static_pj(report.period_ps),
        "communication_pj": energy and energy.communication_pj,
        "init_pj": energy and energy.init_pj,
        "power_mw": report.power_mw,
        "static_mw": energy and {"used": sum(energy.static.used.values()), "chip": sum(energy.static.chip.values())},
        "adc_share": energy and energy.adc_share,
        "unpriced": [".".join(action) for action in energy.unpriced] if energy else [],
        "area_mm2": report.area_mm2,
        "areas": areas_of(timed.chip),
        "wear": report.wear and report.wear.to_dict(),
        "idle": report.idle and report.idle.to_dict(),
        "busiest": busiest and {**asdict(busiest), "share": share(busiest.busy_ps, report.period_ps)},
        "blocked_ps": dict(report.blocked_ps),
        "components": list(_components(report)),
        "nodes": [
            {**asdict(node), **_energy(energy and energy.by_node.get(node.node, 0.0), report)} for node in report.nodes
        ],
        "cores": [{**asdict(core), **_energy(core.dynamic_pj, report)} for core in report.cores],
        "units": [
            {**asdict(unit), "share": share(unit.busy_ps * timed.samples, report.run_ps)} for unit in report.units
        ],
        "waits": [asdict(wait) for wait in report.waits],
        "missing": list(report.missing),
        "needed": list(timing_keys(timed.chip)),
    }


def share(part: int, whole: int) -> float | None:
    """How much of a time another one is."""
    return part / whole if whole else None


def _energy(pj: float | None, report: TimingReport) -> dict[str, float | None]:
    """Dynamic energy of a sample, and the power that it is on average in the steady state."""
    return {"dynamic_pj": pj, "power_mw": None if pj is None or not report.period_ps else pj / report.period_ps * 1000}


def _components(report: TimingReport) -> Iterator[dict[str, Any]]:
    """Each component that does something or has a static power."""
    energy = report.energy
    if energy is None:
        return
    for name in sorted({component for component, _ in energy.counts} | set(energy.static.used)):
        yield {
            "component": name,
            "counts": {action: count for (component, action), count in energy.counts.items() if component == name},
            **_energy(energy.by_component.get(name), report),
            "static_pj": static_pj(energy.static.used.get(name, 0.0), report.period_ps),
            "static_mw": energy.static.used.get(name, 0.0),
        }


def numbers_csv(values: Mapping[str, Any]) -> str:
    """The same as a table of four columns: part, name, figure, value; one row for each number."""
    return csv_text(COLUMNS, (row for key, value in values.items() for row in _rows(key, value)))


def _rows(key: str, value: Any) -> Iterator[tuple[str, str, str, Any]]:
    if key == "wear" and value:
        yield from _written(value)
    if key not in _NAMED:
        yield from (("chip", "", figure, number) for figure, number in _numbers({key: value}))
        return
    for entry in value:
        own = {k: v for k, v in entry.items() if k not in ("core", _NAMED[key])}
        yield from ((_NAMED[key], _name(key, entry), figure, number) for figure, number in _numbers(own))


def _written(wear: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any]]:
    """Writes of each group and crossbar; a group is named by its core, too, and a crossbar's name says all."""
    for key, (part, name) in _WRITTEN.items():
        for entry in wear[key]:
            own = {k: v for k, v in entry.items() if k not in ("core", "group", "place", "bank", name)}
            called = f"core {entry['core']} group {entry[name]}" if name == "group" else entry[name]
            yield from ((part, called, figure, number) for figure, number in _numbers(own))


def _name(key: str, entry: Mapping[str, Any]) -> str:
    if key == "units":
        return f"core {entry['core']} {entry['unit']}"
    if key == "waits":
        return f"core {entry['core']} for {entry['peer']}: {entry['cause']}"
    return str(entry[_NAMED[key]])


def _numbers(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{inner}", number) for inner, number in _numbers(value))
        elif isinstance(value, int | float):
            yield key, value
