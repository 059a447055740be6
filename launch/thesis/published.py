"""What the thesis says of its measurements, to stand beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

SOURCE = "the thesis on channel-wise lowering in RAPTOR, a compiler on ONNX-MLIR"


@dataclass(frozen=True, slots=True)
class Published:
    """A figure of an experiment: from `low` to `high`, both the same for a single number."""

    experiment: str
    key: str
    what: str
    low: float
    high: float


PUBLISHED = (
    Published("mapping", "tile_groups", "tile groups of an 8x4x3x3 kernel, crossbars of 3x3", 6, 6),
    Published("mapping", "group_crossbars", "crossbars of a tile group, one per kernel position", 9, 9),
    Published("mapping", "crossbars", "crossbars", 54, 54),
    Published("mapping", "cores", "cores of 5 crossbars", 11, 11),
    Published("compile-time", "ratio", "compile time, pixel-wise over channel-wise", 5, 8),
    Published("ir-size", "growth", "channel-wise operations, largest image over smallest", 1, 1),
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A published figure and what was found `here`: lowest and highest."""

    what: str
    thesis: tuple[float, float]
    here: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"thesis": list(self.thesis), "here": list(self.here)}


def compared(experiment: str, found: dict[str, Sequence[float]]) -> tuple[Comparison, ...]:
    """Every published figure of an experiment beside ours, `found` by their keys."""
    return tuple(
        Comparison(row.what, (row.low, row.high), (min(found[row.key]), max(found[row.key])))
        for row in PUBLISHED
        if row.experiment == experiment
    )
