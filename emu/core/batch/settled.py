"""What a sample need not do again: calls whose results stand where they put them, and are the same in every sample."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from emu.core.kernels.spec import Call
from emu.core.memory import Range
from emu.intervals import Intervals


class Noted(NamedTuple):
    """Calls that are made together, and the bytes of local memory within which they read and write.

    None: what runs has to be decided anew in every sample, but not where it reads and writes. `pure`: what is written
    depends on what is read alone, and nothing else changes.
    """

    calls: Sequence[Call] | None
    reads: Sequence[Range]
    writes: Sequence[Range]
    pure: bool


def settled(sample: Sequence[Noted], received: Sequence[Range]) -> set[int]:
    """Which calls of a sample, in which `received` is written, too, all further ones may leave out: their identities.

    These read only what no sample changes, or what others of them have written before in the same sample, and nothing
    else ever writes where they do.
    """
    candidates = {k for k, noted in enumerate(sample) if noted.pure and noted.writes} - _meeting(sample, received)
    candidates -= _reading_ahead(sample, candidates)
    moving = Intervals()
    for low, high in received:
        moving.add(low, high)
    others = set(range(len(sample))) - candidates
    while True:
        for k in others:  # what they write changes
            for low, high in sample[k].writes:
                moving.add(low, high)
        others = {k for k in candidates if _changed(sample[k], moving)}
        if not others:
            break
        candidates -= others
    return {id(call) for k in candidates for call in sample[k].calls or ()}


def _meeting(sample: Sequence[Noted], received: Sequence[Range]) -> set[int]:
    """What writes to bytes that something else writes to."""
    everything = [(low, high, -1) for low, high in received]
    everything += [(low, high, k) for k, noted in enumerate(sample) for low, high in noted.writes]
    meeting, reach, last = set[int](), 0, -1
    for low, high, k in sorted(everything):
        if low < reach:
            meeting |= {k, last}
        if high > reach:
            reach, last = high, k
    return meeting


def _reading_ahead(sample: Sequence[Noted], candidates: set[int]) -> set[int]:
    """Those that read what they or later ones write: what the sample before left there, which may be another value.

    A value that moves on by a place in every sample is read so. What candidates write does not overlap.
    """
    written = sorted((low, high, k) for k in candidates for low, high in sample[k].writes if low < high)
    starts = [low for low, _, _ in written]

    def ahead(k: int, low: int, high: int) -> bool:
        place = max(bisect_right(starts, low) - 1, 0)
        while place < len(written) and starts[place] < high:
            _, end, writer = written[place]
            if end > low and writer >= k:
                return True
            place += 1
        return False

    return {k for k in candidates if any(ahead(k, low, high) for low, high in sample[k].reads if low < high)}


def _changed(noted: Noted, moving: Intervals) -> bool:
    return any(moving.gaps(low, high) != [(low, high)] for low, high in noted.reads if low < high)
