"""Many samples: as soon as all cores of a group stand as they stood before, relative to now, the rest is known.

The samples in between are not run at all: fewer are, and what they added is counted as often as it would have come.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from emu.timing.fast.party import BETWEEN, Party
from emu.timing.fast.tally import WaitTally

FEWEST = 3  # samples that are worth a look
MOST = 256  # samples that are looked at


class SharedState(Protocol):
    """All that times to come depend on beside the cores themselves: what is shared, events, messages."""

    def __call__(self, now: int, present: Mapping[int, int], starts: Mapping[int, int], sample: int) -> Hashable:
        """It, relative to `now` and `sample`, by core: the samples at hand, and when their pipelines began."""
        ...


class SampleMark(NamedTuple):
    """A moment: the time, how many samples each core has ended, and all sums."""

    time: int
    ended: Sequence[int]
    sums: Sequence[Sequence[int]]
    tally: WaitTally


class Samples:
    """The samples of one group of cores that run together; without `skips` none of them is left out."""

    def __init__(self, state: SharedState, parties: Sequence[Party], tally: WaitTally, skips: bool = True) -> None:
        self._others, self._parties, self._tally, self._skips = state, parties, tally, skips
        self._seen: dict[Hashable, SampleMark] = {}
        self._found: tuple[SampleMark, SampleMark, int] | None = None

    def look(self, now: int, party: Party) -> None:
        """Core `party` is about to begin a sample."""
        parties, last = self._parties, party.last
        if not self._skips or party is not parties[0] or self._found or len(self._seen) > MOST:
            return
        latest = max(other.sample for other in parties)
        if latest + FEWEST > last:
            return
        sums = [tuple(party.pipeline.sums) for party in parties]
        mark = SampleMark(now, [len(party.ends) for party in parties], sums, self._tally.copy())
        state = self._state(now)
        before = self._seen.setdefault(state, mark)
        period = mark.ended[0] - before.ended[0]
        rounds = (last - 1 - latest) // period if period else 0
        if rounds:
            self._found = before, mark, rounds
            for other in parties:
                other.last -= rounds * period

    def extend(self) -> None:
        """Put in what has been left out: into the sums, and into `all_ends` of each core."""
        for party in self._parties:
            party.all_ends = np.array(party.ends, np.int64)
        if self._found is None:
            return
        before, now, rounds = self._found
        time = now.time - before.time
        self._tally.add(now.tally, before.tally, rounds)
        rows = zip(self._parties, before.ended, now.ended, before.sums, now.sums, strict=True)
        for party, first, last, early, late in rows:
            ends, sums = party.all_ends, party.pipeline.sums
            between = ends[first:last] + time * np.arange(1, rounds + 1)[:, None]
            party.all_ends = np.concatenate((ends[:last], between.reshape(-1), ends[last:] + rounds * time))
            for place, (more, less) in enumerate(zip(late, early, strict=True)):
                sums[place] += rounds * (more - less)

    def _state(self, now: int) -> Hashable:
        """All that the times to come depend on, relative to now and to the sample of the first core."""
        sample = self._parties[0].sample
        starts = {party.core: party.pipeline.start for party in self._parties}
        cores = [
            (party.sample - sample, party.asked, None if party.asked == BETWEEN else party.pipeline.snapshot(now))
            for party in self._parties
        ]
        present = {party.core: party.sample for party in self._parties}
        return tuple(cores), self._others(now, present, starts, sample)
