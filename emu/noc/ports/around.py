"""A port around a port: passes every call on, for wrappers that change some."""

from __future__ import annotations

from emu.core.request import Request
from emu.noc.ports.port import Port


class PortAround(Port):
    """Does what `port` does."""

    def __init__(self, port: Port) -> None:
        self._port = port

    def attach(self, events: int) -> None:
        """The core has so many event registers."""
        self._port.attach(events)

    def begin(self, sample: int) -> None:
        """Block until `sample` may begin."""
        self._port.begin(sample)

    def end(self, sample: int) -> None:
        """The core has finished `sample`."""
        self._port.end(sample)

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request; True if it is complete at once; raises PortFault."""
        return self._port.start(request, sample)

    def poll(self) -> bool:
        """Whether the request begun last is complete now; raises PortFault."""
        return self._port.poll()

    def wait(self) -> None:
        """Block until the request begun last is complete; raises PortFault."""
        self._port.wait()
