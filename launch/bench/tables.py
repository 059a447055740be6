"""Outcomes as cells of a table, and the block of them in a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence

from launch.bench.measurement import RowOutcome
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

COLUMNS = ("row", "what", "ours", "baseline", "ratio", "target", "moonshot", "")
ALIGN = "llrrrrrl"


def rows_table(outcomes: Sequence[RowOutcome]) -> Table:
    """All rows."""
    return Table("", COLUMNS, [cells(outcome) for outcome in outcomes], ALIGN)


def cells(outcome: RowOutcome) -> tuple[str, ...]:
    """One row of the table."""
    measured = outcome.measurement
    goals = tuple("" if goal is None else goal.text() for goal in (outcome.target, outcome.moonshot))
    numbers = (
        ("", "", "") if measured is None else _numbers(measured.ours, measured.baseline, measured.unit, measured.ratio)
    )
    return outcome.name, outcome.title, *numbers, *goals, outcome.verdict


def _numbers(ours: float, baseline: float | None, unit: str, ratio: float | None) -> tuple[str, str, str]:
    own = f"{number(ours)} {unit}".rstrip()
    if baseline is None or ratio is None:
        return own, "", ""
    return own, f"{number(baseline)} {unit}".rstrip(), f"{number(ratio)}x"


def number(value: float) -> str:
    """Three significant digits, never an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def notes(outcomes: Sequence[RowOutcome]) -> list[str]:
    """One sentence per row: what the baseline is and how both were measured, or why there is no figure."""
    return [f"{outcome.name}: {_note(outcome)}" for outcome in outcomes]


def _note(outcome: RowOutcome) -> str:
    measured = outcome.measurement
    if measured is None:
        return f"not measured: {outcome.error}"
    return "; ".join(filter(None, (f"against {measured.against}" if measured.against else "", measured.note)))


def rows_block(outcomes: Sequence[RowOutcome], machine: str) -> str:
    """What docs/performance.md holds of a run of all rows."""
    table = markdown_table(rows_table(outcomes))
    listed = "\n".join(f"* {note}" for note in notes(outcomes))
    return f"{machine}.\n\n{table}\n\n{listed}"
