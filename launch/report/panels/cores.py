"""A row for each core: what it does, takes and waits for."""

from __future__ import annotations

from emu.census.instructions import by_count
from emu.census.nodes import NO_NODE
from emu.errors import option
from launch.report.panels.metrics import METRICS
from launch.report.panels.panel import Absent, Listing, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.report.sources.real_time import REAL_TIMES, spent_values
from launch.report.sources.simulated import core_figures
from launch.text.columns import Column

TIMES = ("end_ps", "busy_ps", "busy_unit", "waiting_ps", "blocked_ps", "energy_pj")


def _values(known: KnownSubject, absent: Absent) -> Values:
    subject, trace = known.subject, known.subject.trace
    if trace is None:
        absent["real time of nodes and cores"] = (
            f"a run measures it while it records a trace: emu launch {subject.out} {option('trace', 'run.json.gz')},"
            f" and add {option('trace', 'run.json.gz')}"
        )
    times = core_figures(known.simulated) if known.simulated else {}
    unmeasured: Values = dict.fromkeys(REAL_TIMES)
    room = subject.arch.core.crossbars
    taken: dict[int, tuple[int, int]] = {}  # messages and bytes by the receiver
    for pair in known.pairs:
        messages, size = taken.get(pair["to"], (0, 0))
        taken[pair["to"]] = messages + pair["messages"], size + pair["bytes"]
    rows = [
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
            **(times.get(core.core) or dict.fromkeys(TIMES)),
            **(spent_values([trace.by_core.get(core.core)]) if trace else unmeasured),
        }
        for core in known.census.cores.values()
    ]
    return {"cores": rows}


CORES = Panel(
    name="cores",
    title="Cores",
    about="a row per core",
    make=_values,
    blocks=[
        Listing(
            name="cores-table",
            caption="cores, per sample",
            rows="cores",
            core=("core",),
            columns=[
                Column("core", "core", "core"),
                Column("nodes", "nodes", "names"),
                Column("crossbar_share", "crossbars used", "share", in_text=False),
                *(
                    Column(
                        metric.name,
                        metric.title,
                        metric.unit,
                        of="+".join(metric.fields),
                        short=metric.short,
                        if_any=metric.name == "wear",
                    )
                    for metric in METRICS.values()
                ),
                Column("end_ps", "ends at", "ps", hint="end of the first sample", in_text=False),
            ],
        )
    ],
    csv={"cores": ("core", "{core}")},
    fields={
        "cores": {
            "": "per core",
            "`core`, `nodes`": "its number, and the nodes that it works for",
            "`crossbars`, `crossbar_share`, `weight_bytes`, `memory`, `instructions`": "as in `emu info`; the share of"
            " its own crossbars",
            "`written_cells`": "cells of crossbars that it writes",
            "`macs`, `executed`": "multiplications; how often each instruction runs, the most frequent one first",
            "`sent_messages`, `sent_bytes`, `received_messages`, `received_bytes`": "to and from all other cores",
            "`end_ps`, `busy_ps`, `busy_unit`": "end of the first sample; time and name of its busiest unit",
            "`waiting_ps`, `blocked_ps`": "waits for other cores (to send, to receive, for events); all waits by cause",
            "`energy_pj`": "dynamic energy",
            "`real_seconds`, `real_request_seconds`": "on the host, by `--trace`: computing, and in messages and"
            " requests, waiting included",
        }
    },
)
