"""Pictures of a report for papers: chip map, timeline and traffic matrix, drawn by Vega-Lite as SVG or PNG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from launch.report.forms import PictureOptions
from launch.report.panels.metrics import METRICS
from launch.report.picture_data import core_rows, extent, link_rows, pair_rows, slice_rows
from launch.text.picture import picture

if TYPE_CHECKING:
    import altair as alt

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
