"""A sweep as a picture: each metric over the first key, and the two first ones against each other with the front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from launch.sweeps.metrics import METRICS
from launch.sweeps.report import SweepReport
from launch.sweeps.values import value_text
from launch.sweeps.variations import changes_text
from launch.text.picture import picture

if TYPE_CHECKING:
    import altair as alt

SIDE = 260  # pixels of a chart


def draw(report: SweepReport, kind: str) -> bytes:
    """The picture as SVG or PNG: `kind` is one of FORMATS."""
    return picture(_chart(report), kind)


def rows(report: SweepReport) -> list[dict[str, Any]]:
    """One row per timed point: `x` is the value of the first key, `others` the rest, metrics in units of the axes."""
    first, *rest = report.keys
    return [
        {
            "x": value_text(point.changes[first]),
            "others": changes_text({key: point.changes[key] for key in rest}),
            "point": changes_text(point.changes),
            "front": "on the Pareto front" if front else "not on it",
            **{
                name: value * METRICS[name].factor
                for name in report.sweep.metrics.shown
                if (value := point.value(name)) is not None
            },
            **{
                key: value * METRICS[name].factor
                for name in report.sweep.metrics.shown
                for key in METRICS[name].ends
                if (value := point.figures.get(key)) is not None
            },
        }
        for point, front in zip(report.points, report.front, strict=True)
        if point.timed
    ]


def _chart(report: SweepReport) -> alt.VConcatChart:
    import altair as alt

    found = rows(report)
    data = alt.Data(values=found)
    known = [name for name in report.sweep.metrics.shown if any(name in row for row in found)]
    over = [_over_first(data, report, name) for name in known]
    parts = [alt.hconcat(*over[place : place + 2]) for place in range(0, len(over), 2)]
    if len(report.compared) > 1:
        parts.append(alt.hconcat(_against(data, *report.compared[:2])))
    return alt.vconcat(*parts, title=report.sweep.title).resolve_scale(color="independent")


def _over_first(data: alt.Data, report: SweepReport, name: str) -> alt.Chart | alt.LayerChart:
    """A figure over the first key, a line for each combination of the others; shares with their intervals."""
    import altair as alt

    order = list(dict.fromkeys(value_text(changes[report.keys[0]]) for changes in report.sweep.points))
    channels: dict[str, Any] = {
        "x": alt.X("x", type="ordinal", sort=order, title=report.keys[0]),
        "y": _axis(alt.Y, name),
    }
    if len(report.keys) > 1:
        channels["color"] = alt.Color("others", type="nominal", sort=None, title=None)
    chart = alt.Chart(data, width=SIDE, height=SIDE)
    line = chart.mark_line(point=True).encode(**channels)
    if not METRICS[name].bounded:
        return line
    low, high = METRICS[name].ends
    interval: dict[str, Any] = {**channels, "y": _axis(alt.Y, name, low), "y2": alt.Y2(high)}
    return line + chart.mark_rule().encode(**interval)


def _against(data: alt.Data, across: str, up: str) -> alt.Chart:
    """A metric against another one; what is on the front stands out."""
    import altair as alt

    colour = alt.Color("front", type="nominal", title=None, sort=["on the Pareto front", "not on it"])
    channels: dict[str, Any] = {"x": _axis(alt.X, across), "y": _axis(alt.Y, up), "color": colour}
    return alt.Chart(data, width=SIDE, height=SIDE).mark_point(filled=True, size=80).encode(**channels)


def _axis(kind: type, name: str, of: str | None = None) -> Any:
    """The axis of a metric, for its values or others `of` it."""
    import altair as alt

    scale = alt.Scale(zero=False)
    return kind(of or name, type="quantitative", title=METRICS[name].axis, scale=scale, axis=alt.Axis(format="~s"))
