"""The requests of a core in a sample, in order: what meetings between cores are made out from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Counters, RequestCosts
from emu.timing.fast.observer import UNKNOWN, CoreObserver


@dataclass(slots=True)
class TimedRequest:
    """A request: its instruction, when it starts and is finished (ps)."""

    index: int
    start: int
    end: int = UNKNOWN


class Requests(CoreObserver):
    """Keeps `requests`, those of the present sample, of a core that makes `asks`, by instruction."""

    def __init__(self, asks: Mapping[int, RequestCosts]) -> None:
        self.requests: list[TimedRequest] = []
        self._asks = asks

    def begin(self) -> None:
        """As in CoreObserver."""
        self.requests = []

    def start(self, index: int, start: int, free: int, cause: int, counters: Counters) -> None:
        """As in CoreObserver."""
        if index in self._asks:
            self.requests.append(TimedRequest(index, start))

    def release(self, unit: int, time: int) -> None:
        """As in CoreObserver: requests leave their unit when they are finished, one after the other."""
        if unit == TRANSFER:
            self.requests[-1].end = time
