"""The clock of another machine beside the one here, from messages that say when they were said and heard; pure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WINDOW = 5_000_000_000  # ns, of each of which one moment is kept: clocks drift apart by some 10 ns in a ms
MOST = 512  # windows; then they become twice as long
GOOD = 4  # times the least round trip: moments that are known worse are not needed
LATEST = 1 << 62  # ns that a clock may show


class _Moment(NamedTuple):
    """A moment: what the clock `here` showed, and the other one, known to within half of the `round_trip` (ns)."""

    round_trip: int
    here: int
    there: int


class OtherClock:
    """What the monotonic clock of another machine shows; all times are in ns."""

    def __init__(self) -> None:
        self._window = WINDOW
        self._best: dict[int, _Moment] = {}  # by number of the window

    def heard(self, said: int, echo: int, held: int, now: int) -> None:
        """At `now` a message has come, `said` by the clock there, `held` ns after it had heard what came from here.

        That was said at `echo` by the clock here (0: it has heard nothing yet). What cannot be true is not believed.
        """
        round_trip = now - echo - held
        if not echo or not 0 <= round_trip <= now or not 0 <= said < LATEST:
            return
        self._keep(_Moment(round_trip, now - round_trip // 2, said))
        if len(self._best) > MOST:
            self._window *= 2
            kept, self._best = list(self._best.values()), {}
            for moment in kept:
                self._keep(moment)

    def _keep(self, moment: _Moment) -> None:
        """Keep it if it is the best of its window."""
        number = moment.here // self._window
        self._best[number] = min(moment, self._best.get(number, moment))

    @property
    def uncertainty(self) -> int | None:
        """By how much `here` may be wrong (ns), beside the drift between two moments; None: nothing is known."""
        return max((-(-moment.round_trip // 2) for moment in self._good()), default=None)

    def here(self, times: np.ndarray) -> np.ndarray:
        """What the clock here showed when the other one showed `times`, int64 of any shape; the same if none knows."""
        good = self._good()
        if not good:
            return times
        there = np.array([moment.there for moment in good], np.int64)
        ahead = np.array([moment.there - moment.here for moment in good], np.int64)
        drift = np.interp(times, there, (ahead - ahead[0]).astype(np.float64))  # small, so that no ns is lost
        return times - ahead[0] - np.rint(drift).astype(np.int64)

    def _good(self) -> list[_Moment]:
        """The moments that are known well, in the order of time."""
        kept = sorted(self._best.copy().values(), key=lambda moment: moment.there)
        least = min((moment.round_trip for moment in kept), default=0)
        return [moment for moment in kept if moment.round_trip <= GOOD * max(least, 1)]
