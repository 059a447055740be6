"""Strips: some rows of a tile, in a buffer that holds the whole tile or in a ring that holds a few rows of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from compiler.dialects.rows import Rows
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class Strip:
    """Rows of a tile [row][pixel][channel]: row r stands in slot r mod `depth` from a byte `address` on.

    The strip begins at row `first`, which advances by `step` in every one of `trips` iterations of loop number
    `loop`. Rows are numbered from the strip's first on. What is between the first and the last axis of a tile counts
    as the `width` pixels of a row.
    """

    address: int
    depth: int
    width: int
    channels: int
    rows: Rows
    dtype: DType
    loop: int = -1
    trips: int = 1

    @property
    def height(self) -> int:
        """Number of rows."""
        return self.rows.count

    @property
    def elements(self) -> int:
        """Number of elements."""
        return self.height * self.width * self.channels

    @property
    def word(self) -> int:
        """Bytes of an element."""
        return self.dtype.size

    @property
    def nbytes(self) -> int:
        """Number of bytes."""
        return self.elements * self.word

    @property
    def row(self) -> int:
        """Bytes from one row to the next."""
        return self.width * self.channels * self.word

    @property
    def pixel(self) -> int:
        """Bytes from one pixel to the next."""
        return self.channels * self.word

    @property
    def straight(self) -> bool:
        """Whether no row of any iteration lies beyond the last slot, so that rows follow each other."""
        rows = self.rows
        return rows.first + rows.step * (self.trips - 1) + rows.count <= self.depth

    @property
    def _unit(self) -> int:
        """Rows between two places at which slots may wrap."""
        return self.rows.step or self.depth

    def at(self, *steps: tuple[int, int], row: int = 0, offset: int = 0, stride: int = 1) -> Address:
        """The address `offset` bytes after `row`, plus (loop, bytes) steps; loops that do not exist are left out.

        Rows of a ring that advance in a loop need a depth that is a multiple of their step.
        """
        position, step = self.rows.first + row, self.rows.step
        terms = [Term(loop, size) for loop, size in steps if size and loop >= 0]
        if self.straight:
            slot = position
            if step:
                terms.insert(0, Term(self.loop, step * self.row))
        elif step:
            slots, rest = divmod(self.depth, step)
            if rest:
                raise ValueError(f"a ring of {self.depth} rows cannot advance by {step}")
            ahead, slot = divmod(position, step)
            if slots > 1:
                terms.insert(0, Term(self.loop, step * self.row, ahead % slots, slots))
        else:
            slot = position % self.depth
        return Address(self.address + slot * self.row + offset, tuple(terms), stride=stride)

    def run(self, row: int, stride: int = 1) -> int | None:
        """How many of the rows `row`, `row + stride`, ... lie before the next wrap; None if nothing wraps."""
        if self.straight:
            return None
        unit = self._unit
        return (unit - 1 - (self.rows.first + row) % unit) // stride + 1

    def blocks(self) -> Iterator[tuple[int, int]]:
        """(first row, rows) of parts that are contiguous in memory."""
        return blocks(self.height, [(self, 0, 1)])


Tap = tuple[Strip, int, int]  # a strip, its row for the first iteration, its rows per iteration


def blocks(count: int, taps: Iterable[Tap]) -> Iterator[tuple[int, int]]:
    """Cut the range of `count` rows into (first, size) on which no tap wraps, so that its rows are equally spaced."""
    known = list(taps)
    at = 0
    while at < count:
        runs = (strip.run(row + at * stride, stride) for strip, row, stride in known if stride)
        size = min([count - at, *(run for run in runs if run is not None)])
        yield at, size
        at += size
