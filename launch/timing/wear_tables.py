"""Writes of crossbars as tables for people: of array groups, with time and energy, and of crossbars, with years."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.program.group import OWN
from launch.text.answer import Table
from launch.text.columns import Column, listed

SHOWN = 15  # rows of a table whose length depends on the network
_WRITES = (
    Column("events", "writes", "count"),
    Column("rows", "rows", "count"),
    Column("cells", "cells", "count", hint="bit slices and both halves of differential pairs counted"),
)
GROUPS = (
    Column("core", "core", "core"),
    Column("group", "group", "core"),
    Column("nodes", "nodes", "names"),
    *_WRITES,
    Column("time_ps", "time", "ps"),
    Column("energy_pj", "energy", "pj"),
)
CROSSBARS = (
    Column("name", "crossbar"),
    *_WRITES,
    Column("writes_per_cell", "per cell", "number", hint="if writes are spread evenly over its cells"),
    Column("lifetime_years", "years", "number", hint="endurance × cells / writes of cells per second"),
)


def group_table(wear: Mapping[str, Any] | None) -> Table:
    """The array groups that are written, those with the most cells first; `wear` is `Wear.to_dict()`."""
    groups = sorted(wear["groups"], key=lambda group: -group["cells"]) if wear else []
    held = Column("crossbars", "crossbars")
    rows = [{**group, "crossbars": _crossbars(group["bank"], group["crossbars"])} for group in groups]
    return listed("groups that are written, per sample", (*GROUPS[:2], held, *GROUPS[2:]), rows, SHOWN)


def crossbar_table(wear: Mapping[str, Any] | None) -> Table:
    """The crossbars that are written, the most worn first."""
    crossbars = sorted(wear["crossbars"], key=lambda crossbar: -crossbar["writes_per_cell"]) if wear else []
    return listed("wear of crossbars, per sample", CROSSBARS, crossbars, SHOWN)


def _crossbars(bank: int, count: int) -> str:
    """Which crossbars a group has."""
    if bank == OWN:
        return f"{count} of its own"
    return f"{bank} of the bank" if count == 1 else f"{bank}-{bank + count - 1} of the bank"
