"""An observer of the requests of all cores, for the sequential driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import CoreTrap
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program
from launch.processes.observer import Observation, ProcessObserver

Position = tuple[str, int, tuple[int, ...], int]  # section, index, loop counters, sample


class RequestListener(Protocol):
    """Called at the begin and the end of each request."""

    def begins(self, core: int, position: Position, request: Request) -> None:
        """A core makes a request; what it sends is in its memory."""
        ...

    def ends(self, core: int, position: Position, request: Request) -> None:
        """A request is fulfilled; what the core loads is in its memory."""
        ...


class RequestObservation(Observation):
    """Reports all requests of all cores to `listener`, in this process."""

    def __init__(self, listener: RequestListener) -> None:
        self.observer, self._listener = RequestObserver, listener

    def plan(self, programs: Mapping[int, Program]) -> RequestListener:
        """The listener."""
        return self._listener


class RequestObserver(ProcessObserver):
    """Drives each core through an `ObservedCore`; the listener is `values`."""

    def resumable(self, core: int, resumable: ResumableCore) -> ResumableCore:
        """`resumable`, observed."""
        return ObservedCore(core, resumable, self.values)


class ObservedCore:
    """Wraps `resumable` and reports its requests to `listener`."""

    def __init__(self, core: int, resumable: ResumableCore, listener: RequestListener) -> None:
        self._number, self._resumable, self._listener = core, resumable, listener
        self.begin, self.position = resumable.begin, resumable.position

    @property
    def events(self) -> int:
        """The number of event registers."""
        return self._resumable.events

    def advance(self) -> Request | Progress:
        """Run to the next request to fulfil, RUNNING or HALTED; raises CoreTrap."""
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
