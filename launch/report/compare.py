"""Two compilations side by side: figures of the chips, and of nodes by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from launch.report.report import Values
from launch.report.unlike import SAID, sentences, unlike


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """A number of a report: where it stands, its title and unit; `less_is_better`: of two the smaller one is."""

    path: tuple[str, ...]
    title: str
    unit: str
    less_is_better: bool = True

    def of(self, report: Mapping[str, Any]) -> float | None:
        """The number in a report; None if it is not known."""
        value: Any = report
        for key in self.path:
            value = value[key] if value is not None else None
        return value


FIGURES = (
    ComparedFigure(("time", "latency_ps"), "latency, simulated", "ps"),
    ComparedFigure(("time", "period_ps"), "per sample, simulated", "ps"),
    ComparedFigure(("real", "seconds_per_sample"), "per sample, this run on the host", "seconds"),
    ComparedFigure(("time", "energy_pj"), "energy of a sample", "pj"),
    ComparedFigure(("time", "dynamic_pj"), "energy of its work, dynamic", "pj"),
    ComparedFigure(("time", "static_pj"), "energy of its time, static", "pj"),
    ComparedFigure(("time", "alone_pj"), "energy of a sample alone, at its latency", "pj"),
    ComparedFigure(("time", "power_mw"), "average power, mW", "number"),
    ComparedFigure(("time", "peak_power", "power_mw"), "peak power, mW", "number"),
    ComparedFigure(("time", "area_mm2"), "area, mm2", "number"),
    ComparedFigure(("totals", "cores"), "cores with a program", "count"),
    ComparedFigure(("totals", "crossbars"), "crossbars in use", "count"),
    ComparedFigure(("totals", "crossbar_share"), "of the crossbars of these cores", "share", less_is_better=False),
    ComparedFigure(("totals", "cell_share"), "of the cells of these crossbars", "share", less_is_better=False),
    ComparedFigure(("totals", "macs"), "multiplications per sample", "count"),
    ComparedFigure(("wear", "cell_writes"), "cells of crossbars written per sample", "count"),
    ComparedFigure(("wear", "lifetime_years"), "lifetime of written crossbars, years", "number", less_is_better=False),
    ComparedFigure(("totals", "balance"), "balance: mean load over highest", "share", less_is_better=False),
    ComparedFigure(("totals", "instructions"), "instructions, loops counted once", "count"),
    ComparedFigure(("totals", "messages"), "messages per sample", "count"),
    ComparedFigure(("totals", "bytes"), "bytes sent per sample", "bytes"),
    ComparedFigure(("totals", "byte_hops"), "bytes x links", "bytes"),
    ComparedFigure(("totals", "memory"), "local memory, at most", "bytes"),
    ComparedFigure(("totals", "global_bytes"), "global memory per sample", "bytes"),
)
SAME = "A and B have the same figures: what differs between their chips and programs changes none of them"
NODE_FIGURES = (
    ("cores", "cores", "count"),
    ("crossbars", "crossbars", "count"),
    ("macs", "MACs", "count"),
    ("bytes", "bytes", "bytes"),
    ("compute_ps", "operations", "ps"),
    ("energy_pj", "energy", "pj"),
)


def compared(a: Values, b: Values) -> Values:
    """The comparison as plain values: `figures` of the chips, `nodes` of either, and both `reports` whole.

    `notes` tell what only one of the chips counts; a figure of which the smaller one may be smaller for that is not
    `fair`.
    """
    figures = [_compared(figure, a, b) for figure in FIGURES]
    differing = {row["figure"]: found for row in figures if (found := unlike(row["figure"], a, b)) is not None}
    sides = [{node["node"]: _figures(node) for node in report["nodes"]} for report in (a, b)]
    names = dict.fromkeys(name for side in sides for name in side)
    return {
        "same_network": a["model_sha256"] == b["model_sha256"],
        "figures": [row | {"fair": row["figure"] not in differing or differing[row["figure"]].fair} for row in figures],
        "notes": [
            *(
                sentence
                for row in figures
                if row["figure"] not in SAID and (found := differing.get(row["figure"]))
                for sentence in sentences(found, row["title"], a, b)
            ),
            *(
                [SAME]
                if a["manifest_sha256"] != b["manifest_sha256"] and all(row["a"] == row["b"] for row in figures)
                else ()
            ),
        ],
        "node_figures": [{"name": name, "title": title, "unit": unit} for name, title, unit in NODE_FIGURES],
        "nodes": [
            {
                "node": name,
                "a": sides[0].get(name),
                "b": sides[1].get(name),
                "ratio": {
                    key: ratio(*((side.get(name) or {}).get(key) for side in sides)) for key, _, _ in NODE_FIGURES
                },
            }
            for name in names
        ],
        "reports": [a, b],
    }


def ratio(a: float | None, b: float | None) -> float | None:
    """`b` over `a`; None if one is not known, or of nothing."""
    return b / a if a and b is not None else None


def _compared(figure: ComparedFigure, a: Values, b: Values) -> Values:
    ours, theirs = figure.of(a), figure.of(b)
    return {
        "figure": ".".join(figure.path),
        "title": figure.title,
        "unit": figure.unit,
        "less_is_better": figure.less_is_better,
        "a": ours,
        "b": theirs,
        "ratio": ratio(ours, theirs),
    }


def _figures(node: Mapping[str, Any]) -> Values:
    return {key: len(node[key]) if key == "cores" else node[key] for key, _, _ in NODE_FIGURES}
