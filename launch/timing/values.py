"""A report as plain values for --json; what of them are lists for CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from emu.timing.chip.sums import areas_of
from emu.timing.energy.energy import static_pj
from emu.timing.prepare import timing_keys
from launch.text.csv_text import Lists
from launch.timing.report import TimingReport

WRITTEN: Lists = {
    "wear.groups": ("written group", "core {core} group {group}"),
    "wear.crossbars": ("written crossbar", "{name}"),
}
LISTS: Lists = {  # for CSV
    "components": ("component", "{component}"),
    "nodes": ("node", "{node}"),
    "cores": ("core", "{core}"),
    "units": ("unit", "core {core} {unit}"),
    "waits": ("peer", "core {core} for {peer}: {cause}"),
    **WRITTEN,
}


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
        "without_communication": {"latency_ps": without.timing.latency, "period_ps": without.period},
        "energy_pj": energy and energy.dynamic_pj + report.static_pj(report.period_ps),
        "dynamic_pj": energy and energy.dynamic_pj,
        "static_pj": energy and report.static_pj(report.period_ps),
        "alone_pj": energy and energy.dynamic_pj + report.static_pj(report.latency_ps),
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
        "remarks": list(timed.chip.remarks),
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
