"""What the pictures of a report are drawn from: rows of values for each figure, in the units of its axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.errors import InputError
from launch.report.panels.metrics import Metric
from launch.text.units import unit_of

Row = dict[str, Any]
NAMED = 20  # nodes of a timeline that have colours of their own: those with the most time
OTHERS = "others"
SECONDS = "seconds"  # the unit of times on the host
REAL, SIMULATED, TIMELINE = "real time", "energy", "timeline"  # words of what a report has not
BESIDE = 0.12  # of the distance of two cores: how far from the middle a link is, so that both directions can be seen


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a figure; `unit` is that of their values, as a legend has it ("" for numbers)."""

    rows: Sequence[Row]
    unit: str


def core_rows(values: Mapping[str, Any], metric: Metric) -> Rows:
    """Per core its `column`, `row` and `value`; raises InputError if that is not known."""
    found = {core["core"]: metric.of(core) for core in values["cores"]}
    known = [value for value in found.values() if value is not None]
    if found and not known:
        why = _why(values, REAL if metric.unit == SECONDS else SIMULATED)
        raise InputError(f"{values['out']}: nothing is known of {metric.title}: {why}")
    size, unit = unit_of(max(known, default=0), metric.unit)
    rows = [{"core": core, "value": (value or 0) / size, **_place(values, core)} for core, value in found.items()]
    return Rows(rows, unit)


def link_rows(values: Mapping[str, Any]) -> Rows:
    """Per link both ends and its `bytes`."""
    links = values["chip"]["links"]
    size, unit = unit_of(max((link["bytes"] for link in links), default=0), "bytes")
    rows: list[Row] = []
    for link in links:
        begin, end = _place(values, link["from"]), _place(values, link["to"])
        column = BESIDE * (begin["row"] - end["row"])
        row = BESIDE * (end["column"] - begin["column"])
        ends = (begin["column"] + column, begin["row"] + row, end["column"] + column, end["row"] + row)
        rows.append(
            dict(zip(("column", "row", "column2", "row2"), ends, strict=True)) | {"bytes": link["bytes"] / size}
        )
    return Rows(rows, unit)


def extent(values: Mapping[str, Any]) -> tuple[int, int]:
    """Columns and rows of the mesh up to the last one with a core in use or a link."""
    chip = values["chip"]
    used = [core["core"] for core in values["cores"]] + [link[end] for link in chip["links"] for end in ("from", "to")]
    places = [_place(values, core) for core in used] or [{"column": 0, "row": 0}]
    return 1 + max(place["column"] for place in places), 1 + max(place["row"] for place in places)


def _place(values: Mapping[str, Any], core: int) -> dict[str, int]:
    width = values["chip"]["width"]
    return {"column": core % width, "row": core // width}


def slice_rows(values: Mapping[str, Any]) -> tuple[Rows, list[str]]:
    """Per slice its `core`, `begin` and `end`, and its `node`; and the nodes, those with less time as one.

    Raises InputError if there is no timeline.
    """
    told = values["timeline"]
    if told is None:
        raise InputError(f"{values['out']}: there is no timeline: {_why(values, TIMELINE)}")
    size, unit = unit_of(told["end_ps"], "ps")
    names, times = told["names"], dict[str, int]()
    slices = [
        (core["core"], begin, end, names[place]) for core in told["cores"] for begin, end, place in core["slices"]
    ]
    for _, begin, end, name in slices:
        times[name] = times.get(name, 0) + end - begin
    longest = set(sorted(times, key=lambda name: -times[name])[:NAMED])
    kept = [name for name in times if name in longest]
    rows = [
        {"core": core, "begin": begin / size, "end": end / size, "node": name if name in longest else OTHERS}
        for core, begin, end, name in slices
    ]
    return Rows(rows, unit), [*kept, *([OTHERS] if len(times) > len(kept) else [])]


def pair_rows(values: Mapping[str, Any]) -> Rows:
    """Per pair the places of `sender` and `receiver` among the cores in use, and its `bytes`."""
    place = {core["core"]: index for index, core in enumerate(values["cores"])}
    pairs = values["traffic"]
    size, unit = unit_of(max((pair["bytes"] for pair in pairs), default=0), "bytes")
    rows = [
        {"sender": place[pair["from"]], "receiver": place[pair["to"]], "bytes": pair["bytes"] / size} for pair in pairs
    ]
    return Rows(rows, unit)


def _why(values: Mapping[str, Any], word: str) -> str:
    """Why there is nothing of what the report calls by this word."""
    whys = [absent["why"] for absent in values["absent"] if word in absent["what"]]
    return whys[0] if whys else f"{values['arch']} does not tell"
