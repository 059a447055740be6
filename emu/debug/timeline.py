"""Saved moments of a run, thinned out when they take too much memory."""

from __future__ import annotations

from collections.abc import Callable

from emu.debug.moment import Moment

SPACING = 4096  # turns between two moments, at least
BYTES_PER_TURN = 512  # what saving a byte costs, in turns: a moment of 2 MiB is worth another 4096 turns
BUDGET = 256 << 20  # bytes of all moments


class DebugTimeline:
    """Moments in the order of their turns; the first one, at power-on, stays."""

    def __init__(self, first: Moment, spacing: int = SPACING, budget: int = BUDGET) -> None:
        self._moments = [first]
        self._spacing, self._budget = spacing, budget
        self._due = self._next_due()

    def is_due(self, turns: int) -> bool:
        """Whether a moment after so many turns should be added."""
        return turns >= self._due

    def add(self, moment: Moment) -> None:
        """Keep a moment that is later than all others."""
        self._moments.append(moment)
        while len(self._moments) > 2 and self._nbytes() > self._budget:
            del self._moments[1:-1:2]
            self._spacing *= 2
        self._due = self._next_due()

    def latest(self, fits: Callable[[Moment], bool]) -> Moment:
        """The last moment that fits; the first one if none does."""
        return next((moment for moment in reversed(self._moments) if fits(moment)), self._moments[0])

    def __len__(self) -> int:
        return len(self._moments)

    def _nbytes(self) -> int:
        """What all moments take; those of one sample share their captures."""
        captures = {id(content): len(content) for moment in self._moments for content in moment.captures.values()}
        return sum(moment.nbytes for moment in self._moments) + sum(captures.values())

    def _next_due(self) -> int:
        last = self._moments[-1]
        return last.turns + max(self._spacing, last.nbytes // BYTES_PER_TURN)
