"""The loops around an instruction, and where a core stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emu.program.nesting import loops_around
from emu.program.section import Section


@dataclass(frozen=True, slots=True)
class LoopPlace:
    """A loop of a section and the iteration that a core is in, counted from 0."""

    index: int
    counter: int
    trips: int
    end: int  # the index behind its body


def loop_places(section: Section, index: int, counters: Sequence[int]) -> list[LoopPlace]:
    """The loops around instruction `index` at `counters`, outermost first."""
    trips, ends = section.columns["n"], section.columns["end"]
    loops = loops_around(section, index) if counters else []
    return [
        LoopPlace(loop, counter, int(trips[loop]), int(ends[loop]))
        for loop, counter in zip(loops, counters, strict=True)
    ]


def entered(places: Sequence[LoopPlace], index: int) -> LoopPlace | None:
    """The outermost loop that a core at instruction `index` has just entered: nothing of it has run yet."""
    found, below = None, index
    for place in reversed(places):
        if place.counter or place.index + 1 != below:
            break
        found, below = place, place.index
    return found
