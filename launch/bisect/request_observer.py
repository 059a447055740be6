"""Cores that tell what they ask of the outside: an observation for the sequential driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import CoreTrap
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program
from launch.processes.observer import Observation, Observer

Position = tuple[str, int, tuple[int, ...], int]  # section, index, loop counters, sample


class RequestListener(Protocol):
    """Who is told."""

    def begins(self, core: int, position: Position, request: Request) -> None:
        """A core asks for something: what it sends is in its memory."""
        ...

    def ends(self, core: int, position: Position, request: Request) -> None:
        """A core got it: what it loads is in its memory."""
        ...


class RequestObservation(Observation):
    """Tells `listener`, which is in this process, of all requests of all cores."""

    def __init__(self, listener: RequestListener) -> None:
        self.observer, self._listener = RequestObserver, listener

    def plan(self, programs: Mapping[int, Program]) -> RequestListener:
        """Who is told."""
        return self._listener


class RequestObserver(Observer):
    """Drives each core through one that tells the listener, which is `values`."""

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """One that does what `resumable` does, and tells of it."""
        return ObservedCore(core, resumable, self.values)


class ObservedCore:
    """A core that does what `resumable` does, and tells `listener` of its requests."""

    def __init__(self, core: int, resumable: ResumableCore, listener: RequestListener) -> None:
        self._number, self._resumable, self._listener = core, resumable, listener
        self.begin, self.position = resumable.begin, resumable.position

    @property
    def events(self) -> int:
        """Number of event registers."""
        return self._resumable.events

    def advance(self) -> Request | Progress:
        """As any resumable core: a request to fulfil, RUNNING or HALTED; raises CoreTrap."""
        step = self._resumable.advance()
        if not isinstance(step, Progress):
            self._listener.begins(self._number, self._resumable.position(), step)
        return step

    def complete(self, request: Request) -> None:
        """The request has been fulfilled."""
        self._listener.ends(self._number, self._resumable.position(), request)
        self._resumable.complete(request)

    def trap(self, reason: str, *, value: int | None = None, limit: int | None = None) -> CoreTrap:
        """A trap at the present instruction, whose request has failed."""
        return self._resumable.trap(reason, value=value, limit=limit)
