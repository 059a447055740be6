"""The table of a network: latency and energy of one flit from node to node; a pair that is not in it costs nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from emu.errors import ProgramError, shown
from emu.files import read_text
from emu.files import shown as shown_path
from emu.image.json_fields import Field, parse_json

MAX_BYTES = 1 << 28  # a table of 2000 x 2000 nodes
MAX_COST = 1e9
_NODE = re.compile(r"-?\d{1,9}")

Costs = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class NetworkTable:
    """Per pair of nodes (from, to): ns and pJ of a flit."""

    latency: Costs
    energy: Costs


def read_network(path: Path) -> NetworkTable:
    """A network file; raises ProgramError naming the file and the key."""
    root = parse_json(read_text(path, MAX_BYTES, ProgramError), shown_path(path))
    members = root.mapping()
    for key in ("latency", "energy"):
        if key not in members:
            root.refuse(f"key {key!r} is missing")
    return NetworkTable(_costs(members["latency"]), _costs(members["energy"]))


def _costs(table: Field) -> Costs:
    costs: dict[tuple[int, int], float] = {}
    for source, row in table.mapping().items():
        for target, cell in row.mapping().items():
            value = cell.value
            if not _NODE.fullmatch(source) or not _NODE.fullmatch(target):
                cell.refuse("nodes are called by whole numbers")
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_COST:
                cell.refuse(f"expected a number from 0 to {MAX_COST:g}, got {shown(value)}")
            costs[int(source), int(target)] = float(value)
    return costs
