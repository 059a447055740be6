"""Which element of a tensor of the network each cell of an array group holds, and the compact text of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
NOTHING = -1  # a cell of a block-diagonal matrix that holds a zero, and no element
_NUMBER = re.compile(r"-?\d{1,18}")
_LONGEST = 1 << 24  # wordlines or bitlines of one group


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Row r and column c of a group hold element `rows[r] + columns[c]` of `tensor` [*shape], counted in C order.

    With `blocks` > 1 only where both belong to the same block: rows are those of [kernel position][block][`channels`],
    columns those of [block][filter]; all other cells are zero. Weights that the compiler has made, such as those of an
    interpolation, are of no tensor: its name, rows and columns are empty then. `node` is the ONNX node.
    """

    node: str
    tensor: str = ""
    shape: tuple[int, ...] = ()
    rows: Indices | None = None
    columns: Indices | None = None
    blocks: int = 1
    channels: int = 1

    @property
    def known(self) -> bool:
        """Whether it is of a tensor."""
        return self.rows is not None and self.columns is not None

    def block_of_rows(self) -> Indices:
        """The block of each row."""
        assert self.rows is not None
        return np.arange(len(self.rows)) // self.channels % self.blocks

    def block_of_columns(self) -> Indices:
        """The block of each column."""
        assert self.columns is not None
        return np.arange(len(self.columns)) * self.blocks // max(1, len(self.columns))

    def elements(self) -> Indices:
        """The element of each cell [rows, columns], or NOTHING."""
        assert self.rows is not None and self.columns is not None
        held = self.rows[:, None] + self.columns[None, :]
        if self.blocks == 1:
            return held
        return np.where(self.block_of_rows()[:, None] == self.block_of_columns()[None, :], held, NOTHING)

    def element(self, row: int, column: int) -> int:
        """The element of one cell, or NOTHING."""
        assert self.rows is not None and self.columns is not None
        if self.blocks > 1 and row // self.channels % self.blocks != column * self.blocks // len(self.columns):
            return NOTHING
        return int(self.rows[row] + self.columns[column])

    def fault(self, rows: int, columns: int) -> str:
        """Why this cannot be the map of a group [rows, columns], as the end of a sentence; empty if it can."""
        if self.rows is None or self.columns is None:
            return ""
        if (len(self.rows), len(self.columns)) != (rows, columns):
            return f"maps {len(self.rows)} x {len(self.columns)} cells of a group of {rows} x {columns}"
        if columns % self.blocks or rows % (self.blocks * self.channels):
            return f"has {self.blocks} blocks of {self.channels} channels in a group of {rows} x {columns}"
        low, high = (int(end(self.rows) + end(self.columns)) for end in (np.min, np.max))
        if low < 0 or high >= prod(self.shape):
            return f"names elements {low} to {high} of a tensor of {prod(self.shape)}"
        return ""


# text ---------------------------------------------------------------------------------------------------------------


def numbers_text(numbers: Sequence[int] | Indices) -> str:
    """Numbers as runs `first:count*step`, and runs of such runs `first:runs*step:count*step`, with commas between."""
    runs: list[tuple[int, int, int]] = []  # first, count, step
    values = np.asarray(numbers, np.int64)
    at = 0
    while at < len(values):
        rest = np.diff(values[at:])
        other = np.nonzero(rest != rest[0])[0] if rest.size else rest
        count = 1 + (int(other[0]) if other.size else rest.size)
        runs.append((int(values[at]), count, int(rest[0]) if count > 1 else 0))
        at += count
    texts: list[str] = []
    at = 0
    while at < len(runs):
        first, count, step = runs[at]
        same = 1
        far = runs[at + 1][0] - first if at + 1 < len(runs) else 0
        while at + same < len(runs) and runs[at + same] == (first + same * far, count, step):
            same += 1
        inner = f":{count}*{step}" if count > 1 else ""
        texts.append(f"{first}:{same}*{far}{inner}" if same > 1 else f"{first}{inner}")
        at += same
    return ",".join(texts)


def numbers_from_text(text: str) -> Indices:
    """The numbers that `numbers_text` wrote; raises ValueError for any other text, or too many numbers."""
    parts: list[Indices] = []
    room = _LONGEST
    for run in text.split(","):
        first, *moves = run.split(":")
        values = np.array([_integer(first)], np.int64)
        for move in moves:
            count, _, step = move.partition("*")
            times = _integer(count)
            if not 0 < times * len(values) <= room:
                raise ValueError(f"{move!r} is too long")
            values = (values[:, None] + np.arange(times, dtype=np.int64) * _integer(step)).reshape(-1)
        room -= len(values)
        parts.append(values)
    return np.concatenate(parts)


def _integer(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is no number")
    return int(text)
