"""Writes of crossbars as tables for people: of array groups, with time and energy, and of crossbars, with years."""

from __future__ import annotations

from typing import Any

from emu.program.group import OWN
from launch.text.answer import Table
from launch.text.units import energy_text, time_text
from launch.timing.wear import Wear

SHOWN = 15  # rows of a table whose length depends on the network


def group_table(wear: Wear | None) -> Table:
    """The array groups that are written, those with the most cells first."""
    groups = sorted(wear.writes.groups, key=lambda group: -group.cells) if wear else []
    rows = [
        (
            group.core,
            group.group,
            _crossbars(group.bank, group.crossbars),
            ", ".join(group.nodes),
            *(f"{number:,}" for number in (group.events, group.rows, group.cells)),
            _known(wear and wear.time_ps(group.rows), time_text),
            _known(wear and wear.energy_pj(group.cells), energy_text),
        )
        for group in groups[:SHOWN]
    ]
    columns = ("core", "group", "crossbars", "node", "writes", "rows", "cells", "time", "energy")
    return Table(_title("groups that are written, per sample", len(groups)), columns, rows, "rrllrrrrr")


def crossbar_table(wear: Wear | None) -> Table:
    """The crossbars that are written, the most worn first."""
    crossbars = sorted(wear.writes.crossbars, key=lambda crossbar: -crossbar.writes_per_cell) if wear else []
    rows = [
        (
            crossbar.name,
            *(f"{number:,}" for number in (crossbar.events, crossbar.rows, crossbar.cells)),
            f"{crossbar.writes_per_cell:.4g}",
            _known(wear and wear.years(crossbar.cells, crossbar.size), "{:.3g}".format),
        )
        for crossbar in crossbars[:SHOWN]
    ]
    columns = ("crossbar", "writes", "rows", "cells", "per cell", "years")
    return Table(_title("wear of crossbars, per sample", len(crossbars)), columns, rows, "lrrrrr")


def _crossbars(bank: int, count: int) -> str:
    """Which crossbars a group has."""
    if bank == OWN:
        return f"{count} of its own"
    return f"{bank} of the bank" if count == 1 else f"{bank}-{bank + count - 1} of the bank"


def _title(text: str, count: int) -> str:
    return text + (f" (the first {SHOWN} of {count})" if count > SHOWN else "")


def _known(value: Any, text: Any) -> str:
    return "" if value is None else text(value)
