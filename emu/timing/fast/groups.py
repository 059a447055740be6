"""Which cores depend on each other in time: through messages, events, the global memory, or links."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from emu.isa.instruction import RequestKind as Kind
from emu.timing.basis.units import MEMORY
from emu.timing.fast.body import RequestCosts
from emu.timing.setup import Setup

_TO_CORES = frozenset(map(int, (Kind.SEND, Kind.SYNC)))
_TO_MEMORY = frozenset(map(int, (Kind.LOAD, Kind.STORE)))


def groups_of(asks: Mapping[int, Collection[RequestCosts]], setup: Setup) -> list[list[int]]:
    """The cores in groups that have nothing to do with each other, in order; `asks` by core."""
    first = {core: core for core in (*asks, MEMORY)}

    def find(core: int) -> int:
        while first[core] != core:
            first[core] = core = first[first[core]]
        return core

    for core, requests in asks.items():
        others = {ask.first for ask in requests if ask.kind in _TO_CORES}
        if setup.network.waits or (setup.memory_ports and any(ask.kind in _TO_MEMORY for ask in requests)):
            others.add(MEMORY)
        for other in others & first.keys():
            first[find(core)] = find(other)
    found: dict[int, list[int]] = {}
    for core in asks:
        found.setdefault(find(core), []).append(core)
    return list(found.values())
