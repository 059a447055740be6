"""How many elements a window of a pooling holds, where windows reach beyond the image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

import numpy as np

from compiler.basis.weights import Array


@dataclass(frozen=True, slots=True)
class WindowCounts:
    """Elements per window: the product of one array per axis but the channels, `axes`, each [outputs along it].

    They are those inside of the image, or with count_include_pad those inside of the padded image.
    """

    axes: tuple[Array, ...]

    @property
    def rows(self) -> Array:
        """Along the first axis [output rows]."""
        return self.axes[0]

    @property
    def uniform(self) -> float | None:
        """The count that all windows have, if they have one."""
        all_counts = set(map(prod, product(*(set(axis.tolist()) for axis in self.axes))))
        return float(all_counts.pop()) if len(all_counts) == 1 else None

    def table(self, rows: Array) -> Array:
        """[row][...][column][1] float32 for the given row counts."""
        counts: Array = reduce(np.multiply.outer, self.axes[1:], rows)
        return counts[..., None].astype(np.float32)


def count_windows(
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: tuple[int, ...],
    include: bool,
    source: tuple[int, ...],
    out: tuple[int, ...],
) -> WindowCounts:
    """Counts for tiles of sizes `source` and `out`, without the channels; `include` counts the padding, too."""
    counts: list[Array] = []
    for axis, size in enumerate(source):
        low, high = (0, size) if not include else (-pads[axis], size + pads[axis + len(source)])
        first = np.arange(out[axis]) * strides[axis] - pads[axis]
        below, inside = (-((first - bound) // dilations[axis]) for bound in (low, high))  # taps before each bound
        counts.append(inside.clip(0, kernel[axis]) - below.clip(0, kernel[axis]))
    return WindowCounts(tuple(counts))
