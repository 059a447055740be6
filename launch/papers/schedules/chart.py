"""Schedules as a picture: bars of latency and time per sample, a chart per network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from launch.papers.frame.figure import Row
from launch.papers.schedules.rows import MS

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 300, 200  # pixels of a chart
TIMES = {"latency_ps": "latency (ms)", "period_ps": "time per sample (ms)"}


def chart(rows: Sequence[Row]) -> Any:
    """A row of charts per network."""
    import altair as alt

    networks = dict.fromkeys(row["network"] for row in rows)
    times = [time for time in TIMES if any(row[time] for row in rows)]
    return alt.vconcat(
        *(
            alt.hconcat(*(_bars([row for row in rows if row["network"] == network], time) for time in times))
            for network in networks
        )
    )


def _bars(rows: Sequence[Row], time: str) -> alt.Chart:
    """One kind of time: a bar per point and schedule."""
    import altair as alt

    found = [
        {"point": row["point"] or row["network"], "schedule": row["schedule"], "time": (row[time] or 0) / MS}
        for row in rows
        if not row["reason"]
    ]
    schedules = list(dict.fromkeys(row["schedule"] for row in rows))
    chart = alt.Chart(alt.Data(values=found), width=WIDTH, height=HEIGHT, title=rows[0]["network"]).mark_bar()
    return chart.encode(
        x=alt.X("point:N", sort=None, title=None),
        xOffset=alt.XOffset("schedule:N", sort=schedules),
        y=alt.Y("time:Q", title=TIMES[time], scale=alt.Scale(type="linear")),
        color=alt.Color("schedule:N", sort=schedules, title=None),
    )
