"""The report as text: lines and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from launch.report.compare import FIGURES, NODE_FIGURES
from launch.report.panels.panel import Bars, Listing, entries
from launch.report.panels.table import PANELS
from launch.text.answer import Part, Table
from launch.text.columns import Column, listed
from launch.text.units import UNKNOWN, written

SHOWN = 20  # rows


def report_parts(values: Mapping[str, Any]) -> Iterator[Part]:
    """The report, or the comparison of two; long tables show their first rows, the other forms have all."""
    yield from lines(values)
    yield from tables(values)
    yield from notes(values)


def lines(values: Mapping[str, Any]) -> list[str]:
    """What stands above the tables."""
    if "reports" not in values:
        return _head(values)
    heads = [line for one in values["reports"] for line in _head(one)]
    return [*heads, *([] if values["same_network"] else ["A and B are of different networks"])]


def tables(values: Mapping[str, Any]) -> list[Table]:
    """All tables that have rows, with the first of these."""
    found = _compared(values) if "reports" in values else _tables(values)
    return [table for table in found if table.rows]


def notes(values: Mapping[str, Any]) -> list[str]:
    """What makes a comparison unfair; what is not here, and why."""
    return [
        *values.get("notes", ()),
        *(
            f"not here: {absent['what']}: {absent['why']}"
            for one in values.get("reports", [values])
            for absent in one["absent"]
        ),
    ]


def _head(values: Mapping[str, Any]) -> list[str]:
    verdict = values["verdict"]
    figures = ((figure.title, written(figure.of(values), figure.unit)) for figure in FIGURES)
    return [
        f"{values['out']}: {values['model'] or 'programs written by hand'} on {values['arch']}",
        f"{verdict['state'].upper()}: {verdict['sentence']}",
        *(verdict["bisect"]["lines"] if verdict["bisect"] else ()),
        "; ".join(f"{title} {text}" for title, text in figures if text != UNKNOWN),
    ]


def _tables(values: Mapping[str, Any]) -> Iterator[Table]:
    """The tables and bars of all panels."""
    for panel in PANELS:
        for block in panel.blocks:
            if isinstance(block, Listing | Bars) and block.in_text:
                columns, rows = block.columns, entries(block, values)
                if isinstance(block, Bars) and block.shares:
                    amounts = [block.columns[1].value(row) for row in rows]
                    rows = [
                        {**row, "share": part / (sum(amounts) or 1)} for row, part in zip(rows, amounts, strict=True)
                    ]
                    columns = [*columns, Column("share", "share", "share")]
                yield listed(block.caption, columns, rows, SHOWN)


def _compared(values: Mapping[str, Any]) -> list[Table]:
    """Figures side by side, and nodes; of these what neither has is left out."""
    figures = [
        (row["title"], written(row["a"], row["unit"]), written(row["b"], row["unit"]), _times(row["ratio"]))
        for row in values["figures"]
        if row["a"] is not None or row["b"] is not None
    ]
    sides = [(f"{key}_{side}", f"{title} {side.upper()}", unit) for key, title, unit in NODE_FIGURES for side in "ab"]
    nodes = [
        {"node": row["node"]} | {f"{key}_{side}": each for side in "ab" for key, each in (row[side] or {}).items()}
        for row in values["nodes"]
    ]
    return [
        Table("A and B", ("figure", "A", "B", "B : A"), figures, "lrrr"),
        listed("nodes, A and B", [Column("node", "node"), *(Column(*side) for side in sides)], nodes, SHOWN),
    ]


def _times(ratio: float | None) -> str:
    return UNKNOWN if ratio is None else f"x{ratio:.4g}"
