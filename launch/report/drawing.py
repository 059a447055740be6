"""Pictures of a report for papers: chip map, timeline and traffic matrix, drawn by Vega-Lite as SVG or PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emu.errors import InputError
from launch.report.forms import PictureOptions
from launch.report.panels.metrics import METRICS, Metric
from launch.text.picture import picture
from launch.text.units import unit_of

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]
NAMED = 20  # nodes of a timeline that have colours of their own: those with the most time
OTHERS = "others"
SECONDS = "seconds"  # the unit of times on the host
REAL, SIMULATED, TIMELINE = "real time", "energy", "timeline"  # words of what a report has not
BESIDE = 0.12  # of the distance of two cores: how far from the middle a link is, so that both directions can be seen


@dataclass(frozen=True, slots=True)
class FigureRows:
    """Rows of a figure; `unit` is that of their values, as a legend has it ("" for numbers)."""

    rows: Sequence[Row]
    unit: str


def core_rows(values: Mapping[str, Any], metric: Metric) -> FigureRows:
    """Per core its `column`, `row` and `value`; raises InputError if that is not known."""
    found = {core["core"]: metric.of(core) for core in values["cores"]}
    known = [value for value in found.values() if value is not None]
    if found and not known:
        why = _why(values, REAL if metric.unit == SECONDS else SIMULATED)
        raise InputError(f"{values['out']}: nothing is known of {metric.title}: {why}")
    size, unit = unit_of(max(known, default=0), metric.unit)
    rows = [{"core": core, "value": (value or 0) / size, **_place(values, core)} for core, value in found.items()]
    return FigureRows(rows, unit)


def link_rows(values: Mapping[str, Any]) -> FigureRows:
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
    return FigureRows(rows, unit)


def extent(values: Mapping[str, Any]) -> tuple[int, int]:
    """Columns and rows of the drawing up to the last one with a core in use or a link."""
    chip = values["chip"]
    used = [core["core"] for core in values["cores"]] + [link[end] for link in chip["links"] for end in ("from", "to")]
    places = [_place(values, core) for core in used] or [{"column": 0, "row": 0}]
    return 1 + max(place["column"] for place in places), 1 + max(place["row"] for place in places)


def _place(values: Mapping[str, Any], core: int) -> dict[str, int]:
    """Where a core is drawn: on its chip, which stands beside others with a core's room between them."""
    chip = values["chip"]
    number, there = divmod(core, chip["chip_cores"])
    row, column = divmod(number, chip["across"])
    return {
        "column": column * (chip["width"] + 1) + there % chip["width"],
        "row": row * (chip["height"] + 1) + there // chip["width"],
    }


def slice_rows(values: Mapping[str, Any]) -> tuple[FigureRows, list[str]]:
    """Per slice its `core`, `begin` and `end`, and its `node`; and the nodes, those with less time as one.

    Raises InputError if there is no timeline.
    """
    timeline = values["timeline"]
    if timeline is None:
        raise InputError(f"{values['out']}: there is no timeline: {_why(values, TIMELINE)}")
    size, unit = unit_of(timeline["end_ps"], "ps")
    names, times = timeline["names"], dict[str, int]()
    slices = [
        (core["core"], begin, end, names[place]) for core in timeline["cores"] for begin, end, place in core["slices"]
    ]
    for _, begin, end, name in slices:
        times[name] = times.get(name, 0) + end - begin
    longest = set(sorted(times, key=lambda name: -times[name])[:NAMED])
    kept = [name for name in times if name in longest]
    rows = [
        {"core": core, "begin": begin / size, "end": end / size, "node": name if name in longest else OTHERS}
        for core, begin, end, name in slices
    ]
    return FigureRows(rows, unit), [*kept, *([OTHERS] if len(times) > len(kept) else [])]


def pair_rows(values: Mapping[str, Any]) -> FigureRows:
    """Per pair the places of `sender` and `receiver` among the cores in use, and its `bytes`."""
    place = {core["core"]: index for index, core in enumerate(values["cores"])}
    pairs = values["traffic"]
    size, unit = unit_of(max((pair["bytes"] for pair in pairs), default=0), "bytes")
    rows = [
        {"sender": place[pair["from"]], "receiver": place[pair["to"]], "bytes": pair["bytes"] / size} for pair in pairs
    ]
    return FigureRows(rows, unit)


def _why(values: Mapping[str, Any], word: str) -> str:
    """Why there is nothing of what the report calls by this word."""
    whys = [absent["why"] for absent in values["absent"] if word in absent["what"]]
    return whys[0] if whys else f"{values['arch']} does not tell"


SIDE = 480  # pixels of a chart
NUMBERED = 128  # so many cores are drawn with their numbers
LINKS, DARK = "#b07000", "blues"


def svg(values: Mapping[str, Any], options: PictureOptions) -> bytes:
    """A figure of the report as SVG; raises InputError if there is nothing to draw."""
    return picture(_chart(values, options), ".svg")


def png(values: Mapping[str, Any], options: PictureOptions) -> bytes:
    """A figure of the report as PNG; raises InputError if there is nothing to draw."""
    return picture(_chart(values, options), ".png")


def _chart(values: Mapping[str, Any], options: PictureOptions) -> Any:
    import altair as alt

    figures = {"chip": _chip, "timeline": _timeline, "matrix": _matrix}
    alt.data_transformers.disable_max_rows()
    title = f"{values['model'] or values['out']} on {values['arch']}"
    return figures[options.figure or "chip"](values, options).properties(title=title)


def _chip(values: Mapping[str, Any], options: PictureOptions) -> alt.LayerChart:
    import altair as alt

    metric = METRICS[options.by or "load"]
    cores, links, (columns, rows) = core_rows(values, metric), link_rows(values), extent(values)
    cell = SIDE / max(columns, rows)
    heaviest = max((link["bytes"] for link in links.rows), default=1)
    x = alt.X("column:Q", scale=alt.Scale(domain=[-0.6, columns - 0.4], nice=False), axis=None)
    y = alt.Y("row:Q", scale=alt.Scale(domain=[rows - 0.4, -0.6], nice=False), axis=None)
    width = alt.Scale(type="sqrt", domain=[0, heaviest], range=[0, cell * 0.16])
    lines = alt.Chart(alt.Data(values=links.rows)).mark_rule(color=LINKS, strokeCap="butt")
    lines = lines.encode(
        x=x,
        y=y,
        x2="column2:Q",
        y2="row2:Q",
        strokeWidth=alt.StrokeWidth("bytes:Q", scale=width, title=_title("links", links.unit)),
    )
    colour = alt.Color(
        "value:Q", scale=alt.Scale(scheme=DARK, type="sqrt", domainMin=0), title=_title(metric.title, cores.unit)
    )
    data = alt.Data(values=cores.rows)
    squares = alt.Chart(data).mark_square(size=(cell * 0.68) ** 2, opacity=1, stroke="#888", strokeWidth=0.3)
    layers = [lines, squares.encode(x=x, y=y, color=colour)]
    if len(cores.rows) <= NUMBERED:
        most = max((row["value"] for row in cores.rows), default=0)
        shade = alt.condition(f"datum.value > {most * 0.3}", alt.value("white"), alt.value("black"))
        numbers = alt.Chart(data).mark_text(fontSize=min(14, cell * 0.3))
        layers.append(numbers.encode(x=x, y=y, text="core:N", color=shade))
    return alt.layer(*layers).properties(width=cell * columns, height=cell * rows)


def _timeline(values: Mapping[str, Any], _options: PictureOptions) -> alt.Chart:
    import altair as alt

    slices, names = slice_rows(values)
    order = [core["core"] for core in values["timeline"]["cores"]]
    hues = [f"hsl({place * 137.508 % 360:.0f}, 55%, 58%)" for place in range(len(names))]
    axis = alt.Axis(values=order[:: max(1, len(order) // 32)], ticks=False, domain=False)
    data = alt.Data(values=slices.rows)
    time = alt.X(
        "begin:Q", title=_title("simulated time", slices.unit), scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=10)
    )
    rows = alt.Y("core:O", sort=order, axis=axis, scale=alt.Scale(paddingInner=0.15 if len(order) < 100 else 0))
    colour = alt.Color("node:N", sort=names, scale=alt.Scale(domain=names, range=hues), title="computes for")
    chart = alt.Chart(data, width=SIDE * 1.6, height=max(160, min(800, 12 * len(order)))).mark_bar()
    return chart.encode(x=time, x2="end:Q", y=rows, color=colour)


def _matrix(values: Mapping[str, Any], _options: PictureOptions) -> alt.Chart:
    import altair as alt

    pairs, order = pair_rows(values), [core["core"] for core in values["cores"]]
    cell = SIDE / max(1, len(order))
    names = alt.Axis(grid=False, tickMinStep=1, labelExpr=f"{order}[datum.value]")

    def scale(*domain: float) -> alt.Scale:
        return alt.Scale(domain=list(domain), nice=False)

    colour = alt.Scale(scheme=DARK, type="log")
    marks = alt.Chart(alt.Data(values=pairs.rows), width=SIDE, height=SIDE)
    return marks.mark_square(size=max(cell * 0.95, 1.5) ** 2, opacity=1).encode(
        x=alt.X("receiver:Q", scale=scale(-0.5, len(order) - 0.5), axis=names, title="receiving core"),
        y=alt.Y("sender:Q", scale=scale(len(order) - 0.5, -0.5), axis=names, title="sending core"),
        color=alt.Color("bytes:Q", scale=colour, title=_title("bytes per sample", pairs.unit)),
    )


def _title(text: str, unit: str) -> str:
    return f"{text} ({unit})" if unit else text
