"""What crosses the links between several chips."""

from __future__ import annotations

from launch.images.chips import PAIRS, chip_values
from launch.report.panels.panel import Listing, Note, Panel
from launch.text.columns import Column

CHIPS = Panel(
    name="chips",
    title="Several chips",
    about="of several chips the cores and crossbars in use of each, and what crosses between each two in a sample,"
    " loads and stores of global memory among it, which is at the first chip",
    make=lambda known, _absent: {"chips": chip_values(known.census)},
    needs="chips",
    blocks=[
        Note(
            [
                "{chips.messages|count} messages with {chips.bytes|bytes} cross between chips in a sample.",
            ]
        ),
        Listing(
            name="chip-pairs",
            caption="between chips, per sample",
            rows="chips.pairs",
            order="bytes",
            filtered=False,
            columns=PAIRS,
        ),
        Listing(
            name="chips-in-use",
            caption="chips in use",
            rows="chips.of_each",
            filtered=False,
            columns=[
                Column("chip", "chip", "count"),
                Column("cores", "cores", "count"),
                Column("crossbars", "crossbars", "count"),
            ],
        ),
    ],
    csv={"chips.pairs": ("chips", "{from} {to}"), "chips.of_each": ("chip", "{chip}")},
    fields={
        "chips": {
            "": "of several chips; else null",
            "`chips`, `messages`, `bytes`": "how many there are, and what crosses between them",
            "`of_each`": "of each in use `chip`, its `cores` and `crossbars` in use",
            "`pairs`": "per pair of chips `from`, `to`, `messages`, `bytes`",
        }
    },
)
