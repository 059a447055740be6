"""What a run has computed beside its golden values."""

from __future__ import annotations

from emu.errors import option
from launch.report.panels.panel import Absent, Listing, Note, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.report.sources.verdict import verdict_values
from launch.text.columns import Column


def _values(known: KnownSubject, absent: Absent) -> Values:
    run, out = known.subject.run, known.subject.out
    verdict = verdict_values(run, out)
    if run is None:
        absent["verdict and error"] = verdict["sentence"]
    elif not (run.values.get("kept") or run.values.get("analog")):
        absent["error of inner nodes"] = (
            f"the run kept no tensors of theirs: emu launch {out} {option('keep', 'all')}"
            f" {option('model', 'MODEL.onnx')} {option('json')} compares every layer"
        )
    return {"verdict": verdict}


TENSORS = Panel(
    name="compared",
    title="Compared tensors",
    about="with `--run`: every output and kept tensor beside its golden values",
    needs="verdict.tensors",
    make=_values,
    blocks=[
        Note(["Compared with {verdict.source}."]),
        Listing(
            name="tensors",
            caption="compared tensors",
            rows="verdict.tensors",
            in_text=False,
            columns=[
                Column("name", "tensor"),
                Column("node", "node"),
                Column("passed", "verdict", "passed"),
                Column("max_abs", "max|diff|", "number"),
                Column("relative", "relative", "number"),
                Column("tolerance", "limit", "number"),
                Column("mismatches", "beyond it", "count"),
                Column("elements", "elements", "count"),
                Column("worst", "worst at", "place"),
                Column("got", "got", "number"),
                Column("want", "golden", "number"),
            ],
        ),
    ],
    csv={"verdict.tensors": ("tensor", "{name}")},
    fields={
        "verdict": {
            "": "of the run of `--run`",
            "`state`, `sentence`": "`right`, `wrong`, `failed`, `not compared`, `no run`, or of an analog run"
            " `measured`; what was found",
            "`source`, `exit_code`, `tensors`": "who computed the golden values; that of the run; per compared tensor"
            " numbers of `emu launch`, with its `node`",
            "`bisect`": "what `--bisect` of the run has found: its `lines`, the `node` and `core` to blame (null if not"
            " known); null without it",
        }
    },
)
