"""A report as tables for people; long ones show their first rows, --json has all."""

from __future__ import annotations

from collections.abc import Sequence

from emu.timing.energy.energy import static_pj
from launch.text.answer import Table
from launch.text.units import energy_text, number_text, ranges, time_text
from launch.timing.report import TimingReport
from launch.timing.wear_tables import crossbar_table, group_table

CAUSES = {
    "window": "as many operations are in flight as there may be",
    "unit": "the unit still has its last operation",
    "operand": "an operation in flight has the bytes or the register",
    "port": "the ports of local memory serve others",
    "sender": "the message has not been sent",
    "receiver": "the message cannot be taken, or there is no credit",
    "event": "the event has not come",
    "network": "messages under way",
    "memory": "requests in the global memory",
}
SHOWN = 15  # rows of a table whose length depends on the network


def report_tables(report: TimingReport) -> list[Table]:
    """Components, nodes, units, what is written and what cores wait for."""
    written = group_table(report.wear), crossbar_table(report.wear)
    found = [_components(report), _nodes(report), _units(report), *written, _blocked(report), _waits(report)]
    return [table for table in found if table.rows]


def _components(report: TimingReport) -> Table:
    energy = report.energy
    if energy is None:
        return Table("", (), ())
    names = {component for component, _ in energy.by_action} | set(energy.static.used)
    dynamic = {name: energy.by_component.get(name, 0.0) for name in names}
    static = {name: static_pj(energy.static.used.get(name, 0.0), report.period_ps) for name in names}
    order = sorted(names, key=lambda name: (-dynamic[name] - static[name], name))
    whole = sum(dynamic.values()) + sum(static.values())
    rows = [
        (
            name,
            energy_text(dynamic[name]),
            energy_text(static[name]),
            _part(dynamic[name] + static[name], whole),
            number_text((dynamic[name] + static[name]) / report.period_ps * 1000) if report.period_ps else "",
        )
        for name in order
        if dynamic[name] or static[name]
    ]
    return Table(
        "energy of a sample in the steady state", ("component", "dynamic", "static", "share", "mW"), rows, "lrrrr"
    )


def _nodes(report: TimingReport) -> Table:
    energy = report.energy
    nodes = sorted(report.nodes, key=lambda each: -each.compute_ps)
    rows = [
        (
            node.node,
            ranges(list(node.cores)),
            time_text(node.compute_ps),
            time_text(node.transfer_ps),
            *([energy_text(energy.by_node.get(node.node, 0.0))] if energy else []),
        )
        for node in nodes[:SHOWN]
    ]
    columns = ("node", "cores", "work", "transfers", *(["dynamic energy"] if energy else []))
    return Table(_title("nodes by work, per sample, all cores together", nodes), columns, rows, "llrrr")


def _units(report: TimingReport) -> Table:
    rows = [
        (
            f"core {unit.core} {unit.unit}",
            time_text(unit.busy_ps),
            _part(unit.busy_ps * report.timed.samples, report.run_ps),
            _few(unit.nodes),
        )
        for unit in report.units[:SHOWN]
    ]
    return Table(
        _title("busy units, mean of all samples", report.units), ("unit", "busy", "share", "nodes"), rows, "lrrl"
    )


def _blocked(report: TimingReport) -> Table:
    whole = report.run_ps * len(report.cores) / report.timed.samples
    rows = [
        (cause, CAUSES[cause], time_text(ps), _part(ps, whole))
        for cause, ps in sorted(report.blocked_ps.items(), key=lambda item: -item[1])
    ]
    return Table("waits of all cores, mean of all samples", ("cause", "", "time", "share"), rows, "llrr")


def _waits(report: TimingReport) -> Table:
    text = {"sender": "a message of", "receiver": "being received by"}
    rows = [
        (
            f"core {wait.core}",
            f"{text[wait.cause]} core {wait.peer}",
            time_text(wait.ps),
            _part(wait.ps * report.timed.samples, report.run_ps),
        )
        for wait in report.waits[:SHOWN]
    ]
    return Table(
        _title("waits for peers, mean of all samples", report.waits), ("who", "for", "time", "share"), rows, "llrr"
    )


def _title(text: str, rows: Sequence[object]) -> str:
    return text + (f" (the first {SHOWN} of {len(rows)})" if len(rows) > SHOWN else "")


def _part(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else ""


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
