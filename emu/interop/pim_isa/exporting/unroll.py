"""The rows of a template in the order in which they run, some ten thousand at a time, as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.exporting.template import LOOP, Template
from emu.interop.pim_isa.format.ops import CODES
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns

PIECE = 1 << 15  # rows


@dataclass(frozen=True, eq=False)
class Piece:
    """Instructions that follow each other; `types` uint8 [instructions, 2] as in the template, `row` those of it."""

    columns: CoreColumns
    types: np.ndarray
    row: np.ndarray


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of the template as they run: their numbers [n], and the counters of their loops [n, depth]."""

    row: np.ndarray
    counters: np.ndarray


def unrolled(template: Template, most: int = PIECE) -> Iterator[Piece]:
    """Pieces of about `most` instructions."""
    walk = _Walk(template, most)
    waiting: list[_Rows] = []
    count = 0
    for rows in walk.parts(0, len(template), (), 0):
        waiting.append(rows)
        count += len(rows.row)
        if count >= most:
            yield _piece(template, waiting)
            waiting, count = [], 0
    if count:
        yield _piece(template, waiting)


class _Walk:
    def __init__(self, template: Template, most: int) -> None:
        self._most = most
        self._depth = max(template.depth, 1)
        self._is_loop = (template.fields["op"] == LOOP).tolist()
        self._trips, self._end = template.trips.tolist(), template.end.tolist()
        self._starts = np.append(np.flatnonzero(template.fields["op"] == LOOP), len(template))
        self._sizes: dict[int, int] = {}

    def parts(self, begin: int, end: int, outer: tuple[int, ...], depth: int) -> Iterator[_Rows]:
        """Rows `begin` to `end`, inside loops with the counters `outer`; none has more than `most` rows of loops."""
        row = begin
        while row < end:
            if not self._is_loop[row]:
                last = self._straight(row, end)
                yield self._fixed(_Rows(np.arange(row, last), self._no_counters(last - row)), outer)
                row = last
                continue
            body = self._size(row + 1, self._end[row])
            if body and body <= self._most:
                whole = self._table(row + 1, self._end[row], depth + 1)
                at_once = self._most // body
                for first in range(0, self._trips[row], at_once):
                    trips = range(first, min(first + at_once, self._trips[row]))
                    yield self._fixed(_repeated(whole, trips, depth), outer)
            elif body:
                for counter in range(self._trips[row]):
                    yield from self.parts(row + 1, self._end[row], (*outer, counter), depth + 1)
            row = self._end[row]

    def _straight(self, row: int, end: int) -> int:
        """Behind the last row from `row` on without a loop."""
        return min(int(self._starts[np.searchsorted(self._starts, row)]), end, row + self._most)

    def _size(self, begin: int, end: int) -> int:
        """How many instructions rows `begin` to `end` run."""
        if begin not in self._sizes:
            total, row = 0, begin
            while row < end:
                if self._is_loop[row]:
                    total += self._trips[row] * self._size(row + 1, self._end[row])
                    row = self._end[row]
                else:
                    last = int(min(self._starts[np.searchsorted(self._starts, row)], end))
                    total, row = total + last - row, last
            self._sizes[begin] = total
        return self._sizes[begin]

    def _table(self, begin: int, end: int, depth: int) -> _Rows:
        """Rows `begin` to `end` as they run once; counters of the loops around them are 0."""
        parts: list[_Rows] = []
        row = begin
        while row < end:
            if self._is_loop[row]:
                inner = self._table(row + 1, self._end[row], depth + 1)
                parts.append(_repeated(inner, range(self._trips[row]), depth))
                row = self._end[row]
            else:
                last = int(min(self._starts[np.searchsorted(self._starts, row)], end))
                parts.append(_Rows(np.arange(row, last), self._no_counters(last - row)))
                row = last
        if not parts:
            return _Rows(np.zeros(0, np.int64), self._no_counters(0))
        return _joined(parts)

    def _no_counters(self, count: int) -> np.ndarray:
        return np.zeros((count, self._depth), np.int64)

    def _fixed(self, rows: _Rows, outer: tuple[int, ...]) -> _Rows:
        if outer:
            rows.counters[:, : len(outer)] = outer
        return rows


def _joined(parts: list[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    return _Rows(np.concatenate([part.row for part in parts]), np.concatenate([part.counters for part in parts]))


def _repeated(body: _Rows, trips: range, depth: int) -> _Rows:
    """A body for each counter of `trips` of the loop at `depth`."""
    counters = np.tile(body.counters, (len(trips), 1))
    counters[:, depth] = np.repeat(np.arange(trips.start, trips.stop), len(body.row))
    return _Rows(np.tile(body.row, len(trips)), counters)


def _piece(template: Template, parts: list[_Rows]) -> Piece:
    rows = _joined(parts)
    values = {name: template.fields[name][rows.row] for name in FIELDS}
    writes = np.flatnonzero(values["op"] == CODES["sldi"])
    values["imm"][writes] = _values(template, rows.row[writes], rows.counters[writes])
    return Piece(CoreColumns(**values), template.types[rows.row], rows.row)


def _values(template: Template, row: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """What register writes write, int32 [rows]: base + sum(stride * ((counter + offset) mod modulus))."""
    total = template.base[row]
    everywhere = np.arange(len(row))
    for k in range(template.terms.shape[2]):
        loop, stride, offset, modulus = template.terms[:, row, k]
        count = counters[everywhere, loop]
        total += stride * np.where(modulus > 0, (count + offset) % np.maximum(modulus, 1), count)
    return np.where(template.high[row], total >> 32, total).astype(np.int32)  # of the lower half the bits
