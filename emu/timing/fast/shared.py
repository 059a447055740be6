"""What is served in order of time: the links, the ports of the global memory; and the queue of those who wait."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from heapq import heapify, heapreplace
from typing import NamedTuple

from emu.noc.traffic.topology import Link
from emu.timing.basis.event_queue import EventQueue
from emu.timing.fast.tally import WaitTally
from emu.timing.network.network import Step
from emu.timing.setup import Setup

Tag = tuple[int, ...]  # times that what waits in the queue will need


class NetworkWay(NamedTuple):
    """From node `src` to node `dst`. In ps: what the head of a message takes, also of one the other way; how far its
    flits are apart; and the steps of the way, if it passes links that messages wait for.
    """

    src: int
    dst: int
    there: int
    back: int
    flit: int
    steps: tuple[Step, ...]


class SharedResources:
    """The queue, links and ports. Of all that happens at one time services come last, that of the lowest core first."""

    def __init__(self, setup: Setup) -> None:
        self._base = setup.network.base
        self._free: dict[Link, int] = {}
        self._ports = [0] * setup.memory_ports  # when each is free
        heapify(self._ports)
        self._queue = EventQueue[tuple[Callable[[int], None], Tag]]()
        self.tally = WaitTally()

    def turn(self) -> bool:
        """Let the next one have its turn; whether there was any."""
        if not self._queue:
            return False
        time, (what, _) = self._queue.take()
        what(time)
        return True

    def at(self, time: int, core: int, what: Callable[[int], None], service: bool = False, tag: Tag = ()) -> None:
        """Call `what` when its time has come. `tag` is all that it depends on beside where the cores stand."""
        self._queue.put(time, (what, tag), (core,), service)

    def snapshot(self, now: int) -> Hashable:
        """All of this, relative to `now`."""
        queue = sorted(
            (time - now, service, core, [other - now for other in tag])
            for time, service, (core,), (_, tag) in self._queue
        )
        links = {link: free - now for link, free in self._free.items() if free > now}
        ports = sorted(max(free - now, 0) for free in self._ports)
        return tuple((*entry, *times) for *entry, times in queue), frozenset(links.items()), tuple(ports)

    def serve(self, time: int, core: int, service: int, then: Callable[[int], None], tag: Tag = ()) -> None:
        """Ask the global memory for a service; `then` is told when it is over."""
        if not service or not self._ports:
            then(time + service)
            return

        def take(now: int) -> None:
            end = max(now, self._ports[0]) + service
            heapreplace(self._ports, end)
            then(end)

        self.at(time, core, take, True, tag)

    def pass_links(
        self, time: int, core: int, way: NetworkWay, wire: int, then: Callable[[int, int], None], tag: Tag
    ) -> None:
        """Inject a message of `core`; `then` is told when its tail arrives, and when it has left."""
        base, used = self._base, self.tally.links

        def take(now: int) -> None:
            head, left = now + base, -1
            for link, leap in way.steps:
                if link is not None:
                    head = max(head, self._free.get(link, 0))
                    self._free[link] = head + wire
                    used[link] += wire
                left = head + wire if left < 0 else left
                head += leap
            then(head + wire - way.flit, left)

        self.at(time, core, take, True, tag)
