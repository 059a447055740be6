"""Runs on cells, wires and converters: answers over trials, errors of tensors, codes of converters by layer."""

from __future__ import annotations

from launch.analog.tables import CURRENTS, LAYERS, TENSORS
from launch.report.panels.panel import Absent, Bars, Listing, Note, Panel, Values
from launch.report.sources.analog import analog_values
from launch.report.sources.known import KnownSubject
from launch.text.columns import Column


def _values(known: KnownSubject, _absent: Absent) -> Values:
    return {"analog": analog_values(known.subject.run)}


ANALOG = Panel(
    name="analog",
    title="Cells, wires and converters",
    about="with `--run` of `emu launch --analog`: right answers over trials, signal to noise of outputs and kept"
    " tensors, what converters of each layer clip, and a histogram of their codes over their range",
    needs="analog",
    make=_values,
    wide=True,
    blocks=[
        Note(
            [
                "{analog.trials|count} trials of {analog.samples|count} samples, seed {analog.seed}.",
                "Right: {analog.accuracy.right|count} of {analog.accuracy.of|count}, {analog.accuracy.low|share} to"
                " {analog.accuracy.high|share}.",
                "As golden: {analog.agreement.right|count} of {analog.agreement.of|count},"
                " {analog.agreement.low|share} to {analog.agreement.high|share}.",
                "Programs wrote {analog.wear.cells|number} cells per sample in {analog.wear.pulses|number} pulses.",
                "Crossbars last {analog.wear.lifetime_years|number} years at this rate.",
            ]
        ),
        Bars(
            name="analog-trials",
            caption="trials by their share of right answers (without labels: as golden)",
            rows="analog.by_trial",
            columns=[Column("share", "right"), Column("trials", "trials", "count")],
        ),
        Listing(
            name="analog-tensors",
            caption="signal to noise beside golden values, all trials",
            rows="analog.tensors",
            node="node",
            columns=TENSORS,
        ),
        Listing(
            name="analog-layers",
            caption=f"converters by layer; {CURRENTS}",
            rows="analog.layers",
            node="node",
            columns=LAYERS,
        ),
    ],
    csv={"analog.tensors": ("analog tensor", "{name}"), "analog.layers": ("analog layer", "{node}")},
    fields={
        "analog": {
            "": "of a run with `--analog`, or null",
            "`trials`, `samples`, `seed`, `first`, `accuracy`, `agreement`": "as in `emu launch`",
            "`by_trial`": "by `share` of right answers, or of those as golden: how many `trials`",
            "`tensors`": "of each kept tensor and output: `name`, `node`, `snr_db`, `relative`, `odd`",
            "`wear`": "as in `emu launch`, without what was planned",
            "`layers`": "counts of array groups by `node`, as in `emu launch`; `codes`: the histogram as bars",
        }
    },
)
