"""How messages get from node to node: after a known time, or over links that they share with others."""

from __future__ import annotations

from collections.abc import Callable

from emu.timing.fast.shared import NetworkWay, SharedResources, Tag
from emu.timing.setup import Setup

Arrive = Callable[[int, int], None]  # told when the tail of a message arrives, and when it has left


class Ways:
    """All of them, found as they are asked for."""

    def __init__(self, setup: Setup, shared: SharedResources) -> None:
        self._network, self._shared = setup.network, shared
        self._known: dict[tuple[int, int], NetworkWay] = {}

    def way(self, src: int, dst: int) -> NetworkWay:
        """The way from node to node."""
        known = self._known.get((src, dst))
        if known is None:
            network = self._network
            there, back = network.distance(src, dst), network.distance(dst, src)
            steps = tuple(network.steps(src, dst)) if network.passes_links(src, dst) else ()
            known = self._known[src, dst] = NetworkWay(src, dst, there, back, network.spacing(src, dst), steps)
        return known

    def inject(self, time: int, core: int, way: NetworkWay, wire: int, then: Arrive, tag: Tag = ()) -> None:
        """Send a message of `core` that occupies a link for `wire`."""
        if not wire:
            then(time + way.there, time)
        elif way.steps:
            self._shared.pass_links(time, core, way, wire, then, tag)
        else:
            then(time + way.there + wire - way.flit, time + wire)
