"""Simulated time: processes that wait for durations, signals and their turn at something that all share."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from emu.timing.basis.event_queue import EventQueue, Turn


@dataclass(slots=True)
class Signal:
    """Something that happens once, at `time`; `moment` is the log's entry of what made it happen."""

    time: int = -1
    moment: int = -1
    waiting: list[Process] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Service:
    """Ask for a service: in the order of turns among all who ask at the same time, `serve` tells when it is over."""

    turn: Turn  # core, then the age of an operation
    serve: Callable[[int], int]  # of the present time


Process = Generator["int | Signal | Service", None, None]


class ProcessLoop:
    """Runs processes in the order of time. A process yields how long it waits (ps), a Signal, or a Service.

    Services that are asked for at one time are given in the order of turns, when nothing else happens at that time.
    """

    def __init__(self) -> None:
        self.now = 0
        self._queue = EventQueue[tuple[Process, Service | None]]()

    def run(self) -> None:
        """Until nothing more can happen."""
        while self._queue:
            self.now, (process, service) = self._queue.take()
            if service is not None:
                self._at(service.serve(self.now), process)
            else:
                self.resume(process)

    def resume(self, process: Process) -> None:
        """Let a process go on until it waits for something that is still to come."""
        for wish in process:
            if isinstance(wish, int):
                if wish:
                    self._at(self.now + wish, process)
                    return
            elif isinstance(wish, Service):
                self._queue.put(self.now, (process, wish), wish.turn, service=True)
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
        self._queue.put(time, (process, None))


def _later(delay: int, then: Callable[[], None]) -> Process:
    yield delay
    then()
