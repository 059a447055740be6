"""Outcomes as cells of a table, and their place in a Markdown page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from emu.errors import InputError
from launch.bench.measurement import Goal, Outcome

COLUMNS = ("row", "what", "ours", "baseline", "ratio", "target", "moonshot", "")
ALIGN = "llrrrrrl"
END = "<!-- emu bench: end -->"


def cells(outcome: Outcome) -> tuple[str, ...]:
    """One row of the table."""
    found = outcome.measurement
    goals = tuple(_goal(goal, found.unit if found else "") for goal in (outcome.target, outcome.moonshot))
    numbers = ("", "", "") if found is None else _numbers(found.ours, found.baseline, found.unit, found.ratio)
    return outcome.name, outcome.title, *numbers, *goals, outcome.verdict


def _numbers(ours: float, baseline: float, unit: str, ratio: float) -> tuple[str, str, str]:
    return f"{number(ours)} {unit}".rstrip(), f"{number(baseline)} {unit}".rstrip(), f"{number(ratio)}x"


def _goal(goal: Goal | None, unit: str) -> str:
    return "" if goal is None else goal.text(unit)


def number(value: float) -> str:
    """Three significant digits, never an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def notes(outcomes: Sequence[Outcome]) -> list[str]:
    """One sentence per row: what the baseline is and how both were measured, or why there is no figure."""
    return [f"{outcome.name}: {_note(outcome)}" for outcome in outcomes]


def _note(outcome: Outcome) -> str:
    found = outcome.measurement
    if found is None:
        return f"not measured: {outcome.error}"
    return "; ".join(filter(None, (f"against {found.against}" if found.against else "", found.note)))


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    """A table as Markdown; bars inside of cells are escaped."""
    rule = ["--:" if side == "r" else "---" for side in align]
    lines = [columns, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rows_block(outcomes: Sequence[Outcome], machine: str) -> str:
    """What docs/performance.md holds of a run of all rows."""
    table = markdown_table(COLUMNS, [cells(outcome) for outcome in outcomes], ALIGN)
    listed = "\n".join(f"* {note}" for note in notes(outcomes))
    return f"{machine}.\n\n{table}\n\n{listed}"


def marker(name: str) -> str:
    """The line that opens the block `name`."""
    return f"<!-- emu bench: {name} -->"


def replace_block(text: str, name: str, content: str, where: str) -> str:
    """`text` with new content between the markers of `name`; raises InputError if they are missing."""
    before, opened, rest = text.partition(marker(name))
    _, closed, after = rest.partition(END)
    if not opened or not closed:
        raise InputError(f"{where} has no lines {marker(name)} and {END}: add them where the results shall be")
    return f"{before}{opened}\n\n{content}\n\n{closed}{after}"


def check_page(path: Path, names: Iterable[str]) -> None:
    """Raise InputError unless the page has the markers of all `names`: better before a long run than after it."""
    write_blocks(path, dict.fromkeys(names, ""), dry=True)


def write_blocks(path: Path, blocks: Mapping[str, str], dry: bool = False) -> None:
    """Put the blocks into the page in one step (`dry`: only see whether that works); all other text is kept."""
    try:
        text = path.read_text("utf-8")
        for name, content in blocks.items():
            text = replace_block(text, name, content, str(path))
        if dry:
            return
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(text, "utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
