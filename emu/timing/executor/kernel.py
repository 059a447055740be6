"""Simulated time: processes that wait for durations, signals and their turn at something that all share."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

NOBODY = -1
Turn = tuple[int, int]  # who comes first at equal times: core, then the age of an operation


@dataclass(slots=True)
class Signal:
    """Something that happens once, at `time`; `moment` is the log's entry of what made it happen."""

    time: int = -1
    moment: int = -1
    waiting: list[Process] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Service:
    """Ask for a service: in the order of turns among all who ask at the same time, `serve` tells when it is over."""

    turn: Turn
    serve: Callable[[int], int]  # of the present time


Process = Generator["int | Signal | Service", None, None]


class Kernel:
    """Runs processes in the order of time. A process yields how long it waits (ps), a Signal, or a Service.

    At each time everything else happens before services are given, and these in the order of turns: whatever follows
    from a service happens later. So nothing depends on the order in which this kernel finds what happens at a time.
    """

    def __init__(self) -> None:
        self.now = 0
        self._number = count()
        self._queue: list[tuple[int, int, Turn, int, Any]] = []

    def run(self) -> None:
        """Until nothing more can happen."""
        while self._queue:
            self.now, services, _, _, what = heappop(self._queue)
            if services:
                process, service = what
                self._at(service.serve(self.now), process)
            else:
                self.resume(what)

    def resume(self, process: Process) -> None:
        """Let a process go on until it waits for something that is still to come."""
        for wish in process:
            if isinstance(wish, int):
                if wish:
                    self._at(self.now + wish, process)
                    return
            elif isinstance(wish, Service):
                heappush(self._queue, (self.now, 1, wish.turn, next(self._number), (process, wish)))
                return
            elif wish.time < 0:
                wish.waiting.append(process)
                return

    def fire(self, signal: Signal, moment: int = -1) -> None:
        """It happens now: whoever waits for it goes on."""
        signal.time, signal.moment = self.now, moment
        for process in signal.waiting:
            self._at(self.now, process)
        signal.waiting.clear()

    def after(self, delay: int, then: Callable[[], None]) -> None:
        """Call `then` so many ps from now."""
        self.resume(_later(delay, then))

    def _at(self, time: int, process: Process) -> None:
        heappush(self._queue, (time, 0, (NOBODY, NOBODY), next(self._number), process))


def _later(delay: int, then: Callable[[], None]) -> Process:
    yield delay
    then()
