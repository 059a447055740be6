"""Rolls a list of events into loops: parts that repeat with rows that advance by a constant."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from compiler.streaming.actions import ActionEvent

MIN_TRIPS = 3  # fewer are a straight line: they save little, and a loop costs a term in each address
MAX_PERIOD = 1024  # events of one iteration, at most


@dataclass(frozen=True, slots=True)
class RolledPart:
    """`trips` repetitions of `period` events from `start` on; a straight line has one trip."""

    start: int
    period: int
    trips: int

    @property
    def end(self) -> int:
        """The event after the last."""
        return self.start + self.period * self.trips


def roll(events: Sequence[ActionEvent]) -> list[RolledPart]:
    """Parts that cover the events in order; in a loop every event keeps its key, and its rows advance evenly."""
    numbers: dict[Hashable, int] = {}
    keys = np.array([numbers.setdefault(event.key(), len(numbers)) for event in events], np.int64)
    firsts = np.array([event.rows[0] for event in events], np.int64)
    return _roll(keys, firsts, 0, len(events))


def _roll(keys: np.ndarray, firsts: np.ndarray, low: int, high: int) -> list[RolledPart]:
    """The loop that saves most, and what is before and after it."""
    best = _best(keys[low:high], firsts[low:high])
    if best is None:
        return [RolledPart(low, high - low, 1)] if low < high else []
    loop = RolledPart(low + best.start, best.period, best.trips)
    return [*_roll(keys, firsts, low, loop.start), loop, *_roll(keys, firsts, loop.end, high)]


def _best(keys: np.ndarray, firsts: np.ndarray) -> RolledPart | None:
    """The loop that saves most events; of those the shortest period, then the first."""
    best, saved = None, 0
    for period in range(1, min(len(keys) // MIN_TRIPS, MAX_PERIOD) + 1):
        if len(keys) - period <= saved:
            break
        same = keys[period:] == keys[:-period]
        if int(same.sum()) <= saved:
            continue
        advance = firsts[period:] - firsts[:-period]
        lengths = np.minimum(
            _until_false(same) + period, _until_false(advance[period:] == advance[:-period], len(same)) + 2 * period
        )
        trips = lengths // period
        savings = np.where(trips >= MIN_TRIPS, (trips - 1) * period, 0)
        start = int(savings.argmax())
        if savings[start] > saved:
            best, saved = RolledPart(start, period, int(trips[start])), int(savings[start])
    return best


def _until_false(flags: np.ndarray, length: int = 0) -> np.ndarray:
    """For each index, how many flags from there on are true, one after another, up to the first that is false.

    The result has at least `length` numbers.
    """
    padded = np.concatenate((flags, np.zeros(max(length - len(flags), 0) + 1, np.bool_)))
    stops = np.where(padded, len(padded), np.arange(len(padded)))
    following = np.minimum.accumulate(stops[::-1])[::-1]
    return (following - np.arange(len(padded)))[:-1]
