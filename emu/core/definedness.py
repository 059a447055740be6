"""Which bytes of local memory are defined: a few intervals answer nearly every question, a byte map the rest."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from emu.core.pages import lazily_paged
from emu.intervals import Intervals, Range

Runs = tuple[int, int, int, int]  # first byte, width, and the distance and number of runs

MAX_RANGES = 4096  # intervals kept; beyond, only the map knows
MAX_PENDING = 4096  # marks not yet written to the map
MAX_LOOSE = 64  # strided sets of one kind that wait for what lies between their runs


class Definedness:
    """The defined bytes of `size`. The map is written only when somebody asks for it.

    The intervals, and the strided sets in `_loose`, hold only defined bytes; unless `_partial`, all of them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept = Intervals()
        self._loose: dict[Range, list[Range]] = {}  # by distance and number: first byte and width
        self._pending: list[Runs] = []
        self._partial = False

    @cached_property
    def _bytes(self) -> np.ndarray:
        return lazily_paged(self._size).view(np.bool_)

    @property
    def map(self) -> np.ndarray:
        """Per byte whether it is defined, bool of shape [size]; a caller that writes to it calls `mark` as well."""
        if self._pending:
            pending, self._pending = self._pending, []
            for first, width, step, count in pending:
                if count == 1:
                    self._bytes[first : first + width] = True
                else:
                    np.ndarray((count, width), np.bool_, self._bytes, first, (step, 1))[...] = True
        return self._bytes

    def covers(self, low: int, high: int) -> bool:
        """Whether every byte of [low, high) is defined."""
        if self._kept.covers(low, high):
            return True
        if self._loose:
            self._fold()
            if self._kept.covers(low, high):
                return True
        return self._partial and bool(self.map[low:high].all())

    def mark(self, low: int, high: int) -> None:
        """Every byte of [low, high) is defined from now on."""
        kept = self._kept
        if kept.covers(low, high):
            return
        self._remember((low, high - low, 0, 1))
        kept.add(low, high)
        if len(kept.begins) > MAX_RANGES:
            self._forget()

    def mark_runs(self, first: int, width: int, step: int, count: int) -> None:
        """`count` runs of `width` bytes, `step` (not negative) bytes apart, are defined from now on."""
        if step <= width or count == 1:
            self.mark(first, first + step * (count - 1) + width)
            return
        if self._kept.covers(first, first + step * (count - 1) + width):
            return
        self._remember((first, width, step, count))
        kind = self._loose.setdefault((step, count), [])
        for number, (other, extent) in enumerate(kind):
            if other <= first + width and first <= other + extent:
                start, stop = min(first, other), max(first + width, other + extent)
                del kind[number]
                self.mark_runs(start, stop - start, step, count)
                return
        kind.append((first, width))
        if len(kind) > MAX_LOOSE:
            self._fold()

    def _remember(self, runs: Runs) -> None:
        self._pending.append(runs)
        if len(self._pending) > MAX_PENDING:
            _ = self.map

    def _fold(self) -> None:
        """Make intervals of the strided sets."""
        loose, self._loose = self._loose, {}
        starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for (step, count), kind in loose.items():
            if count > MAX_RANGES:
                self._partial = True
                continue
            for first, width in kind:
                low = first + step * np.arange(count)
                starts.append(low)
                ends.append(low + width)
        self._kept.add_all(np.concatenate(starts), np.concatenate(ends))
        if len(self._kept.begins) > MAX_RANGES:
            self._forget()

    def _forget(self) -> None:
        """There are too many intervals: only the map knows."""
        self._kept, self._partial = Intervals(), True

    def note_map(self) -> None:
        """Somebody marked bytes in the map only."""
        self._partial = True

    def ranges(self) -> list[Range]:
        """The defined bytes as ranges, in order."""
        if self._loose:
            self._fold()
        if not self._partial:
            return list(self._kept)
        known = np.concatenate([[False], self.map, [False]])
        edges = np.flatnonzero(known[1:] != known[:-1]).tolist()
        return list(zip(edges[::2], edges[1::2], strict=True))

    def reset(self, ranges: Iterable[Range], top: int) -> None:
        """Only `ranges` are defined; so far nothing was at or above `top`."""
        if "_bytes" in self.__dict__:
            self._bytes[:top] = False
        self._kept, self._loose, self._pending, self._partial = Intervals(), {}, [], False
        for low, high in ranges:
            self.mark(low, high)
