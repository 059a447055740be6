"""Which rows of an input a kernel needs for given rows of its output."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from compiler.dialects import attributes as attr


@dataclass(frozen=True, slots=True)
class RowMap:
    """Output row y needs input rows [y * scale - before, y * scale - before + reach) that exist, of `height`."""

    height: int
    scale: int = 1
    before: int = 0
    reach: int = 1

    def needs(self, first: int, count: int) -> tuple[int, int]:
        """The input rows [low, high) for output rows [first, first + count); (0, 0) if there are none."""
        low = max(0, first * self.scale - self.before)
        high = min(self.height, (first + count - 1) * self.scale - self.before + self.reach)
        return (low, high) if low < high else (0, 0)

    def released(self, first: int) -> int:
        """The input rows that no output row from `first` on needs: those before this one."""
        return min(self.height, max(0, first * self.scale - self.before))


def same_rows(op: Operation) -> list[RowMap]:
    """Row y needs row y, or the only row of an input that is broadcast."""
    height = attr.shape_of(op.results[0])[0]
    heights = [attr.shape_of(value)[0] for value in op.operands]
    return [RowMap(size, scale=1 if size == height else 0) for size in heights]


def all_rows(op: Operation) -> list[RowMap]:
    """Every row needs all rows."""
    return [RowMap(size, scale=0, reach=size) for size in (attr.shape_of(value)[0] for value in op.operands)]


def window_rows(op: Operation, kernel: int, stride: int, dilation: int, before: int = 0) -> list[RowMap]:
    """Row y needs the rows of a window of `kernel` taps that begins `before` rows above y * stride."""
    reach = (kernel - 1) * dilation + 1
    return [RowMap(attr.shape_of(value)[0], stride, before, reach) for value in op.operands]
