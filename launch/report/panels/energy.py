"""Time and energy of the whole chip: energy by component, waits by cause."""

from __future__ import annotations

from launch.report.panels.panel import Absent, Bars, Listing, Note, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.report.sources.simulated import OF_CHIP, chip_figures
from launch.text.columns import Column


def _values(known: KnownSubject, absent: Absent) -> Values:
    simulated = known.simulated
    if known.subject.untimed:
        absent["simulated time and energy, timeline, critical path"] = known.subject.untimed
    if simulated and simulated.report.energy is None:
        absent["energy"] = f"{simulated.timed.chip.name} has no table [energy]"
    return {"time": simulated and chip_figures(simulated)}


ENERGY = Panel(
    name="energy",
    title="Time and energy",
    about="energy by component, waits by cause",
    needs="time",
    make=_values,
    wide=True,
    blocks=[
        Note(
            [
                'On {time.arch}, by the model "{time.model}" ({time.source}); {time.flow}, window {time.window},'
                " {time.samples|count} samples back to back."
            ]
        ),
        Listing(
            name="components",
            caption="energy of a sample in the steady state",
            rows="time.components",
            filtered=False,
            in_text=False,
            columns=[
                Column("component", "component"),
                Column("dynamic_pj", "dynamic", "pj"),
                Column("static_pj", "static", "pj"),
                Column("counts", "actions in a sample", "counts"),
            ],
        ),
        Bars(
            name="blocked",
            caption="what cores wait for: all cores, mean of all samples",
            rows="time.blocked_ps",
            columns=[Column("word", "cause"), Column("amount", "time", "ps")],
            in_text=False,
        ),
    ],
    csv={"time.components": ("component", "{component}")},
    fields={
        "time": {
            "": "of the whole chip, or null without a simulated time",
            ", ".join(f"`{name}`" for name in OF_CHIP): "as in `emu time`; `peak_power` with `--peak-power`",
        }
    },
)
