"""Who looks on while a core runs: told of every operation that is walked, and of what is leapt over."""

from __future__ import annotations

from typing import Any

from emu.operands.loop_tree import Loop
from emu.timing.fast.body import Counters

FRONT = -1  # a start that nothing but the front end decided: beside the causes of waits
UNKNOWN = -1  # a time that is told later


class CoreObserver:
    """Looks on one core in one section; its methods do nothing, so that one says only what one wants to hear.

    All of it is told in the order of the program, and before the core's own state changes. Times in ps.
    """

    def begin(self) -> None:
        """A sample begins."""

    def start(self, index: int, start: int, free: int, cause: int, counters: Counters) -> None:
        """Instruction `index` starts because of FRONT or the `cause` it waited for last.

        Its unit is free again at `free`. Of requests, and UNKNOWN, that is told by `release`.
        """

    def release(self, unit: int, time: int) -> None:
        """When the last operation of a unit leaves it, if that was not known at its start; the state has changed."""

    def mark(self) -> Any:
        """What `leap` is to be given of this moment: before an iteration of a loop without requests."""

    def leap(self, loop: Loop, rounds: int, period: int, before: Any, now: Any) -> None:
        """All between two marks comes again so many times, each a period later; what comes next comes after that."""

    def end(self, time: int) -> None:
        """The sample has ended; the state has changed."""
