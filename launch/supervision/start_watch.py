"""Detects a run that cannot start: its processes wait for each other, and none makes progress any more."""

from __future__ import annotations

from emu.noc.watch.joining import JoinProgress
from launch.supervision.actions import InspectMembers
from launch.system.process_state import RunCounts

PATIENCE = 4.0  # seconds without progress, and twice the grace time of the transport, before processes are inspected
SAYINGS = 3  # how often each process must have repeated a message that was not answered
ROUNDS = 8  # more than the threads that a message and its answer pass through


class StartWatch:
    """Declares it once no message can be in flight any more, however busy the machine is.

    Each waiting process has repeated its unanswered message; then every process has been seen asleep `ROUNDS` times, in
    rounds: in each, a message in flight advances by at least one thread. A process that sends nothing at all must not
    have run meanwhile. A stopped process is never seen asleep.
    """

    def __init__(self, grace: float) -> None:
        self._patience = PATIENCE + 2 * grace
        self._first: JoinProgress | None = None  # time of the last progress
        self._since = 0.0
        self._asked = False
        self._begin()

    def look(self, joining: JoinProgress | None, now: float) -> InspectMembers | None:
        """Whom `judge` needs inspected, given the state of the board; None if nobody. To be called periodically."""
        first, self._asked = self._first, False
        if joining is None or first is None or joining.moved != first.moved:
            self._first, self._since = joining, now
            self._begin()
            return None
        if now - self._since < self._patience or not _said_again(first, joining):
            return None
        self._asked = True
        return InspectMembers(tuple(joining.unseen), self._awake)

    def judge(self, run_counts: RunCounts | None, awake: frozenset[str]) -> bool:
        """Whether the run can never start, given the `run_counts` that `look` asked for and who is still `awake`."""
        if not self._asked:
            return False
        self._asked = False
        if run_counts is None or (self._run_counts is not None and run_counts != self._run_counts):
            self._begin()  # a silent process runs: it loads, or is about to send
            return False
        self._run_counts = run_counts
        if not self._awake:
            if self._rounds == ROUNDS:
                return True
            self._rounds += 1
        self._awake = awake
        return False

    def _begin(self) -> None:
        self._rounds = 0
        self._awake: frozenset[str] = frozenset()  # not seen asleep yet in this round
        self._run_counts: RunCounts | None = None  # of silent processes


def _said_again(first: JoinProgress, now: JoinProgress) -> bool:
    return bool(((now.said - first.said)[now.saying] >= SAYINGS).all())
