"""The report as text: lines and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from launch.report.compare import FIGURES, NODE_FIGURES
from launch.report.panels.panel import Bars, Listing, entries
from launch.report.panels.table import PANELS
from launch.text.answer import Part, Table
from launch.text.units import UNKNOWN, written

SHOWN = 20  # rows


def report_parts(values: Mapping[str, Any]) -> Iterator[Part]:
    """The report, or the comparison of two; long tables show their first rows, the other forms have all."""
    yield from lines(values)
    for table in tables(values):
        more = f" (the first {SHOWN} of {len(table.rows)})" if len(table.rows) > SHOWN else ""
        yield replace(table, title=table.title + more, rows=table.rows[:SHOWN])
    yield from notes(values)


def lines(values: Mapping[str, Any]) -> list[str]:
    """What stands above the tables."""
    if "reports" not in values:
        return _head(values)
    told = [line for one in values["reports"] for line in _head(one)]
    return [*told, *([] if values["same_network"] else ["A and B are of different networks"])]


def tables(values: Mapping[str, Any]) -> list[Table]:
    """All tables that have rows."""
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
    """The tables and bars of all panels; columns in which nothing is known, or all is zero, are left out."""
    for panel in PANELS:
        for block in panel.blocks:
            if block.in_text and isinstance(block, Listing | Bars):
                yield _table(block, entries(block, values))


def _table(block: Listing | Bars, rows: Sequence[Mapping[str, Any]]) -> Table:
    known = [
        column
        for place, column in enumerate(block.columns)
        if column.in_text and (not place or any(column.value(row) for row in rows))
    ]
    titles, cells = [column.short or column.title for column in known], [[c.text(row) for c in known] for row in rows]
    right = ["r" if column.is_number else "l" for column in known]
    if isinstance(block, Bars) and block.shares:
        amounts = [block.columns[1].value(row) for row in rows]
        cells = [[*row, written(part / (sum(amounts) or 1), "share")] for row, part in zip(cells, amounts, strict=True)]
        titles, right = [*titles, "share"], [*right, "r"]
    return Table(block.caption, titles, cells, "".join(right))


def _compared(values: Mapping[str, Any]) -> list[Table]:
    figures = [
        (row["title"], written(row["a"], row["unit"]), written(row["b"], row["unit"]), _times(row["ratio"]))
        for row in values["figures"]
        if row["a"] is not None or row["b"] is not None
    ]
    nodes = [
        (row["node"], *(cell for key, _, unit in NODE_FIGURES for cell in _pair(row, key, unit)))
        for row in values["nodes"]
    ]
    columns = ("node", *(f"{title} {side}" for _, title, _ in NODE_FIGURES for side in "AB"))
    return [
        Table("A and B", ("figure", "A", "B", "B : A"), figures, "lrrr"),
        Table("nodes, A and B", columns, nodes, "l" + "r" * (len(columns) - 1)),
    ]


def _pair(row: Mapping[str, Any], key: str, unit: str) -> tuple[str, ...]:
    return tuple(written((row[side] or {}).get(key), unit) for side in "ab")


def _times(ratio: float | None) -> str:
    return UNKNOWN if ratio is None else f"x{ratio:.4g}"
