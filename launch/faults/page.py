"""The outcomes of a campaign as JSON and as a block of a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emu.wording import counted
from launch.bench.machine import machine, sentence
from launch.faults.outcome import FaultOutcome
from launch.text.answer import Table
from launch.text.markdown_page import check_page, markdown_table, write_blocks

TOOL, BLOCK = "stress --faults", "table"
COLUMNS = ("fault", "measured", "runs", "found", "p50 ms", "max ms", "leaks")
ALIGN = "llrrrrr"


def check_fault_page(page: Path) -> None:
    """Raise InputError unless the page has a place for the table."""
    check_page(page, [BLOCK], TOOL)


def write_fault_page(page: Path, outcomes: Sequence[FaultOutcome], cores: int) -> None:
    """Put the table between its markers; raises InputError."""
    table = markdown_table(fault_table(outcomes))
    write_blocks(page, {BLOCK: f"{counted(cores, 'core process')}; {sentence(machine())}.\n\n{table}"}, TOOL)


def fault_table(outcomes: Sequence[FaultOutcome], title: str = "") -> Table:
    """A row for each kind of fault."""
    return Table(title, COLUMNS, [outcome.cells() for outcome in outcomes], ALIGN)


def to_dict(outcomes: Sequence[FaultOutcome], cores: int, seed: int) -> dict[str, Any]:
    """Plain values for JSON."""
    return {
        "cores": cores,
        "seed": seed,
        "machine": machine(),
        "faults": [outcome.to_dict() for outcome in outcomes],
        "exit_code": int(not all(outcome.right for outcome in outcomes)),
    }
