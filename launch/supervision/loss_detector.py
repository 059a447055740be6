"""Detects lost messages: nothing makes progress although, by the counters, a message or a sync is in flight."""

from __future__ import annotations

from emu.noc.watch.watch import Overdue
from launch.system.process_state import RunCounts


class LossDetector:
    """Declares a loss once no core, and no thread of a core, has run for the `grace` seconds of the transport.

    On a busy machine elapsed time alone proves nothing. But a runnable thread, which computes or for which something
    has arrived, does not sleep, and the kernel counts how often each thread has run.
    """

    def __init__(self, grace: float) -> None:
        self._grace = grace
        self._overdue: Overdue | None = None
        self._run_counts: RunCounts | None = None  # at `_since`, once the board stood still
        self._since = 0.0
        self._asked = False

    def look(self, overdue: Overdue | None, now: float) -> bool:
        """Whether `judge` needs the run counts of the threads; to be called periodically.

        It does once the board is unchanged from one call to the next, and again after the grace time.
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
