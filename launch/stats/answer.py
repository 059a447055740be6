"""What `emu stats` answers."""

from __future__ import annotations

from functools import partial

from launch.stats.drawing import draw
from launch.stats.report import LEGEND, StatsReport
from launch.text.answer import Answer


def stats_answer(report: StatsReport) -> Answer:
    """All of it."""
    parts = [*report.lines(), *report.tables(), *LEGEND]
    return Answer(report.values(), parts, csv=report.csv, draw=partial(draw, report))
