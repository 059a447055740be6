"""An experiment's result as tables for people, as CSV, and as plain values for --json."""

from __future__ import annotations

from typing import Any

from launch.text.answer import Table
from launch.text.csv_text import csv_text
from launch.thesis.experiments import EXPERIMENTS, Result
from launch.thesis.published import SOURCE

UNITS = {"channel": "{:.3f}", "pixel": "{:.3f}", "ratio": "{:.2f}"}  # how figures that are not whole are written


def values(result: Result) -> dict[str, Any]:
    """Plain values."""
    return {
        "experiment": result.experiment,
        "title": EXPERIMENTS[result.experiment].title,
        "rows": list(result.rows),
        "published": [comparison.to_dict() for comparison in result.comparisons],
        "source": SOURCE,
    }


def rows_csv(result: Result) -> str:
    """A row per case."""
    return csv_text(list(result.columns), ([row[key] for key in result.columns] for row in result.rows))


def tables(result: Result) -> list[Table]:
    """The rows, and the published figures beside ours."""
    rows = [tuple(_cell(key, row[key]) for key in result.columns) for row in result.rows]
    right = "".join("l" if key == "scheme" else "r" for key in result.columns)
    found = [Table("", tuple(result.columns.values()), rows, right)]
    if result.comparisons:
        beside = [(item.what, _range(item.thesis), _range(item.here)) for item in result.comparisons]
        found.append(Table("beside the thesis", ("figure", "thesis", "here"), beside, "lrr"))
    return found


def _cell(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    return UNITS.get(key, "{:,}").format(value)


def _range(bounds: tuple[float, float]) -> str:
    low, high = (f"{bound:.3g}" for bound in bounds)
    return low if low == high else f"{low} to {high}"
