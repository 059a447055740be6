"""Notices lost messages: nothing moves any more although, by the counters, a message or a sync is on its way."""

from __future__ import annotations

from emu.noc.watch.watch import Overdue
from launch.system.process_state import RunCounts


class LossDetector:
    """Takes a loss for certain once no core, and no thread of one, has moved for the `grace` seconds of the transport.

    On a busy machine time alone proves nothing. But a thread that can go on, because it computes or because something
    has arrived for it, does not sleep, and the kernel counts how often each thread has run.
    """

    def __init__(self, grace: float) -> None:
        self._grace = grace
        self._overdue: Overdue | None = None
        self._run_counts: RunCounts | None = None  # at `_since`, once the board stood still
        self._since = 0.0
        self._asked = False

    def look(self, overdue: Overdue | None, now: float) -> bool:
        """Whether threads are to be looked at, for `judge`; call it again and again.

        That is so only once the board stood still from one look to the next, and again after the grace time.
        """
        before, self._overdue = self._overdue, overdue
        if overdue is None:
            self._asked = False
        elif before is None or before.rows != overdue.rows:
            self._run_counts, self._since, self._asked = None, now, False
        else:
            self._asked = self._run_counts is None or now - self._since >= self._grace
        return self._asked

    def judge(self, run_counts: RunCounts | None, now: float) -> Overdue | None:
        """The messages that are certainly lost, or None; `run_counts` of all cores are those that `look` asked for."""
        if not self._asked:
            return None
        self._asked = False
        if self._run_counts is not None and run_counts == self._run_counts:
            return self._overdue
        self._run_counts, self._since = run_counts, now
        return None
