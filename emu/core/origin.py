"""Where a core stands, and where the vectors of a product come from: the same whichever engine multiplies them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Form = tuple[int, tuple[tuple[int, int], ...]]  # a loop counter: constant, and (axis, factor)
Axis = int | range  # of a nest: the iteration that it stands at, or those that are run at once


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
class Origin:
    """What tells the vectors [*box, elements] of one call on an array group from all others of the machine.

    The loops that a plan runs have no counters in `position`: theirs are `forms` over `axes`. The ranges among the axes
    are the dimensions of the box; outside of plans there are no axes, and the box is one vector.
    """

    position: Position
    index: int  # of the instruction in its section
    forms: tuple[Form, ...] = ()
    axes: tuple[Axis, ...] = ()

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
        places: list[np.ndarray] = []
        below = sum(isinstance(axis, range) for axis in self.axes)
        for axis in self.axes:
            if isinstance(axis, range):
                below -= 1
                places.append(np.arange(axis.start, axis.stop, dtype=np.int64).reshape(-1, *[1] * below))
            else:
                places.append(np.asarray(axis, np.int64))
        counters: list[np.ndarray] = [np.asarray(counter, np.int64) for counter in self.position.counters]
        for start, moves in self.forms:
            total = np.asarray(start, np.int64)
            for axis, factor in moves:
                total = total + factor * places[axis]
            counters.append(np.asarray(total))
        return counters
