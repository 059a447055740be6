"""A row for each node of the network: where it runs, what it does, takes and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from emu.census.counts import summed
from emu.census.instructions import by_count
from launch.report.panels.panel import Absent, Listing, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.report.sources.real_time import REAL_TIMES, Spent, spent_values
from launch.report.sources.simulated import node_figures
from launch.report.sources.verdict import errors_by_node
from launch.text.columns import Column

TIMES = ("compute_ps", "transfer_ps", "path_ps", "slack_ps", "energy_pj")


def _values(known: KnownSubject, _absent: Absent) -> Values:
    subject, simulated = known.subject, known.simulated
    times = node_figures(simulated, subject) if simulated else {}
    real: dict[str, list[Spent | None]] = {}
    for name, spent in (subject.trace.by_node if subject.trace else {}).items():
        real.setdefault(subject.owner(name), []).append(spent)
    producers = {origin.tensor: origin.node for origin in subject.image.manifest.tensors}
    errors = errors_by_node(subject.run, producers)
    shares, rows = known.census.by_node(subject.owner), list[dict[str, Any]]()
    for node in known.mapped.nodes:
        parts: Sequence[Any] = shares.get(node.node, ())
        counts = summed(share.counts for share in parts)
        rows.append(
            {
                "node": node.node,
                "kind": node.kind,
                "where": node.where,
                "note": node.note,
                "cores": list(node.cores),
                "crossbars": node.crossbars,
                "cell_share": node.cells,
                "macs": node.macs,
                "macs_by_core": {str(share.core): share.counts.macs for share in parts if share.counts.macs},
                "messages": counts.messages,
                "bytes": node.bytes,
                "instructions": counts.written.total(),
                "executed": by_count(counts.executed),
                **(times.get(node.node) or dict.fromkeys(TIMES)),
                **(spent_values(real[node.node]) if node.node in real else dict.fromkeys(REAL_TIMES)),
                "error": errors.get(node.node),
            }
        )
    return {"nodes": rows}


NODES = Panel(
    name="nodes",
    title="Nodes",
    about="a row per ONNX node: operator, cores, crossbars, use of their cells, multiplications, messages, bytes,"
    " times, slack, energy, error",
    make=_values,
    blocks=[
        Listing(
            name="nodes-table",
            caption="nodes, per sample; simulated times of all its cores together",
            rows="nodes",
            node="node",
            columns=[
                Column("node", "node"),
                Column("kind", "operator"),
                Column("where", "runs on", of="where|note"),
                Column("cores", "cores", "cores"),
                Column("crossbars", "crossbars", "count"),
                Column(
                    "cell_share",
                    "cells used",
                    "share",
                    hint="share of the cells of its crossbars that hold weights",
                    short="cells",
                ),
                Column("macs", "MACs", "count"),
                Column("messages", "messages", "count"),
                Column("bytes", "bytes", "bytes"),
                Column("compute_ps", "operations", "ps", hint="simulated time of its operations, all cores together"),
                Column("transfer_ps", "transfers", "ps", hint="simulated time of its messages and requests"),
                Column("path_ps", "on the path", "ps", hint="its part of the critical path"),
                Column("slack_ps", "slack", "ps", hint="how much later it could be at no cost", in_text=False),
                Column("energy_pj", "energy", "pj", hint="dynamic energy of a sample"),
                Column(
                    "real_seconds",
                    "real time",
                    "seconds",
                    hint="of its operations on this host, all cores together",
                    short="real",
                ),
                Column(
                    "real_request_seconds",
                    "real transfers",
                    "seconds",
                    hint="of its messages and requests on this host, waiting included",
                    in_text=False,
                ),
                Column(
                    "error",
                    "error",
                    "error",
                    hint="largest difference from the golden values, relative to their largest magnitude",
                ),
            ],
        )
    ],
    csv={"nodes": ("node", "{node}")},
    fields={
        "nodes": {
            "": "per ONNX node",
            "`node`, `kind`, `where`, `note`, `cores`, `crossbars`, `macs`, `bytes`": "as in `emu compile`; `kind` is"
            " empty without `--model`",
            "`cell_share`, `macs_by_core`": "share of the cells of its crossbars that hold weights; multiplications on"
            " each core",
            "`messages`, `instructions`, `executed`": "as of a core",
            "`compute_ps`, `transfer_ps`, `energy_pj`": "what its operations and its messages take on all cores"
            " together; dynamic energy",
            "`path_ps`, `slack_ps`": "its part of the critical path; how much later it could be at no cost",
            "`real_seconds`, `real_request_seconds`": "on the host, of all cores together, by `--trace`: computing,"
            " and in messages and requests, waiting included",
            "`error`": "of its compared tensor that is furthest off: the numbers of `emu launch`; or null",
        }
    },
)
