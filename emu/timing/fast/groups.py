"""Which cores depend on each other in time: through messages, events, the global memory, or links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from emu.isa.instruction import Ask as Kind
from emu.timing.basis.units import MEMORY
from emu.timing.fast.body import Ask
from emu.timing.setup import Setup


def groups_of(asks: Mapping[int, Iterable[Ask]], setup: Setup) -> list[list[int]]:
    """The cores in groups that have nothing to do with each other, in order; `asks` by core."""
    first = {core: core for core in (*asks, MEMORY)}

    def find(core: int) -> int:
        while first[core] != core:
            first[core] = core = first[first[core]]
        return core

    for core, requests in asks.items():
        others = {MEMORY} if setup.network.contended else set[int]()
        for ask in requests:
            if ask.kind in (Kind.SEND, Kind.SYNC):
                others.add(ask.first)
            elif ask.kind in (Kind.LOAD, Kind.STORE) and setup.memory_ports:
                others.add(MEMORY)
        for other in others & first.keys():
            first[find(core)] = find(other)
    found: dict[int, list[int]] = {}
    for core in asks:
        found.setdefault(find(core), []).append(core)
    return list(found.values())
