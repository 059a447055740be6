"""Time as silence is measured: while a process does not run, nobody's silence grows."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 1.0  # seconds between two looks that count: who was stopped, or starved, has not listened meanwhile


class ListeningClock:
    """Seconds for which this process has listened, told by looks; `monotonic` is the clock of the system."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._before = monotonic()
        self.now = 0.0

    def look(self) -> float:
        """The time now; to be called often."""
        before, self._before = self._before, self._monotonic()
        self.now += min(self._before - before, MOST)
        return self.now
