"""A sweep as a picture: each figure over the first key, and latency against energy with the Pareto front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from launch.sweeps.points import RATE
from launch.sweeps.report import SweepReport
from launch.sweeps.variations import changes_text, value_text
from launch.text.picture import picture

if TYPE_CHECKING:
    import altair as alt

# Figures in the units of the axes: title, factor.
AXES = {
    "latency_ps": ("latency (s)", 1e-12),
    RATE: ("samples per second", 1.0),
    "energy_pj": ("energy of a sample (J)", 1e-12),
    "area_mm2": ("area (mm2)", 1.0),
}
SIDE = 260  # pixels of a chart


def draw(report: SweepReport, kind: str) -> bytes:
    """The picture as SVG or PNG: `kind` is one of FORMATS."""
    return picture(_chart(report), kind)


def rows(report: SweepReport) -> list[dict[str, Any]]:
    """One row per timed point: `x` is the value of the first key, `others` the rest, figures in units of the axes."""
    first, *rest = report.keys
    return [
        {
            "x": value_text(point.changes[first]),
            "others": changes_text({key: point.changes[key] for key in rest}),
            "point": changes_text(point.changes),
            "front": "on the Pareto front" if front else "not on it",
            **{
                name: figure * factor
                for name, (_, factor) in AXES.items()
                if (figure := point.figures.get(name)) is not None
            },
        }
        for point, front in zip(report.points, report.front, strict=True)
        if point.timed
    ]


def _chart(report: SweepReport) -> alt.VConcatChart:
    import altair as alt

    found = rows(report)
    data = alt.Data(values=found)
    known = [name for name in AXES if any(name in row for row in found)]
    over = [_over_first(data, report, name) for name in known]
    parts = [alt.hconcat(*over[place : place + 2]) for place in range(0, len(over), 2)]
    if "energy_pj" in known:
        parts.append(alt.hconcat(_against(data, "energy_pj")))
    title = f"{report.sweep.subject.name} on {report.sweep.base.name}"
    return alt.vconcat(*parts, title=title).resolve_scale(color="independent")


def _over_first(data: alt.Data, report: SweepReport, name: str) -> alt.Chart:
    """A figure over the first key, a line for each combination of the others."""
    import altair as alt

    order = list(dict.fromkeys(value_text(changes[report.keys[0]]) for changes in report.sweep.combinations))
    channels: dict[str, Any] = {
        "x": alt.X("x", type="ordinal", sort=order, title=report.keys[0]),
        "y": _axis(alt.Y, name),
    }
    if len(report.keys) > 1:
        channels["color"] = alt.Color("others", type="nominal", sort=None, title=None)
    return alt.Chart(data, width=SIDE, height=SIDE).mark_line(point=True).encode(**channels)


def _against(data: alt.Data, name: str) -> alt.Chart:
    """Latency against another figure; what is on the front stands out."""
    import altair as alt

    colour = alt.Color("front", type="nominal", title=None, sort=["on the Pareto front", "not on it"])
    channels = {"x": _axis(alt.X, "latency_ps"), "y": _axis(alt.Y, name), "color": colour}
    return alt.Chart(data, width=SIDE, height=SIDE).mark_point(filled=True, size=80).encode(**channels)


def _axis(kind: type, name: str) -> Any:
    import altair as alt

    scale = alt.Scale(zero=False)
    return kind(name, type="quantitative", title=AXES[name][0], scale=scale, axis=alt.Axis(format="~s"))
