"""Something scarce shared out, cores or crossbars: each of several takes so much of it, and the less time for more."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

_NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Ladder:
    """What one of several may take: `needs[i]` of what is scarce, with which it takes `times[i]`, in any unit.

    Needs ascend and times descend; the first is the least that it can do with.
    """

    needs: Sequence[int]
    times: Sequence[int]

    def within(self, bound: int) -> int | None:
        """The first place that takes at most so much time; None if none does."""
        place = bisect_left(self.times, -bound, key=int.__neg__)
        return place if place < len(self.times) else None


def needed(ladders: Sequence[Ladder], places: Sequence[int]) -> int:
    """What all of them take at these places."""
    return sum(ladder.needs[place] for ladder, place in zip(ladders, places, strict=True))


def least_sum(ladders: Sequence[Ladder], room: int) -> list[int]:
    """The place on each ladder for the least sum of all times, within `room`; the first ones if that is too little.

    Dynamic programming over ladders and what is used, as in CIM-MLC (ASPLOS 2024, section 3.3.2), with any times:
    best[l][r] = min over places p of best[l-1][r - needs[l][p]] + times[l][p].
    """
    room = min(room, needed(ladders, [-1] * len(ladders))) - needed(ladders, _first(ladders))
    if room < 0:
        return _first(ladders)
    best = np.zeros(room + 1, np.int64)  # by what may be used beyond the first places, the least time so far
    chosen = np.zeros((len(ladders), room + 1), np.int64)
    for number, ladder in enumerate(ladders):
        before, best = best, np.full(room + 1, _NEVER)
        for place, (needs, time) in enumerate(zip(ladder.needs, ladder.times, strict=True)):
            more = needs - ladder.needs[0]
            if more > room:
                break
            found = before[: room + 1 - more] + time
            better = np.flatnonzero(found < best[more:])
            best[more + better], chosen[number, more + better] = found[better], place
    places, left = list[int](), room
    for number, ladder in reversed(list(enumerate(ladders))):
        places.append(int(chosen[number, left]))
        left -= ladder.needs[places[-1]] - ladder.needs[0]
    return places[::-1]


def least_longest(ladders: Sequence[Ladder], room: int) -> list[int]:
    """The first places at which nothing takes longer than the least bound that `room` allows."""
    found = _first(ladders)
    low, high = 1, max((ladder.times[0] for ladder in ladders), default=1)
    while low < high:
        bound = (low + high) // 2
        places = [place for ladder in ladders if (place := ladder.within(bound)) is not None]
        if len(places) == len(ladders) and needed(ladders, places) <= room:
            found, high = places, bound
        else:
            low = bound + 1
    return found


def step_by_step(ladders: Sequence[Ladder], room: int) -> list[int]:
    """One step at a time on the ladder on which it saves most, as long as there is room; may miss the least sum."""
    places = _first(ladders)
    left = room - needed(ladders, places)
    while True:
        best, saved, need = -1, 0, 0
        for number, (ladder, place) in enumerate(zip(ladders, places, strict=True)):
            if place + 1 < len(ladder.needs) and (more := ladder.needs[place + 1] - ladder.needs[place]) <= left:
                saving = ladder.times[place] - ladder.times[place + 1]
                if saving > saved:
                    best, saved, need = number, saving, more
        if best < 0:
            return places
        places[best] += 1
        left -= need


def least_loaded(
    items: Iterable[tuple[int, int]], room: Sequence[int], load: Sequence[int] | None = None
) -> Iterator[int | None]:
    """The bin of each of `items`, pairs of what it takes and its load: the one with least load that has room.

    `room` is what each bin has left, `load` what it has to do already. None: it fits into no bin, and takes none.
    """
    bins = [(0 if load is None else load[number], number, left) for number, left in enumerate(room)]
    heapq.heapify(bins)
    for need, work in items:
        full: list[tuple[int, int, int]] = []
        while bins and bins[0][2] < need:
            full.append(heapq.heappop(bins))
        taken = heapq.heappop(bins) if bins else None
        for entry in full:
            heapq.heappush(bins, entry)
        if taken is not None:
            heapq.heappush(bins, (taken[0] + work, taken[1], taken[2] - need))
        yield None if taken is None else taken[1]


def _first(ladders: Sequence[Ladder]) -> list[int]:
    return [0] * len(ladders)
