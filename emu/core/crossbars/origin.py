"""Which instruction, sample and iteration the vectors of a matrix product come from; the same in every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

Form = tuple[int, tuple[tuple[int, int], ...]]  # a loop counter: constant, and (place in the path, factor)


@dataclass(slots=True)
class Position:
    """The running section of a core, the sample (0 in `init`) and the counters of the loops around it.

    One object per core: it moves with the core.
    """

    core: int
    section: str = "init"
    sample: int = 0
    counters: Sequence[int] = field(default_factory=list[int])  # outermost first


@dataclass(frozen=True, slots=True)
class Loops:
    """The loops of a plan around one instruction.

    `path` are their numbers, outermost (0) first, `trips` those of all loops by number. `forms` are the counters that
    the loops of the program have: sums over those of the path.
    """

    forms: tuple[Form, ...]
    path: tuple[int, ...]
    trips: tuple[int, ...]


NO_LOOPS = Loops((), (), ())


class Origin(NamedTuple):
    """Identifies each of the vectors [*box, elements] of one call on an array group, in the whole machine.

    The box are those of `loops` that a plan runs at once. Of the other loops, `at` has the iteration; of the outermost
    one, the box holds the iterations `root`. Outside of plans it is one vector. It is only computed when it is needed.
    """

    position: Position
    instruction: int  # its index in the section
    loops: Loops = NO_LOOPS
    at: Mapping[int, int] = MappingProxyType({})  # by number of the loop
    root: range = range(0)

    @property
    def core(self) -> int:
        """The core."""
        return self.position.core

    @property
    def section(self) -> str:
        """The section, "init" or "main"."""
        return self.position.section

    @property
    def sample(self) -> int:
        """The sample; 0 in `init`."""
        return self.position.sample

    def counters(self) -> list[np.ndarray]:
        """The counters of all loops around the instruction, outermost first: int64, each broadcasts to [*box]."""
        loops = self.loops
        axes = [self.at.get(loop, range(loops.trips[loop]) if loop else self.root) for loop in loops.path]
        below = sum(isinstance(axis, range) for axis in axes)
        places: list[np.ndarray] = []
        for axis in axes:
            if isinstance(axis, range):
                below -= 1
                places.append(np.arange(axis.start, axis.stop, dtype=np.int64).reshape(-1, *[1] * below))
            else:
                places.append(np.asarray(axis, np.int64))
        counters = [np.asarray(counter, np.int64) for counter in self.position.counters]
        for start, moves in loops.forms:
            moved = [factor * places[place] for place, factor in moves]
            counters.append(np.asarray(sum(moved, np.asarray(start, np.int64))))
        return counters
