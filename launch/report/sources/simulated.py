"""What the simulated time of a sample says of nodes, cores and the chip, by the names that the report uses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from emu.errors import InputError
from emu.timing.basis.units import TRANSFER, unit_name
from launch.report.sources.subject import ReportSubject
from launch.timing.critical import Critical, critical
from launch.timing.peak import peak_of, peak_values
from launch.timing.report import TimingReport, make_report
from launch.timing.timed_image import TimedImage
from launch.timing.values import report_values

FOR_OTHERS = ("sender", "receiver", "event")  # causes of a core's waits that are other cores
# Of what `emu time --json` says, that of the chip as a whole.
OF_CHIP = (
    *("arch", "model", "source", "flow", "samples", "window", "latency_ps", "period_ps", "run_ps", "steady"),
    *("energy_pj", "dynamic_pj", "static_pj", "alone_pj", "communication_pj", "power_mw", "peak_power"),
    *("area_mm2", "areas"),
    "busiest",
    "blocked_ps",
    *("without_communication", "components", "missing", "needed", "unpriced"),
)


@dataclass(frozen=True, eq=False)
class Simulated:
    """A timed image with all that is derived of it; `pathless` says why there is no critical path, "" if there is."""

    timed: TimedImage
    report: TimingReport
    values: dict[str, Any]
    path: Critical | None
    pathless: str


def simulate(timed: TimedImage | None, peak_power: bool = False) -> Simulated | None:
    """None without a timed image; raises TimingRefused for a `peak_power` of which too many operations must be kept."""
    if timed is None:
        return None
    report = make_report(timed)
    try:
        path, why = critical(timed), ""
    except InputError as error:
        path, why = None, str(error)
    peak = peak_values(timed, peak_of(timed)) if peak_power else None
    return Simulated(timed, report, report_values(report) | {"peak_power": peak}, path, why)


def chip_figures(simulated: Simulated) -> dict[str, Any]:
    """Of the whole chip, as `emu time --json` has them."""
    return {key: simulated.values[key] for key in OF_CHIP}


def core_figures(simulated: Simulated) -> dict[int, dict[str, Any]]:
    """Per core and sample: `end_ps` of the first one, its busiest unit, waits for other cores, dynamic energy."""
    busy = {}
    for unit in simulated.report.units:  # the busiest first
        if unit.unit != unit_name(TRANSFER):
            busy.setdefault(unit.core, unit)
    found: dict[int, dict[str, Any]] = {}
    for core in simulated.report.cores:
        unit, blocked = busy.get(core.core), core.blocked_ps
        found[core.core] = {
            "end_ps": core.end_ps,
            "busy_ps": unit.busy_ps if unit else 0,
            "busy_unit": unit.unit if unit else None,
            "waiting_ps": sum(blocked.get(cause, 0) for cause in FOR_OTHERS),
            "blocked_ps": dict(blocked),
            "energy_pj": core.dynamic_pj,
        }
    return found


def node_figures(simulated: Simulated, subject: ReportSubject) -> dict[str, dict[str, Any]]:
    """Per node and sample: what its operations and messages take, its part of the critical path, dynamic energy."""
    compute, transfer, on_path, energy = (Counter[str]() for _ in range(4))
    slack: dict[str, int] = {}
    for node in simulated.report.nodes:
        owner = subject.owner(node.node)
        compute[owner] += node.compute_ps
        transfer[owner] += node.transfer_ps
    for name, pj in (simulated.report.energy.by_node if simulated.report.energy else {}).items():
        energy[subject.owner(name)] += pj
    path = simulated.path
    for name, ps in (path.by_node if path else {}).items():
        on_path[subject.owner(name)] += ps
    for name, by_core in ((path.slack or {}) if path else {}).items():
        owner = subject.owner(name)
        slack[owner] = min(slack.get(owner, min(by_core.values())), *by_core.values())
    return {
        node: {
            "compute_ps": compute[node],
            "transfer_ps": transfer[node],
            "path_ps": on_path[node] if path else None,
            "slack_ps": slack.get(node),
            "energy_pj": float(energy[node]) if simulated.report.energy else None,
        }
        for node in compute
    }


def path_values(simulated: Simulated, subject: ReportSubject) -> dict[str, Any] | None:
    """What decides the latency: ps by `kinds` of work, and the `chain` in order, nodes by the report's names."""
    path = simulated.path
    if path is None:
        return None
    chain = [
        {
            "begin_ps": link.begin_ps,
            "end_ps": link.end_ps,
            "core": link.core,
            "peer": link.peer,
            "request": link.request,
            "nodes": _owned(link.nodes, subject),
        }
        for link in path.chain
    ]
    return {"latency_ps": simulated.report.latency_ps, "kinds": dict(path.by_kind), "chain": chain}


def _owned(nodes: Any, subject: ReportSubject) -> dict[str, int]:
    found = Counter[str]()
    for name, ps in nodes.items():
        found[subject.owner(name)] += ps
    return dict(found)
