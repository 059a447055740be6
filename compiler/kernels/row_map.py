"""Which rows of an input a kernel needs for given rows of its output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Shapes = Sequence[tuple[int, ...]]  # of whole tiles, the number of rows first


@dataclass(frozen=True, slots=True)
class RowMap:
    """Output row y needs those of input rows [first, first + reach) within [begin, end).

    `first` is (y * scale - before) / per, and where that is no whole number, y needs no row. The input has `height`
    rows, of which all that exist are used unless `end` says otherwise.
    """

    height: int
    scale: int = 1
    before: int = 0
    reach: int = 1
    begin: int = 0
    end: int | None = None
    per: int = 1

    @property
    def stop(self) -> int:
        """The row after the last that any output row needs."""
        return self.height if self.end is None else self.end

    def needs(self, first: int, count: int) -> tuple[int, int]:
        """The input rows [low, high) for output rows [first, first + count); (0, 0) if there are none."""
        low = max(self.begin, self._from(first))
        high = min(self.stop, ((first + count - 1) * self.scale - self.before) // self.per + self.reach)
        return (low, high) if low < high else (0, 0)

    def released(self, first: int) -> int:
        """The input rows that no output row from `first` on needs: those before this one."""
        row = max(self.begin, self._from(first)) if self.scale else 0
        return self.height if row >= self.stop else max(0, row)

    def advance(self, step: int) -> int:
        """The input rows by which needs advance when the output rows advance by `step`, a multiple of `per`."""
        return step * self.scale // self.per

    def offset(self, first: int, low: int) -> int:
        """Equal for output rows `first` whose needs, from input row `low` on, lie alike."""
        return low * self.per - self.scale * first

    def _from(self, first: int) -> int:
        """The first input row that an output row from `first` on needs."""
        return -((self.before - first * self.scale) // self.per)


def same_rows(inputs: Shapes, outputs: Shapes) -> list[RowMap]:
    """Row y needs row y, or the only row of an input that is broadcast."""
    height = outputs[0][0]
    return [RowMap(shape[0], scale=1 if shape[0] == height else 0) for shape in inputs]


def all_rows(inputs: Shapes) -> list[RowMap]:
    """Every row needs all rows."""
    return [RowMap(shape[0], scale=0, reach=shape[0]) for shape in inputs]


def window_rows(inputs: Shapes, kernel: int, stride: int, dilation: int, before: int = 0) -> list[RowMap]:
    """Row y needs the rows of a window of `kernel` taps that begins `before` rows above y * stride."""
    reach = (kernel - 1) * dilation + 1
    return [RowMap(shape[0], stride, before, reach) for shape in inputs]
