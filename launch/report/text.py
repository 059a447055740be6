"""The report as text: lines and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from launch.report.compare import FIGURES, NODE_FIGURES
from launch.text.answer import Part, Table
from launch.text.units import UNKNOWN, ranges, written

SHOWN = 20  # rows
CORES = 60  # characters of a list of cores


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


def _tables(values: Mapping[str, Any]) -> list[Table]:
    path = values["critical_path"] or {"kinds": {}, "latency_ps": 0}
    kinds = sorted(path["kinds"].items(), key=lambda item: -item[1])
    return [
        _nodes(values["nodes"]),
        _cores(values["cores"], values["metrics"]),
        _worn(values["wear"]),
        Table(
            "traffic per sample",
            ("sender", "receiver", "messages", "bytes"),
            [
                (pair["from"], pair["to"], pair["messages"], written(pair["bytes"], "bytes"))
                for pair in sorted(values["traffic"], key=lambda pair: (-pair["bytes"], pair["from"], pair["to"]))
            ],
            "rrrr",
        ),
        Table(
            "instructions that run in a sample",
            ("instruction", "family", "times"),
            [(row["instruction"], row["family"], written(row["executed"], "count")) for row in values["instructions"]],
            "llr",
        ),
        Table(
            "critical path by kind of work",
            ("kind", "time", "share"),
            [(kind, written(ps, "ps"), written(ps / (path["latency_ps"] or 1), "share")) for kind, ps in kinds],
            "lrr",
        ),
    ]


def _nodes(nodes: Sequence[Mapping[str, Any]]) -> Table:
    columns = (
        ("crossbars", "crossbars", "count"),
        ("cell_share", "cells", "share"),
        ("macs", "MACs", "count"),
        ("messages", "messages", "count"),
        ("bytes", "bytes", "bytes"),
        ("compute_ps", "operations", "ps"),
        ("transfer_ps", "transfers", "ps"),
        ("path_ps", "on the path", "ps"),
        ("real_seconds", "real", "seconds"),
        ("energy_pj", "energy", "pj"),
    )
    known = [column for column in columns if any(node[column[0]] is not None for node in nodes)]
    compared = any(node["error"] for node in nodes)
    rows = [
        (
            node["node"],
            node["kind"] or node["where"] or UNKNOWN,
            _short(ranges(node["cores"])) or UNKNOWN,
            *(written(node[key], unit) for key, _, unit in known),
            *([_error(node["error"])] if compared else []),
        )
        for node in nodes
    ]
    titles = ("node", "operator", "cores", *(title for _, title, _ in known), *(["error"] if compared else []))
    return Table("nodes, per sample", titles, rows, "lll" + "r" * len(known) + "r")


def _error(error: Mapping[str, Any] | None) -> str:
    if error is None:
        return UNKNOWN
    return written(error["relative"], "number") + ("" if error["passed"] else " WRONG")


def _cores(cores: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> Table:
    known = [
        metric
        for metric in metrics
        if all(core[field] is not None for core in cores for field in metric["fields"])
        and (metric["name"] != "wear" or any(core["written_cells"] for core in cores))
    ]
    rows = [
        (
            core["core"],
            *(written(sum(core[field] for field in metric["fields"]), metric["unit"]) for metric in known),
            _short(", ".join(core["nodes"])),
        )
        for core in cores
    ]
    return Table(
        "cores, per sample", ("core", *(metric["short"] for metric in known), "nodes"), rows, "r" * (1 + len(known))
    )


def _worn(wear: Mapping[str, Any] | None) -> Table:
    """The crossbars that are written, the most worn first."""
    crossbars = sorted(wear["crossbars"], key=lambda each: -each["writes_per_cell"]) if wear else []
    columns = (
        ("events", "writes", "count"),
        ("rows", "rows", "count"),
        ("cells", "cells", "count"),
        ("writes_per_cell", "per cell", "number"),
        ("lifetime_years", "years", "number"),
    )
    rows = [(each["name"], *(written(each[key], unit) for key, _, unit in columns)) for each in crossbars]
    return Table("wear of crossbars, per sample", ("crossbar", *(title for _, title, _ in columns)), rows, "lrrrrr")


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


def _short(text: str) -> str:
    return text if len(text) <= CORES else text[: CORES - 3] + "..."
