"""Static values in a network with caches of fixed capacity: constants, sums with the position, or rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from compiler.basis.weights import Array
from compiler.caches.facts import Facts, Tail, content
from compiler.caches.lengths import CacheRoom
from compiler.caches.positions import at_every_position
from compiler.caches.survey import ValueSurvey
from compiler.caches.writer import CacheWriter

TABLE_BYTES = 16 << 20  # a larger table is not made; a table has one row for each position


@dataclass
class _Seen:
    """What holds of a value at all positions so far; `rows` are its elements, None where they are too many."""

    shape: tuple[int, ...]  # with room
    rows: list[Array] | None
    constant: bool = True
    straight: bool = True  # one more with each position
    last: Array | None = None
    fits: bool = True  # as long as the survey says

    def add(self, array: Array, position: int, expected: Sequence[int]) -> None:
        """The value at the next position."""
        self.fits &= array.shape == tuple(expected)
        if self.last is not None and self.fits:
            front = tuple(slice(0, size) for size in self.last.shape)
            self.constant &= np.array_equal(array[front], self.last, equal_nan=array.dtype.kind == "f")
            whole = array.dtype.kind == "i"
            self.straight &= whole and np.array_equal(array[front], self.last + 1)
        self.last = array
        if self.rows is not None:
            self.rows.append(array)


@dataclass
class Standing:
    """Puts static values into the network that `writer` writes, when somebody asks for one."""

    survey: ValueSurvey
    writer: CacheWriter
    room: CacheRoom
    _seen: dict[str, _Seen] = field(default_factory=dict[str, _Seen])
    _facts: dict[str, Facts | None] = field(default_factory=dict[str, "Facts | None"])

    def look(self, names: Sequence[str]) -> None:
        """Evaluate values that depend on the position, at all positions at once."""
        shapes = {name: self.shape(name) for name in names if name not in self._seen}
        seen = {name: _Seen(shape, [] if self._table_bytes(name, shape) <= TABLE_BYTES else None)
                for name, shape in shapes.items() if shape is not None}  # fmt: skip
        if not seen:
            return
        for position, arrays in enumerate(at_every_position(self.survey, list(seen), self.room)):
            for (name, entry), array in zip(seen.items(), arrays, strict=True):
                entry.add(array, position, [length.at(position) for length in self.survey.dims[name]])
        self._seen.update(seen)

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The shape of a value with room; None if an axis is not as long as the caches are, or not known."""
        dims = self.survey.dims.get(name)
        sizes = [self.room.of(length) for length in dims] if dims is not None else [None]
        return None if None in sizes else tuple(size for size in sizes if size is not None)

    def rows(self, name: str) -> list[Array] | None:
        """A value at each position, if that is not too much."""
        self.look([name])
        seen = self._seen.get(name)
        return seen.rows if seen is not None else None

    def put(self, name: str) -> Facts | None:
        """Define the value `name`; None if it has no form that the network can hold."""
        if name not in self._facts:
            self.look([name])
            seen = self._seen.get(name)
            self._facts[name] = self._put(name, seen) if seen is not None and seen.fits else None
        return self._facts[name]

    def _put(self, name: str, seen: _Seen) -> Facts | None:
        assert seen.last is not None
        grown = [axis for axis, length in enumerate(self.survey.dims[name]) if length.grows]
        padded = _padded(seen.last, seen.shape)
        if seen.constant:
            self.writer.constant(padded, name)
            return Facts(dict.fromkeys(grown, content(padded)))
        if seen.straight:
            start = padded - (len(self.room.positions) - 1)
            self._add_position(start, name)
            return Facts(dict.fromkeys(grown, Tail.FINITE))
        if seen.rows is None:
            return None
        table = self.writer.constant(np.stack([_padded(row, seen.shape) for row in seen.rows]))
        self.writer.emit("Gather", [table, self.writer.scalar_position()], name, axis=0)
        return Facts(dict.fromkeys(grown, Tail.ZERO))

    def _add_position(self, start: Array, name: str) -> None:
        """`start` + position, of the type of `start`."""
        writer = self.writer
        position = writer.position if start.ndim else writer.scalar_position()
        if start.dtype != np.int64:
            position = writer.emit("Cast", [position], to=self.survey.kinds[name])
        writer.emit("Add", [writer.constant(start), position], name)

    def _table_bytes(self, name: str, shape: Sequence[int]) -> int:
        return prod(shape) * len(self.room.positions) * self.survey.static[name][0].dtype.itemsize


def _padded(array: Array, shape: Sequence[int]) -> Array:
    """With zeros behind it up to `shape`."""
    if not array.ndim:
        return array
    return np.pad(array, [(0, size - own) for own, size in zip(array.shape, shape, strict=True)])
