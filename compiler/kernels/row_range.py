"""The rows of one input of `apply_filters` that a core holds, and how their inputs are read or gathered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from compiler.dialects.kernel import Shape
from compiler.kernels.windows import WindowRun, window_runs


@dataclass(frozen=True, slots=True)
class RowRange:
    """The rows of one input that a piece holds: row tiles of contiguous ranges, and the runs that feed them."""

    input: int
    start: int
    stop: int
    heights: tuple[int, ...]
    runs: tuple[WindowRun, ...]
    row: int  # bytes of a row of the tile

    @property
    def direct(self) -> bool:
        """Whether the crossbars can read the window in place."""
        return len(self.runs) == 1

    @property
    def tall(self) -> bool:
        """Whether a run spans rows of the tile, which need not be neighbours in a ring."""
        return any(len(run.cut(self.row)) > 1 for run in self.runs)


def row_range(
    index: int,
    shape: Shape,
    word: int,
    window: tuple[tuple[int, ...], tuple[int, ...]],
    tiles: Sequence[tuple[int, int]],
) -> RowRange:
    """The row tiles (start, stop) of input `index`, of `shape` and elements of `word` bytes.

    `window` are its kernel and dilations.
    """
    start, stop = tiles[0][0], tiles[-1][1]
    runs, heights = window_runs(shape, word, window, start, stop), tuple(high - low for low, high in tiles)
    return RowRange(index, start, stop, heights, tuple(runs), word * prod(shape[1:]))


def gathered_ranges(ranges: Sequence[RowRange]) -> list[list[RowRange]]:
    """What one `mvmul` multiplies: a range read in place, or neighbouring ranges gathered into one row."""
    parts: list[list[RowRange]] = []
    for part in ranges:
        if parts and not part.direct and not parts[-1][0].direct:
            parts[-1].append(part)
        else:
            parts.append([part])
    return parts
