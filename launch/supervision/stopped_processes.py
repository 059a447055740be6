"""Reports processes that are stopped (SIGSTOP, debugger): neither dead nor deadlocked, they may be continued."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from launch.system.process_state import stopped_by

PERIOD = 1.0  # seconds without a result between two checks
Notice = Callable[[str], None]


class StoppedProcesses:
    """The processes known to be stopped; each stop and each continuation is reported once. Pure: no clock, no /proc."""

    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()
        self._next = 0.0

    def restart(self, now: float) -> None:
        """A result has arrived: restart the period."""
        self._next = now + PERIOD

    def due(self, now: float) -> bool:
        """Whether a check is due; if so, a new period begins."""
        if now < self._next:
            return False
        self.restart(now)
        return True

    def changes(self, stopped: Mapping[str, str]) -> list[str]:
        """The sentences to report, given that the processes of `stopped` (a sentence by name) are stopped now."""
        continued = [f"{name} goes on" for name in sorted(self._known - stopped.keys())]
        fresh = [sentence for name, sentence in stopped.items() if name not in self._known]
        self._known = frozenset(stopped)
        return continued + [f"{sentence}: the run waits until it is continued (SIGCONT)" for sentence in fresh]


def stop_sentence(name: str, reason: str, place: object = None) -> str:
    """A sentence: the process `name` is stopped by `reason`, at `place` if that is known."""
    return f"{name} is stopped ({reason})" + (f" at {place}" if place else "")


class StopMonitor:
    """Monitors child processes, `children` by name, that belong to no machine; `notice` is called once per stop."""

    def __init__(self, children: Mapping[str, int], notice: Notice | None) -> None:
        self._children, self._notice = children, notice
        self._processes = StoppedProcesses()

    def restart(self) -> None:
        """A result has arrived: restart the period."""
        self._processes.restart(time.monotonic())

    def look(self) -> None:
        """Report processes that were stopped or continued; does nothing before `PERIOD` seconds have passed."""
        if self._notice is not None and self._processes.due(time.monotonic()):
            for text in self._processes.changes(self._stopped()):
                self._notice(text)

    def unfinished(self) -> list[str]:
        """A sentence for each stopped process."""
        return list(self._stopped().values())

    def _stopped(self) -> dict[str, str]:
        found = {name: stopped_by(process) for name, process in self._children.items()}
        return {name: stop_sentence(name, reason) for name, reason in found.items() if reason}
