"""The critical path by component of the chip: what the latency is made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from emu.isa.codes import ASK_OF
from emu.isa.instruction import RequestKind as Kind
from emu.timing.basis.units import MEMORY as GLOBAL
from emu.timing.basis.units import PS_PER_NS
from emu.timing.chip.needed import figure
from emu.timing.countable import BETWEEN_CHIPS
from emu.timing.path.component_parts import MEMORY, Parts, parts_of
from emu.timing.path.path import PathStretch
from emu.timing.setup import Setup

NETWORK, CONTROL, GLOBAL_MEMORY, OFFCHIP = "network", "control", "global_memory", "offchip"


def path_by_component(setup: Setup, path: Sequence[PathStretch]) -> dict[str, float]:
    """ps of the path by component, the largest first; they add up to the path.

    Of a message, what is neither set-up nor local memory is its way, waits in queues included; of a request of the
    global memory, what is more than its way is that of the memory, other requests before it included.
    """
    found: dict[str, float] = {}

    @cache
    def parts(core: int) -> list[Parts]:
        return parts_of(setup, core)

    for stretch in path:
        for (index, working), ps in stretch.parts.items():
            if not working:
                own: dict[str, float] = {CONTROL: ps}
            elif stretch.request:
                own = _of_request(setup, stretch, index, ps)
            else:
                own = {name: part * ps for name, part in parts(stretch.core)[index].items()} or {CONTROL: ps}
            for name, amount in own.items():
                found[name] = found.get(name, 0.0) + amount
    return dict(sorted(((name, ps) for name, ps in found.items() if ps), key=lambda item: -item[1]))


def _of_request(setup: Setup, stretch: PathStretch, index: int, ps: int) -> dict[str, float]:
    """The time until a request is over, from its own start or from that of the request that decided it."""
    section = setup.cores[stretch.core].sections["main"]
    costs, columns = section.costs, section.view.section.columns
    kind, peer = Kind(ASK_OF[columns["op"][index]]), int(columns["arg0"][index])
    begun, wire = int(costs.compute[index]), int(costs.wire[index])
    memory = int(costs.read[index] + costs.write[index])
    if stretch.peer is not None and stretch.decider is not None:  # the other end of the message
        other = setup.cores[stretch.peer].sections["main"].costs
        begun, memory = int(other.compute[stretch.decider]), memory + int(other.read[stretch.decider])
        memory += int(other.write[stretch.decider])
        wire = max(wire, int(other.wire[stretch.decider]))
    left = float(ps)
    found: dict[str, float] = {}
    for name, most in (("transfer", begun), (MEMORY, memory)):
        found[name] = min(left, float(most))
        left -= found[name]
    if kind in (Kind.LOAD, Kind.STORE):
        network, ends = setup.network, (stretch.core, GLOBAL)
        way = 2 * network.distance(*ends) + network.lag(*ends, wire)
        served = max(0.0, left - way)
        outside = _offchip(setup, stretch.core, index, served)
        return found | {NETWORK: left - served, GLOBAL_MEMORY: served - outside, OFFCHIP: outside}
    between = _between_chips(setup, stretch.core, peer, wire) if kind in (Kind.SEND, Kind.RECV) else 0.0
    return found | {NETWORK: left * (1 - between), BETWEEN_CHIPS: left * between}


def _offchip(setup: Setup, core: int, index: int, served: float) -> float:
    """What of the time of the global memory its links off the chip take."""
    section = setup.cores[core].sections["main"]
    costs, arch = section.costs, section.view.arch
    service, inside = int(costs.service[index]), 0.0
    for action in ("read", "write"):
        words = costs.counts.get((GLOBAL_MEMORY, action))
        ns = figure(arch, f"timing.{GLOBAL_MEMORY}.{action}_ns")
        inside += 0.0 if words is None or ns is None else int(words[index]) * ns * PS_PER_NS
    return served * max(0.0, 1 - inside / service) if service else 0.0


def _between_chips(setup: Setup, core: int, peer: int, wire: int) -> float:
    """The part of the way of a message that is between chips."""
    network = setup.network
    crossings = network.crossings(core, peer)
    if network.links is None or not crossings:
        return 0.0
    slow = wire * (network.links.flit >= network.flit)
    way = network.distance(core, peer) + wire
    return (crossings * network.links.latency + slow) / way if way else 0.0
