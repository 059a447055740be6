"""The buffer through which weights go from global memory to their crossbars, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from emu.isa.dtypes import DType

STAGING = 1 << 16  # bytes, unless a row is so large that two of them take more
HALVES = 2  # one is filled while the other one is written


def staging_bytes(groups: Iterable[tuple[tuple[int, int], DType]]) -> int:
    """Bytes of the buffer for array groups of at most so many rows and columns, and their type of weights."""
    return max((_bytes(rows, cols * kind.size) for (rows, cols), kind in groups), default=1)


def _bytes(rows: int, row: int) -> int:
    """Two halves of whole rows, as many as are needed or fit."""
    return HALVES * row * max(1, min(-(-rows // HALVES), STAGING // HALVES // row))


def chunks(rows: int, row: int, size: int) -> Iterator[tuple[int, int, int]]:
    """First row, number of rows and offset in a buffer of `size` bytes, for `rows` rows of `row` bytes each."""
    most = max(1, size // HALVES // row)
    for number, first in enumerate(range(0, rows, most)):
        yield first, min(most, rows - first), number % HALVES * most * row
