"""The loops of a section as a tree: code without loops, and what loops repeat; what never runs is left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emu.isa.table import LOOP
from emu.program.section import Section


class Code(NamedTuple):
    """Instructions one after the other, without loops: [first, last). `marks` are those that are looked for."""

    first: int
    last: int
    marks: Sequence[int] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """A loop that runs something: the instruction `index`, `end` behind its body, `depth` loops around it.

    `marked` tells whether there are marks in it.
    """

    index: int
    end: int
    depth: int
    trips: int
    body: tuple[Code | Loop, ...]
    marked: bool


Item = Code | Loop
NONE = np.zeros(0, np.int64)


def loop_tree(section: Section, marks: np.ndarray = NONE) -> tuple[Item, ...]:
    """The tree of a validated section; `marks` are the instructions that are looked for, ascending."""
    return tuple(_Tree(section, marks.tolist()).items(0, len(section), 0))


class _Tree:
    def __init__(self, section: Section, marks: list[int]) -> None:
        self._marks = marks
        places = (section.columns["op"] == LOOP).nonzero()[0]
        ends, trips = (section.columns[name][places].tolist() for name in ("end", "n"))
        self._places = places.tolist()
        self._loops = {place: pair for place, *pair in zip(self._places, ends, trips, strict=True)}

    def items(self, begin: int, end: int, depth: int) -> Iterator[Item]:
        """The items of the instructions [begin, end) inside of `depth` loops."""
        at, loops, marks = begin, self._places, self._marks
        place = bisect_left(loops, begin)
        while at < end:
            stop = min(loops[place], end) if place < len(loops) else end
            if stop > at:
                yield Code(at, stop, tuple(marks[bisect_left(marks, at) : bisect_left(marks, stop)]))
            if stop == end:
                return
            at = self._loops[stop][0]
            place = bisect_left(loops, at, place)
            yield from self._loop(stop, depth)

    def _loop(self, index: int, depth: int) -> Iterator[Loop]:
        end, trips = self._loops[index]
        body = tuple(self.items(index + 1, end, depth + 1))
        if trips and body:
            yield Loop(
                index, end, depth, trips, body, any(i.marked if isinstance(i, Loop) else bool(i.marks) for i in body)
            )


def loops_in(items: Sequence[Item]) -> Iterator[Loop]:
    """All loops of a tree, outer ones first."""
    for item in items:
        if isinstance(item, Loop):
            yield item
            yield from loops_in(item.body)
