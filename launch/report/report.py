"""The report as plain values: every form (page, text, CSV, JSON, pictures) shows what is in these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from emu.census.census import Census
from emu.census.counts import summed
from emu.census.instructions import by_count, families
from emu.census.nodes import NO_NODE
from emu.errors import InputError, option
from launch.images.mapping import NodeMapping, map_nodes
from launch.info.summary import Summary, summarise
from launch.report.graph import MODEL, Graph, graph_of
from launch.report.metrics import METRICS
from launch.report.real_time import Spent
from launch.report.simulated import Simulated, chip_figures, core_figures, node_figures, path_values, simulate
from launch.report.subject import ReportSubject
from launch.report.timeline import timeline_values
from launch.report.traffic import chip_values, traffic_rows
from launch.report.verdict import errors_by_node, real_values, verdict_values
from launch.timing.wear import wear_of, wear_on

Values = dict[str, Any]


def report_values(subject: ReportSubject, peak_power: bool = False) -> Values:
    """Everything that is known. Times in ps (real ones in seconds), energies in pJ; what is not known is null.

    `peak_power`, which takes about as long as all the rest, is looked for if it is asked for; raises InputError where
    it cannot be had.
    """
    manifest = subject.image.manifest
    if peak_power and subject.timed is None:
        raise InputError(f"{option('peak_power')} is of simulated time: {subject.untimed}")
    summary, simulated = summarise(manifest, subject.programs), simulate(subject.timed, peak_power)
    graph, census, pairs = graph_of(subject), summary.census, traffic_rows(summary.census)
    timeline, untold = timeline_values(subject.timed, subject) if subject.timed else (None, "")
    mapped = map_nodes(manifest, census, graph.kinds)
    wear = wear_of(subject.timed) if subject.timed else wear_on(subject.programs, subject.arch, None)
    return {
        "out": str(subject.out),
        "model": manifest.model.name,
        "model_sha256": manifest.model.sha256,
        "arch": subject.arch.name,
        "manifest_sha256": subject.manifest_sha256,
        "options": dict(manifest.options),
        "warnings": list(manifest.warnings),
        "verdict": verdict_values(subject.run, subject.out),
        "run": str(subject.run.file) if subject.run else None,
        "trace": subject.trace and {"file": str(subject.trace.file), "samples": subject.trace.samples},
        "real": real_values(subject.run),
        "totals": _totals(summary, mapped.balance),
        "chip": chip_values(census),
        "time": simulated and chip_figures(simulated),
        "wear": wear and wear.to_dict(),
        "cores": _cores(subject, census, pairs, simulated),
        "nodes": _nodes(subject, mapped.nodes, census, simulated),
        "traffic": pairs,
        "instructions": _instructions(census),
        "critical_path": simulated and path_values(simulated, subject),
        "timeline": timeline,
        "graph": {"source": graph.source, "edges": [list(edge) for edge in graph.edges]},
        "metrics": [metric.to_dict() for metric in METRICS.values()],
        "absent": _absent(subject, simulated, untold, graph),
    }


def _totals(summary: Summary, balance: float | None) -> Values:
    census = summary.census
    return {
        "cores": len(census.cores),
        "arch_cores": census.arch.cores,
        "crossbars": census.sum("crossbars"),
        "crossbar_share": census.crossbar_share,
        "cell_share": census.cell_share,
        "macs": census.total.macs,
        "balance": balance,
        "instructions": census.sum("instructions"),
        "messages": census.total.messages,
        "bytes": census.total.sent,
        "byte_hops": census.byte_hops,
        "weight_bytes": census.sum("weight_bytes"),
        "memory": census.memory,
        "global_bytes": summary.global_bytes,
    }


def _cores(
    subject: ReportSubject, census: Census, pairs: Sequence[Mapping[str, int]], simulated: Simulated | None
) -> list[Values]:
    times = core_figures(simulated) if simulated else {}
    room = subject.arch.core.crossbars
    taken = _taken(pairs)
    return [
        {
            "core": core.core,
            "nodes": list(dict.fromkeys(subject.owner(share.node) for share in core.shares if share.node != NO_NODE)),
            "crossbars": core.crossbars,
            "crossbar_share": core.crossbars / room if room else 0.0,
            "weight_bytes": core.weight_bytes,
            "memory": core.memory,
            "written_cells": core.counts.written_cells,
            "instructions": core.instructions,
            "macs": core.counts.macs,
            "sent_messages": core.counts.messages,
            "sent_bytes": core.counts.sent,
            "received_messages": taken.get(core.core, (0, 0))[0],
            "received_bytes": taken.get(core.core, (0, 0))[1],
            "executed": by_count(core.counts.executed),
            **(times.get(core.core) or dict.fromkeys(CORE_TIMES)),
            **(_spent([subject.trace.by_core.get(core.core)]) if subject.trace else dict.fromkeys(REAL_TIMES)),
        }
        for core in census.cores.values()
    ]


REAL_TIMES = ("real_seconds", "real_request_seconds")
CORE_TIMES = ("end_ps", "busy_ps", "busy_unit", "waiting_ps", "blocked_ps", "energy_pj")
NODE_TIMES = ("compute_ps", "transfer_ps", "path_ps", "slack_ps", "energy_pj")


def _taken(pairs: Sequence[Mapping[str, int]]) -> dict[int, tuple[int, int]]:
    """Messages and bytes by the receiver."""
    found: dict[int, tuple[int, int]] = {}
    for pair in pairs:
        messages, size = found.get(pair["to"], (0, 0))
        found[pair["to"]] = messages + pair["messages"], size + pair["bytes"]
    return found


def _nodes(
    subject: ReportSubject, mapped: Sequence[NodeMapping], census: Census, simulated: Simulated | None
) -> list[Values]:
    times = node_figures(simulated, subject) if simulated else {}
    real: dict[str, list[Spent | None]] = {}
    for name, spent in (subject.trace.by_node if subject.trace else {}).items():
        real.setdefault(subject.owner(name), []).append(spent)
    producers = {origin.tensor: origin.node for origin in subject.image.manifest.tensors}
    errors = errors_by_node(subject.run, producers)
    shares = census.by_node(subject.owner)
    counts = {node.node: summed(share.counts for share in shares.get(node.node, ())) for node in mapped}
    return [
        {
            "node": node.node,
            "kind": node.kind,
            "where": node.where,
            "note": node.note,
            "cores": list(node.cores),
            "crossbars": node.crossbars,
            "cell_share": node.cells,
            "macs": node.macs,
            "macs_by_core": {
                str(share.core): share.counts.macs for share in shares.get(node.node, ()) if share.counts.macs
            },
            "messages": counts[node.node].messages,
            "bytes": node.bytes,
            "instructions": counts[node.node].written.total(),
            "executed": by_count(counts[node.node].executed),
            **(times.get(node.node) or dict.fromkeys(NODE_TIMES)),
            **(_spent(real[node.node]) if node.node in real else dict.fromkeys(REAL_TIMES)),
            "error": errors.get(node.node),
        }
        for node in mapped
    ]


def _spent(parts: Sequence[Spent | None]) -> Values:
    """Seconds on the host, per sample: computing, and in requests."""
    known = [part for part in parts if part is not None]
    seconds = sum(part.work for part in known), sum(part.requests for part in known)
    return dict(zip(REAL_TIMES, seconds, strict=True))


def _instructions(census: Census) -> list[Values]:
    kinds, mix = families(), by_count(census.total.executed)
    return [{"instruction": name, "family": kinds[name], "executed": count} for name, count in mix.items()]


def _absent(subject: ReportSubject, simulated: Simulated | None, untold: str, graph: Graph) -> list[Values]:
    """What the report has not, and why, as sentences."""
    found: dict[str, str] = {}
    if subject.run is None:
        found["verdict and error"] = verdict_values(None, subject.out)["sentence"]
    else:
        if not subject.run.values.get("kept"):
            found["error of inner nodes"] = (
                f"the run kept no tensors of theirs: emu launch {subject.out} {option('keep', 'all')}"
                f" {option('model', 'MODEL.onnx')} {option('json')} compares every layer"
            )
    if subject.trace is None:
        found["real time of nodes and cores"] = (
            f"a run measures it while it records a trace: emu launch {subject.out} {option('trace', 'run.json.gz')},"
            f" and add {option('trace', 'run.json.gz')}"
        )
    if subject.untimed:
        found["simulated time and energy, timeline, critical path"] = subject.untimed
    if simulated and simulated.pathless:
        found["critical path"] = simulated.pathless
    if untold:
        found["timeline"] = untold
    if simulated and simulated.report.energy is None:
        found["energy"] = f"{simulated.timed.chip.name} has no table [energy]"
    if graph.source != MODEL:
        found["operators of nodes"] = (
            f"the image does not hold them: name the ONNX file by {option('model', 'MODEL.onnx')};"
            " the graph is what programs read of each other's bytes"
        )
    return [{"what": what, "why": why} for what, why in found.items()]
