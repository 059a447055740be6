"""What array groups have counted, by group, and by the layer of the network whose weights they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.analog.counts import NAMES, PLACE, added
from emu.image.cell_table import cells_of
from launch.images.mapping import owner

if TYPE_CHECKING:
    from emu.image.reader import Image

COUNTED = (
    *("vectors", "conversions", "clipped", "clipped_weights", "clipped_inputs", "pulses"),
    *("written", "verified", "rewritten", "reverified", "rows"),
)
UNKNOWN = ""  # the layer of a group where the image does not say what crossbars hold


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Counts of one array group, as of `emu.analog.counts`, and the ONNX node with its weights."""

    core: int
    group: int
    node: str
    counts: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"core": self.core, "group": self.group, "node": self.node, **values_of(self.counts)}


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """Counts of all array groups of a node together."""

    node: str
    groups: int
    counts: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"node": self.node, "groups": self.groups, **values_of(self.counts)}


def number(counts: np.ndarray, name: str) -> float:
    """One of the counts."""
    return float(counts[PLACE[name]])


def clipped_share(counts: np.ndarray) -> float | None:
    """Of conversions those of currents beyond the range; None without conversions."""
    conversions = number(counts, "conversions")
    return number(counts, "clipped") / conversions if conversions else None


def values_of(counts: np.ndarray) -> dict[str, Any]:
    """Counts as plain values; null is what was not counted."""
    lowest, highest = number(counts, "lowest"), number(counts, "highest")
    known = lowest <= highest
    histogram = counts[len(NAMES) :]
    return {
        **{name: int(number(counts, name)) for name in COUNTED},
        "charge": number(counts, "charge"),
        "clipped_share": clipped_share(counts),
        "lowest": lowest if known else None,
        "highest": highest if known else None,
        "histogram": [int(bar) for bar in histogram] if histogram.any() else None,
    }


def groups_of(image: Image, counts: Mapping[int, np.ndarray]) -> list[GroupCounts]:
    """All array groups that have counted something, by core."""
    found: list[GroupCounts] = []
    for core, rows in sorted(counts.items()):
        for group, (node, row) in enumerate(zip(nodes_of(image, core), rows, strict=True)):
            if row.any():
                found.append(GroupCounts(core, group, node, row))
    return found


def layers_of(groups: Iterable[GroupCounts]) -> list[LayerCounts]:
    """The same by node, in the order of their first groups."""
    by_node: dict[str, list[np.ndarray]] = {}
    for group in groups:
        by_node.setdefault(group.node, []).append(group.counts)
    return [LayerCounts(node, len(rows), reduce(added, rows)) for node, rows in by_node.items()]


def nodes_of(image: Image, core: int) -> list[str]:
    """Of each array group of a core the ONNX node whose weights it holds; `UNKNOWN` if the image does not say."""
    table, specs = image.manifest.crossbars, image.program(core).groups
    if table is None:
        return [UNKNOWN] * len(specs)
    known = frozenset(origin.node for origin in image.manifest.tensors)
    return [owner(cells.node, known) for cells in cells_of(table, core, specs, str(image.path))]
