"""How many elements a window of a pooling holds, where windows reach beyond the image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from compiler.basis.weights import Array


@dataclass(frozen=True, slots=True)
class Counts:
    """Elements per window: `rows` [output rows] times `columns` [output columns].

    They are those inside of the image, or with count_include_pad those inside of the padded image.
    """

    rows: Array
    columns: Array

    @property
    def uniform(self) -> float | None:
        """The count that all windows have, if they have one."""
        all_counts = {int(row * column) for row in set(self.rows.tolist()) for column in set(self.columns.tolist())}
        return float(all_counts.pop()) if len(all_counts) == 1 else None

    def table(self, rows: Array) -> Array:
        """[row][column][1] float32 for the given row counts."""
        return (rows[:, None, None] * self.columns[None, :, None]).astype(np.float32)


def count_windows(
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: tuple[int, ...],
    include: bool,
    source: tuple[int, int],
    out: tuple[int, int],
) -> Counts:
    """Counts for an image and a result of the given heights and widths; `include` counts the padding, too."""
    counts: list[Array] = []
    for axis in (0, 1):
        low, high = (0, source[axis]) if not include else (-pads[axis], source[axis] + pads[axis + 2])
        first = np.arange(out[axis]) * strides[axis] - pads[axis]
        below, inside = (-((first - bound) // dilations[axis]) for bound in (low, high))  # taps before each bound
        counts.append(inside.clip(0, kernel[axis]) - below.clip(0, kernel[axis]))
    return Counts(*counts)
