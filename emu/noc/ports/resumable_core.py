"""What a driver needs of a core: the interface between `emu.core` and whatever runs it."""

from __future__ import annotations

from typing import Protocol

from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import CoreTrap


class ResumableCore(Protocol):
    """A core that does no I/O: `advance` runs it until it needs the outside; raises CoreTrap."""

    @property
    def events(self) -> int:
        """Number of event registers, which the driver keeps."""
        ...

    def begin(self, section: str, sample: int, /) -> None:
        """Start `init` or `main` of a sample."""
        ...

    def advance(self) -> Request | Progress:
        """A request to fulfil, RUNNING or HALTED."""
        ...

    def complete(self, request: Request, /) -> None:
        """The request has been fulfilled."""
        ...

    def position(self) -> tuple[str, int, tuple[int, ...], int]:
        """(section, index, loop counters, sample) of the current instruction."""
        ...

    def trap(self, reason: str, *, value: int | None = None, limit: int | None = None) -> CoreTrap:
        """A trap at the current instruction, to be raised by the driver."""
        ...
