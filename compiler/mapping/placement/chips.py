"""Which chip each core stands on, so that little crosses the links between chips; distances over these links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from compiler.mapping.placement.mesh import Matrix, distances_of, points_of
from emu.arch import Arch
from emu.noc.domains.cut import cheapest
from emu.noc.domains.graph import Exchanged, Price, graph_of
from emu.noc.traffic.topology import Mesh, topology_of
from emu.noc.traffic.traffic import MEMORY

MEMORY_CHIP = 0  # beside which the global memory stands


def distances_between(arch: Arch, places: Sequence[int]) -> Matrix:
    """Links from core to core, on chips and between them: [places, places]."""
    topology, cores = topology_of(arch), np.array(places, np.int64)
    if isinstance(topology, Mesh):
        return distances_of(points_of(topology.width, places))
    chips, points = cores // topology.cores, points_of(topology.mesh.width, (cores % topology.cores).tolist())
    to_links = points.sum(axis=1)  # of the first core of a chip
    around = to_links[:, None] + hops_between(arch)[np.ix_(chips, chips)] + to_links[None, :]
    return np.where(chips[:, None] == chips[None, :], distances_of(points), around)


def hops_between(arch: Arch) -> Matrix:
    """Links from chip to chip: [chips, chips]."""
    topology, chips = topology_of(arch), range(arch.system.chips)
    if isinstance(topology, Mesh):
        return np.zeros((1, 1))
    return np.array([[topology.between.hops(one, other) for other in chips] for one in chips], np.float64)


def price_of(arch: Arch) -> Price:
    """What a message takes on one link between chips, in ns; bytes alone where the description has no such times."""
    link = arch.timing.chip_link if arch.timing else None
    latency, speed = (link.latency_ns, link.bandwidth_gb_per_s) if link else (None, None)
    return Price(latency or 0.0, 1 / speed if speed else 0.0) if latency or speed else Price(0.0, 1.0)


def chips_of(exchanged: Exchanged, cores: Sequence[int], arch: Arch, limit: int) -> dict[int, int]:
    """The chip of each of `cores`, so that what crosses costs little; never more than with the numbers that they have.

    `exchanged` counts by these numbers, and by `MEMORY` for the global memory. Chips hold numbers below `limit` only.
    """
    own, price, distances = arch.cores, price_of(arch), hops_between(arch)
    room = [[max(0, min(own, limit - chip * own))] for chip in range(arch.system.chips)]
    nodes = [MEMORY, *cores]
    graph = graph_of(exchanged, nodes, [[int(node != MEMORY)] for node in nodes], price)
    before = {node: MEMORY_CHIP if node == MEMORY else node // own for node in nodes}
    best = cheapest(graph, room, distances, {MEMORY: MEMORY_CHIP}, before)
    return {core: best[core] for core in cores}


def places_on(chips: Mapping[int, int], arch: Arch, limit: int) -> tuple[list[int], NDArray[np.int64]]:
    """Places for the cores of `chips` on the chip of each, in order, then the free ones; and the chip of each place.

    Places are numbers of cores below `limit`.
    """
    free = {
        chip: iter(range(chip * arch.cores, min(limit, (chip + 1) * arch.cores))) for chip in range(arch.system.chips)
    }
    taken = [next(free[chip]) for chip in chips.values()]
    places = [*taken, *(place for rest in free.values() for place in rest)]
    return places, np.array(places, np.int64) // arch.cores
