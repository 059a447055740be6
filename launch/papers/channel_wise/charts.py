"""The thesis's figures as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from launch.papers.channel_wise.convolution import SCHEMES
from launch.papers.channel_wise.measuring import NAMED, STAGES
from launch.papers.frame.figure import Row

if TYPE_CHECKING:
    import altair as alt

SIDE = 300  # pixels of a chart


def mapping(rows: Sequence[Row]) -> alt.Chart:
    """Crossbars of each core."""
    import altair as alt

    chart = alt.Chart(alt.Data(values=[*rows]), width=SIDE, height=SIDE / 2).mark_bar()
    return chart.encode(x=alt.X("core:O", axis=alt.Axis(labelAngle=0)), y=alt.Y("crossbars:Q"))


def instructions(rows: Sequence[Row]) -> alt.VConcatChart:
    """Shares above, counts below; a column per scheme."""
    import altair as alt

    names = [*NAMED, "others"]
    colour = alt.Color("instruction:N", sort=names, scale=alt.Scale(domain=names, scheme="tableau10"), title=None)
    most = max(row["unrolled"] for row in rows)
    scales = {"share": alt.Scale(domain=[0, 1]), "count": alt.Scale(domain=[0, most])}

    def bars(scheme: str, figure: str) -> alt.Chart:
        found = [
            {"size": row["size"], "instruction": name, "count": row[name], "share": row[name] / row["unrolled"]}
            for row in rows
            if row["scheme"] == scheme
            for name in names
        ]
        chart = alt.Chart(alt.Data(values=found), width=SIDE, height=SIDE / 2, title=SCHEMES[scheme]).mark_bar()
        title = "share of the instructions" if figure == "share" else "instructions, unrolled"
        axis = alt.Axis(format="%" if figure == "share" else "~s")
        return chart.encode(
            x=alt.X("size:O", title="width of the image", axis=alt.Axis(labelAngle=0)),
            y=alt.Y(f"{figure}:Q", title=title, scale=scales[figure], axis=axis),
            color=colour,
        )

    return alt.vconcat(*(alt.hconcat(*(bars(scheme, figure) for scheme in SCHEMES)) for figure in scales))


def compile_time(low: float, high: float) -> Any:
    """Both times, and their ratio with the range that is published."""

    def chart(rows: Sequence[Row]) -> alt.HConcatChart:
        import altair as alt

        times = [
            {"size": row["size"], "scheme": name, "seconds": row[scheme]}
            for row in rows
            for scheme, name in SCHEMES.items()
        ]
        band = alt.Chart(alt.Data(values=[{"low": low, "high": high}]), width=SIDE, height=SIDE)
        band = band.mark_rect(opacity=0.2).encode(y=alt.Y("low:Q"), y2="high:Q")
        ratios = alt.Chart(alt.Data(values=[*rows]), width=SIDE, height=SIDE).mark_line(point=True)
        ratio = alt.Y("ratio:Q", title=f"pixel-wise / channel-wise (thesis: {low:g} to {high:g})")
        return alt.hconcat(
            _lines(times, "seconds", "processor time of the compiler (s)"),
            alt.layer(band, ratios.encode(x=_size(), y=ratio)),
        )

    return chart


def ir_size(rows: Sequence[Row]) -> alt.HConcatChart:
    """Operations of both levels."""
    import altair as alt

    named = [{**row, "scheme": SCHEMES[row["scheme"]]} for row in rows]
    keys = (f"{stage}_operations" for stage in STAGES)
    return alt.hconcat(*(_lines(named, key, f"{key.replace('_', ' ')}, in all") for key in keys))


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
