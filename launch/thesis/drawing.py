"""An experiment's result as a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from launch.text.picture import picture
from launch.thesis.experiments import EXPERIMENTS, NAMED, Result
from launch.thesis.published import PUBLISHED

if TYPE_CHECKING:
    import altair as alt

SIDE = 300  # pixels of a chart
NAMES = {"channel": "channel-wise", "pixel": "pixel-wise"}


def draw(result: Result, kind: str) -> bytes:
    """The picture as SVG or PNG: `kind` is one of FORMATS."""
    return picture(_CHARTS[result.experiment](result).properties(title=EXPERIMENTS[result.experiment].title), kind)


def _mapping(result: Result) -> alt.Chart:
    import altair as alt

    chart = alt.Chart(alt.Data(values=[*result.rows]), width=SIDE, height=SIDE / 2).mark_bar()
    return chart.encode(x=alt.X("core:O", axis=alt.Axis(labelAngle=0)), y=alt.Y("crossbars:Q"))


def _instructions(result: Result) -> alt.VConcatChart:
    """Shares above, counts below; a column per scheme."""
    import altair as alt

    names = [*NAMED, "others"]
    colour = alt.Color("instruction:N", sort=names, scale=alt.Scale(domain=names, scheme="tableau10"), title=None)
    most = max(row["unrolled"] for row in result.rows)
    scales = {"share": alt.Scale(domain=[0, 1]), "count": alt.Scale(domain=[0, most])}

    def bars(scheme: str, figure: str) -> alt.Chart:
        rows = [
            {"size": row["size"], "instruction": name, "count": row[name], "share": row[name] / row["unrolled"]}
            for row in result.rows
            if row["scheme"] == scheme
            for name in names
        ]
        chart = alt.Chart(alt.Data(values=rows), width=SIDE, height=SIDE / 2, title=NAMES[scheme]).mark_bar()
        title = "share of the instructions" if figure == "share" else "instructions, unrolled"
        axis = alt.Axis(format="%" if figure == "share" else "~s")
        return chart.encode(
            x=alt.X("size:O", title="width of the image", axis=alt.Axis(labelAngle=0)),
            y=alt.Y(f"{figure}:Q", title=title, scale=scales[figure], axis=axis),
            color=colour,
        )

    return alt.vconcat(*(alt.hconcat(*(bars(scheme, figure) for scheme in NAMES)) for figure in scales))


def _compile_time(result: Result) -> alt.HConcatChart:
    """Both times, and their ratio with the thesis's range."""
    import altair as alt

    times = [
        {"size": row["size"], "scheme": name, "seconds": row[scheme]}
        for row in result.rows
        for scheme, name in NAMES.items()
    ]
    published = next(row for row in PUBLISHED if row.experiment == result.experiment)
    band = alt.Chart(alt.Data(values=[{"low": published.low, "high": published.high}]), width=SIDE, height=SIDE)
    band = band.mark_rect(opacity=0.2).encode(y=alt.Y("low:Q"), y2="high:Q")
    ratios = alt.Chart(alt.Data(values=[*result.rows]), width=SIDE, height=SIDE).mark_line(point=True)
    ratio = alt.Y("ratio:Q", title=f"pixel-wise / channel-wise (thesis: {published.low:g} to {published.high:g})")
    return alt.hconcat(
        _lines(times, "seconds", "processor time of the compiler (s)"),
        alt.layer(
            band,
            ratios.encode(x=_size(), y=ratio),
        ),
    )


def _ir_size(result: Result) -> alt.HConcatChart:
    import altair as alt

    rows = [{**row, "scheme": NAMES[row["scheme"]]} for row in result.rows]
    stages = (f"{stage}_operations" for stage in ("spat", "pim"))
    return alt.hconcat(*(_lines(rows, key, f"{key.replace('_', ' ')}, in all") for key in stages))


def _lines(rows: list[dict[str, Any]], figure: str, title: str) -> alt.Chart:
    """A figure over the size, a line for each scheme."""
    import altair as alt

    chart = alt.Chart(alt.Data(values=rows), width=SIDE, height=SIDE).mark_line(point=True)
    return chart.encode(
        x=_size(),
        y=alt.Y(f"{figure}:Q", title=title, scale=alt.Scale(type="log")),
        color=alt.Color("scheme:N", title=None),
    )


def _size() -> alt.X:
    import altair as alt

    return alt.X("size:O", title="size of the image (pixels)", axis=alt.Axis(labelAngle=0))


_CHARTS: Mapping[str, Callable[[Result], Any]] = {
    "mapping": _mapping,
    "instructions": _instructions,
    "compile-time": _compile_time,
    "ir-size": _ir_size,
}
