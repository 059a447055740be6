"""Reports processes that somebody has stopped: they are neither dead nor in a deadlock, and may be continued."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from emu.noc.watch.watch import Watch
from launch.system.process_state import stopped_by

PERIOD = 1.0  # seconds without a result between two looks
Notice = Callable[[str], None]


class Stalls:
    """`others` are the processes of the run beside those of cores, by name; `notice` is told once per stop.

    `forked` gives all processes, also those that have not said yet what they are. Without a
    `watch` there are no cores.
    """

    def __init__(
        self,
        watch: Watch | None,
        others: Mapping[str, int],
        notice: Notice | None,
        forked: Callable[[], Sequence[int]] = tuple,
    ) -> None:
        self._watch, self._others, self._notice, self._forked = watch, others, notice, forked
        self._told: set[str] = set()
        self._next = 0.0

    def rest(self) -> None:
        """A result has come: begin to wait anew."""
        self._next = time.monotonic() + PERIOD

    def look(self) -> None:
        """Report processes that were stopped or continued; does nothing before `PERIOD` seconds have passed."""
        if self._notice is None or time.monotonic() < self._next:
            return
        self.rest()
        stopped = self._helpers()
        if self._watch is not None:
            stopped |= {f"core {core}": self._watch.stopped(core, reason) for core, reason in self._cores().items()}
        for name in self._told - stopped.keys():
            self._notice(f"{name} goes on")
        for name in stopped.keys() - self._told:
            self._notice(f"{stopped[name]}: the run waits until it is continued (SIGCONT)")
        self._told = set(stopped)

    def unfinished(self) -> list[str]:
        """What everybody does that has not finished, stopped processes first."""
        helpers = [*self._helpers().values()]
        return helpers if self._watch is None else [*helpers, *self._watch.unfinished(self._cores())]

    def _cores(self) -> dict[int, str]:
        return {core: reason for core, process in self._of_cores().items() if (reason := stopped_by(process))}

    def _of_cores(self) -> Mapping[int, int]:
        return {} if self._watch is None else self._watch.processes()

    def _helpers(self) -> dict[str, str]:
        known = {*self._others.values(), *self._of_cores().values()}
        unknown = {f"process {process} of a core": process for process in self._forked() if process not in known}
        return {
            name: f"{name} is stopped ({reason})"
            for name, process in {**self._others, **unknown}.items()
            if (reason := stopped_by(process))
        }
