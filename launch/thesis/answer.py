"""What `emu thesis` answers."""

from __future__ import annotations

from functools import partial

from launch.text.answer import Answer
from launch.thesis.drawing import draw
from launch.thesis.experiments import EXPERIMENTS, Result
from launch.thesis.published import SOURCE
from launch.thesis.report import rows_csv, tables, values


def experiment_answer(result: Result) -> Answer:
    """All of an experiment."""
    source = [f"source: {SOURCE}"] if result.comparisons else []
    parts = [EXPERIMENTS[result.experiment].title, *tables(result), *source]
    return Answer(values(result), parts, csv=partial(rows_csv, result), draw=partial(draw, result))
