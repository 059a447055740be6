"""When operations have their units: what a loop repeats is kept once, with how often it comes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import cast

import numpy as np

from emu.operands.loop_tree import Loop
from emu.operands.timeline import TooMuch
from emu.timing.fast.body import Counters
from emu.timing.fast.observer import CoreObserver

Operation = tuple[int, int, int]  # when it starts and its unit is free again (ps), and its instruction
MOST = 1 << 22  # operations of one period of a loop


@dataclass(frozen=True, eq=False)
class Repeated:
    """Operations int64 [operations, 3], as in `Operation`, so often again, each time a period (ps) later."""

    operations: np.ndarray
    rounds: int = 1
    period: int = 0

    @property
    def count(self) -> int:
        """How many operations these are."""
        return len(self.operations) * self.rounds

    @cached_property
    def _first(self) -> int:
        """The first start, as if they had not come again."""
        return int(self.operations[:, 0].min())

    @cached_property
    def _last(self) -> int:
        """The last end, as if they had not come again."""
        return int(self.operations[:, 1].max())

    def meets(self, begin: int, end: int) -> bool:
        """Whether any of them may be at work at some time from `begin` to `end`."""
        return self._first < end and self._last + self.rounds * self.period > begin

    def later(self, rounds: np.ndarray) -> np.ndarray:
        """The operations of these rounds, counted from 1, one round after the other: as in `operations`."""
        late = (rounds * self.period)[:, None, None] * np.array([1, 1, 0])
        return (self.operations + late).reshape(-1, 3)

    def rows(self, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """Those at work at some time from `begin` to `end`: as in `operations`, and which one of these each is."""
        first, last = 1, self.rounds
        if self.period:
            first = max(first, (begin - self._last) // self.period)
            last = min(last, (end - self._first) // self.period + 1)
        rounds = np.arange(first, last + 1)
        rows = self.later(rounds)
        index = np.tile(np.arange(len(self.operations)), len(rounds))
        here = (rows[:, 0] < end) & (rows[:, 1] > begin)
        return rows[here], index[here]


class Record(CoreObserver):
    """The operations of one core in the order in which they start."""

    def __init__(self) -> None:
        self._items: list[Operation | Repeated] = []

    def start(self, index: int, start: int, free: int, cause: int, counters: Counters) -> None:
        """As in CoreObserver."""
        self._items.append((start, free, index))

    def release(self, unit: int, time: int) -> None:
        """As in CoreObserver: of cores without queues, the last operation."""
        start, _, instruction = cast(Operation, self._items[-1])
        self._items[-1] = start, time, instruction

    def mark(self) -> int:
        """As in CoreObserver."""
        return len(self._items)

    def leap(self, loop: Loop, rounds: int, period: int, before: int, now: int) -> None:
        """As in CoreObserver; raises TooMuch for a period that is too long to be kept."""
        parts = _merged(self._items[before:])
        if sum(part.count for part in parts) > MOST:
            raise TooMuch(f"no peak power: a loop repeats more than {MOST} operations")
        rows = [part.later(np.arange(1, part.rounds + 1)) for part in parts]
        self._items.append(Repeated(np.concatenate(rows), rounds, period))

    def parts(self) -> list[Repeated]:
        """All of them."""
        return _merged(self._items)


def _merged(items: Sequence[Operation | Repeated]) -> list[Repeated]:
    """The same with operations that follow each other put together."""
    found: list[Repeated] = []
    for repeated, group in groupby(items, lambda item: isinstance(item, Repeated)):
        if repeated:
            found += cast("list[Repeated]", list(group))
        else:
            found.append(Repeated(np.array(list(group), np.int64)))
    return found
