"""What `emu schedules` answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from launch.schedules.drawing import draw
from launch.schedules.experiments import EXPERIMENTS, Row
from launch.schedules.report import rows_csv, sentences, tables, values
from launch.text.answer import Answer, Part


def figure_answer(name: str, rows: Sequence[Row]) -> Answer:
    """All of a figure, of as many rows as there are."""
    parts: list[Part] = [EXPERIMENTS[name].title, *tables(name, rows), *sentences(name, rows)]
    parts.append(f"compiled and timed in {sum(row.outcome.seconds for row in rows):.0f} s")
    return Answer(values(name, rows), parts, csv=partial(rows_csv, rows), draw=partial(draw, name, rows))
