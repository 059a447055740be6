"""The network of chips in time: distances between nodes, and the links that messages wait for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from emu.arch import Arch
from emu.arch.network import QUEUES
from emu.errors import ArchError
from emu.noc.traffic.topology import Chips, Link, Mesh, mesh_of, topology_of
from emu.timing.basis.units import MEMORY, picoseconds

MEMORY_AT = 0  # the core beside whose router the global memory stands, one link further
MEDIUM: Link = (MEMORY, MEMORY)  # the one link that all messages of the first chip share
Step = tuple[Link | None, int]  # a link, or what nothing waits for; how long the head takes to the next step


@dataclass(frozen=True, eq=False)
class ChipLinks:
    """What is between chips. Times in ps: the head of a message takes `latency` per link, flits follow `flit` apart."""

    chips: Chips
    latency: int
    flit: int


@dataclass(frozen=True, eq=False)
class NetworkTimes:
    """Nodes are cores, and MEMORY, the global memory, which is at the first chip. Times in ps.

    The head of a message takes `base`, and on a chip `hop` for each link or the entry of the pair in the `table` [cores
    in order, then the global memory]. Further flits follow `flit` apart; with a table and no `flit` every flit takes
    the whole way after the one before it. `contended`: a message occupies each link of its route. `shared`: a chip has
    one link, which every message occupies on its way. Messages between chips always occupy the `links` they pass.
    """

    mesh: Mesh
    base: int
    hop: int
    flit: int
    flit_bytes: int
    table: Sequence[Sequence[int]] | None = None
    contended: bool = False
    shared: bool = False
    links: ChipLinks | None = None

    @property
    def waits(self) -> bool:
        """Whether messages wait for each other anywhere."""
        return self.contended or self.links is not None

    def passes_links(self, src: int, dst: int) -> bool:
        """Whether messages from node to node wait for others."""
        return self.contended or self._between(src, dst) is not None

    def distance(self, src: int, dst: int) -> int:
        """What the head of a message takes from node to node; also what a control message takes."""
        on_chips = sum(self._on_chip(*stretch) for stretch in self._stretches(src, dst))
        return self.base + on_chips + self.crossings(src, dst) * (self.links.latency if self.links else 0)

    def hops(self, src: int, dst: int) -> int:
        """Links on chips from node to node."""
        return sum(self._hops(*stretch) for stretch in self._stretches(src, dst))

    def crossings(self, src: int, dst: int) -> int:
        """Links between chips from node to node."""
        between = self._between(src, dst)
        return self.links.chips.between.hops(*between) if self.links and between else 0

    def longest(self, nodes: Iterable[int]) -> int:
        """No distance between any of the cores `nodes` and the global memory is longer."""
        if self.table is not None:
            most = max(map(max, self.table))
        else:
            rows = max(map(self._place, nodes), default=0) // self.mesh.width + 1
            most = (self.mesh.width + rows + 2) * self.hop
        if self.links is None:
            return self.base + most
        chips, last = self.links.chips, max(nodes, default=0)
        far = max(max(chips.between.hops(0, c), chips.between.hops(c, 0)) for c in range(chips.chip(last) + 1))
        return self.base + 2 * most + 2 * far * self.links.latency  # by way of the first chip

    def steps(self, src: int, dst: int) -> Iterator[Step]:
        """From node to node in the order of travel; together with `base` the head takes `distance`."""
        first, *rest = self._stretches(src, dst)
        yield from self._steps_on_chip(*first)
        between = self._between(src, dst)
        if self.links is not None and between is not None:
            for link in self.links.chips.links(*between):
                yield link, self.links.latency
        for stretch in rest:
            yield from self._steps_on_chip(*stretch)

    def spacing(self, src: int, dst: int) -> int:
        """How long after each other the flits of a message from node to node come."""
        slowest = max(self._spacing(*stretch) for stretch in self._stretches(src, dst))
        return max(slowest, self.links.flit) if self.links and self._between(src, dst) else slowest

    def lag(self, src: int, dst: int, wire: int) -> int:
        """How long after its head the tail of a message comes that occupies a link for `wire`."""
        return wire - self.spacing(src, dst) if wire else 0

    def _between(self, src: int, dst: int) -> tuple[int, int] | None:
        """The chips of two nodes; None if they are on one."""
        if self.links is None:
            return None
        here, there = (0 if node == MEMORY else self.links.chips.chip(node) for node in (src, dst))
        return (here, there) if here != there else None

    def _stretches(self, src: int, dst: int) -> tuple[Link, ...]:
        """The ends of the way on each chip: all of it, or to where the links of the chip stand and from there."""
        between = self._between(src, dst)
        if self.links is None or between is None:
            return ((src, dst),)
        here, there = map(self.links.chips.gate, between)
        return (src, here), (there, dst)

    def _place(self, node: int) -> int:
        """The number of a core on its chip, or of the one that the global memory is beside."""
        if node == MEMORY:
            return MEMORY_AT
        return node % self.links.chips.cores if self.links else node

    def _on_chip(self, src: int, dst: int) -> int:
        if self.table is None:
            return self._hops(src, dst) * self.hop
        return self.table[self._row(src)][self._row(dst)] if src != dst else 0

    def _row(self, node: int) -> int:
        """The row of a node in the table, in which the global memory is the last one."""
        return MEMORY if node == MEMORY else self._place(node)

    def _spacing(self, src: int, dst: int) -> int:
        return self.flit if self.table is None or self.flit else self._on_chip(src, dst)

    def _hops(self, src: int, dst: int) -> int:
        return self.mesh.hops(self._place(src), self._place(dst)) + (src == MEMORY) + (dst == MEMORY)

    def _steps_on_chip(self, src: int, dst: int) -> Iterator[Step]:
        first = 0 if MEMORY in (src, dst) else src - self._place(src)
        if not self.contended:
            yield None, self._on_chip(src, dst)
        elif self.shared:
            yield MEDIUM if first == 0 else (first, first), self._on_chip(src, dst)
        else:
            if src == MEMORY:
                yield (MEMORY, MEMORY_AT), self.hop
            for one, other in self.mesh.route(self._place(src), self._place(dst)):
                yield (one + first, other + first), self.hop
            if dst == MEMORY:
                yield (MEMORY_AT, MEMORY), self.hop


def network_of(arch: Arch, nodes: Sequence[int]) -> NetworkTimes:
    """The network that the cores `nodes` use; figures that the description lacks count as 0. Raises ArchError."""
    figures = arch.network
    contended = figures.contention in QUEUES
    hop, flit, base = (picoseconds(ns or 0.0) for ns in (figures.hop_ns, figures.flit_ns, figures.base_ns))
    if contended and (not hop or figures.latency_table_ns is not None):
        raise ArchError(
            f'{arch.title}: network.contention = "{figures.contention}" follows messages hop by hop: give '
            "network.hop_ns above 0 and no network.latency_table_ns"
        )
    rows = figures.latency_table_ns
    most = max((node % arch.cores for node in nodes), default=0)
    if rows is not None and most >= len(rows) - 1:
        raise ArchError(
            f"{arch.title}: network.latency_table_ns has {len(rows)} rows, the last one for the global memory, but the "
            f"programs use core {most}: give a row and a column for each core"
        )
    table = None if rows is None else [[picoseconds(ns) for ns in row] for row in rows]
    shared, flit_bytes = figures.contention == "shared", figures.flit_bytes or 1
    links = _chip_links(arch, nodes, flit_bytes)
    return NetworkTimes(mesh_of(arch), base, hop, flit, flit_bytes, table, contended, shared, links)


def _chip_links(arch: Arch, nodes: Sequence[int], flit_bytes: int) -> ChipLinks | None:
    """The links between chips; None if `nodes` are all on the first one."""
    chips = topology_of(arch)
    if isinstance(chips, Mesh) or max(nodes, default=0) < arch.cores:
        return None
    link = arch.timing.chip_link if arch.timing else None
    latency, speed = (link.latency_ns, link.bandwidth_gb_per_s) if link else (None, None)
    return ChipLinks(chips, picoseconds(latency or 0.0), picoseconds(flit_bytes / speed) if speed else 0)
