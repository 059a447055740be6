"""The network of a chip in time: distances between nodes and, if links are contended, routes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from emu.arch import Arch
from emu.arch.network import QUEUES
from emu.errors import ArchError
from emu.noc.traffic.topology import Link, Mesh, topology_of
from emu.timing.basis.units import MEMORY, picoseconds

MEMORY_AT = 0  # the core beside whose router the global memory stands, one link further
MEDIUM: Link = (MEMORY, MEMORY)  # the one link that all messages share


@dataclass(frozen=True, eq=False)
class NetworkTimes:
    """Nodes are cores, and MEMORY, the global memory. Times in ps.

    The head of a message takes `base`, and `hop` for each link or the entry of the pair in the `table` [cores in order,
    then the global memory]. Further flits follow `flit` apart; with a table and no `flit` every flit takes the whole
    way after the one before it. `contended`: a message occupies each link of its route.
    `shared`: there is one link, which every message occupies on its way.
    """

    mesh: Mesh
    base: int
    hop: int
    flit: int
    flit_bytes: int
    table: Sequence[Sequence[int]] | None = None
    contended: bool = False
    shared: bool = False

    def distance(self, src: int, dst: int) -> int:
        """What the head of a message takes from node to node; also what a control message takes."""
        if self.table is not None:
            return self.base + self.table[src][dst]  # MEMORY is the last entry
        return self.base + self.hops(src, dst) * self.hop

    def hops(self, src: int, dst: int) -> int:
        """Links from node to node."""
        return self.mesh.hops(_mesh_node(src), _mesh_node(dst)) + (src == MEMORY) + (dst == MEMORY)

    def longest(self, nodes: Iterable[int]) -> int:
        """No distance between any of the cores `nodes` and the global memory is longer."""
        if self.table is not None:
            return self.base + max(map(max, self.table))
        rows = max(nodes, default=0) // self.mesh.width + 1
        return self.base + (self.mesh.width + rows + 2) * self.hop

    def route(self, src: int, dst: int) -> tuple[Link, ...]:
        """The links from node to node in the order of travel: first along the row, then along the column."""
        if self.shared:
            return (MEDIUM,)
        first = ((MEMORY, MEMORY_AT),) if src == MEMORY else ()
        last = ((MEMORY_AT, MEMORY),) if dst == MEMORY else ()
        return (*first, *self.mesh.route(_mesh_node(src), _mesh_node(dst)), *last)

    def leap(self, src: int, dst: int) -> int:
        """From when the head of a message enters a link of its route until it enters the next one, or is there."""
        return self.distance(src, dst) - self.base if self.shared else self.hop

    def spacing(self, src: int, dst: int) -> int:
        """How long after each other the flits of a message from node to node come."""
        return self.flit if self.table is None or self.flit else self.table[src][dst]

    def lag(self, src: int, dst: int, wire: int) -> int:
        """How long after its head the tail of a message comes that occupies a link for `wire`."""
        return wire - self.spacing(src, dst) if wire else 0


def network_of(arch: Arch, nodes: Sequence[int]) -> NetworkTimes:
    """The network of a chip that the cores `nodes` use; figures that it lacks count as 0. Raises ArchError."""
    figures = arch.network
    contended = figures.contention in QUEUES
    hop, flit, base = (picoseconds(ns or 0.0) for ns in (figures.hop_ns, figures.flit_ns, figures.base_ns))
    if contended and (not hop or figures.latency_table_ns is not None):
        raise ArchError(
            f'{arch.title}: network.contention = "{figures.contention}" follows messages hop by hop: give '
            "network.hop_ns above 0 and no network.latency_table_ns"
        )
    rows = figures.latency_table_ns
    if rows is not None and max(nodes, default=0) >= len(rows) - 1:
        raise ArchError(
            f"{arch.title}: network.latency_table_ns has {len(rows)} rows, the last one for the global memory, but the "
            f"programs use core {max(nodes)}: give a row and a column for each core"
        )
    table = None if rows is None else [[picoseconds(ns) for ns in row] for row in rows]
    shared = figures.contention == "shared"
    return NetworkTimes(topology_of(arch), base, hop, flit, figures.flit_bytes or 1, table, contended, shared)


def _mesh_node(node: int) -> int:
    return MEMORY_AT if node == MEMORY else node
