"""Who sends whom how much: a square per pair of cores, and the same as a table."""

from __future__ import annotations

from launch.report.panels.panel import Drawing, Listing, Panel
from launch.text.columns import Column

TRAFFIC = Panel(
    name="traffic",
    title="Traffic",
    about="a square per pair of cores, and the same as a table",
    make=lambda known, _absent: {"traffic": known.pairs},
    blocks=[
        Drawing("traffic"),
        Listing(
            name="pairs",
            caption="traffic per sample",
            rows="traffic",
            core=("from", "to"),
            order="bytes",
            limit=500,
            folded="Pairs as a table",
            columns=[
                Column("from", "sender", "core"),
                Column("to", "receiver", "core"),
                Column("messages", "messages", "count"),
                Column("bytes", "bytes", "bytes"),
            ],
        ),
    ],
    csv={"traffic": ("traffic", "{from} {to}")},
    fields={
        "traffic": {
            "": "per pair of cores",
            "`from`, `to`, `messages`, `bytes`": "sender, receiver, and what they exchange",
        }
    },
)
