"""What decides the latency: its kinds of work, and the critical path in order."""

from __future__ import annotations

from launch.report.panels.panel import Absent, Bars, Listing, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.report.sources.simulated import path_values
from launch.text.columns import Column


def _values(known: KnownSubject, absent: Absent) -> Values:
    simulated = known.simulated
    if simulated and simulated.pathless:
        absent["critical path"] = simulated.pathless
    return {"critical_path": simulated and path_values(simulated, known.subject)}


PATH = Panel(
    name="path",
    title="Critical path",
    about="what the latency is made of, and the path in order",
    needs="critical_path",
    make=_values,
    wide=True,
    blocks=[
        Bars(
            name="path-kinds",
            caption="critical path by kind of work",
            rows="critical_path.kinds",
            columns=[Column("word", "kind"), Column("amount", "time", "ps")],
            shares=True,
        ),
        Listing(
            name="path-chain",
            caption="the path in order: no part of it can be later",
            rows="critical_path.chain",
            core=("core",),
            node="nodes",
            limit=300,
            in_text=False,
            columns=[
                Column("core", "core", "core"),
                Column("begin_ps", "from", "ps"),
                Column("ps", "for", "ps", of="end_ps-begin_ps"),
                Column("peer", "message of core", "core"),
                Column("request", "in a request", "flag"),
                Column("nodes", "nodes", "names"),
            ],
        ),
    ],
    fields={
        "critical_path": {
            "": "of the latency in simulated time, or null",
            "`latency_ps`, `kinds`, `chain`": "ps by kind of work, and its parts in order as of `emu time`, by the"
            " names of `nodes`",
        }
    },
)
