"""How often each instruction runs: on all cores, on the selected one, for the selected node."""

from __future__ import annotations

from emu.census.instructions import by_count, families
from launch.report.panels.panel import Absent, Bars, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.text.columns import Column


def _values(known: KnownSubject, _absent: Absent) -> Values:
    kinds, mix = families(), by_count(known.census.total.executed)
    rows = [{"instruction": name, "family": kinds[name], "executed": count} for name, count in mix.items()]
    return {"instructions": rows}


INSTRUCTIONS = Panel(
    name="instructions",
    title="Instructions",
    about="how often each instruction runs: of all cores, of the selected core, of the selected node",
    make=_values,
    blocks=[
        Bars(
            name="mix",
            caption="instructions that run in a sample",
            rows="instructions",
            columns=[
                Column("instruction", "instruction"),
                Column("executed", "times", "count"),
                Column("family", "family"),
            ],
            follows="executed",
        )
    ],
    beside=True,
    csv={"instructions": ("instruction", "{instruction}")},
    fields={
        "instructions": {
            "": "per instruction",
            "`instruction`, `family`, `executed`": "mnemonic, what it does, how often it runs on all cores",
        }
    },
)
