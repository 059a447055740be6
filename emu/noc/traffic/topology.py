"""Routes, hops and bytes per link of chips and what connects them: real messages do not travel along them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Protocol

from emu.arch import Arch
from emu.arch.system import System
from emu.errors import ArchError

Link = tuple[int, int]  # neighbouring nodes, in the direction of travel


@dataclass(frozen=True, slots=True)
class Mesh:
    """A two-dimensional mesh with XY routing; node n stands at column n % width, row n // width.

    If it has only so many nodes (`count` above 0), its last row may end before the others.
    """

    width: int
    count: int = 0

    def route(self, src: int, dst: int) -> Iterator[Link]:
        """The links from `src` to `dst`: first along the row, then along the column.

        The other way round where the row of `src` ends before the column of `dst`.
        """
        corner = src - src % self.width + dst % self.width
        if self.count and corner >= self.count:
            corner = dst - dst % self.width + src % self.width
        yield from self._straight(src, corner)
        yield from self._straight(corner, dst)

    def _straight(self, src: int, dst: int) -> Iterator[Link]:
        """The links between two nodes of a row or of a column."""
        step = _sign(dst - src) * (1 if src // self.width == dst // self.width else self.width)
        while src != dst:
            yield src, src + step
            src += step

    def hops(self, src: int, dst: int) -> int:
        """Number of links from `src` to `dst`."""
        rows = dst // self.width - src // self.width
        return abs(dst % self.width - src % self.width) + abs(rows)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


@dataclass(frozen=True, slots=True)
class Ring:
    """So many nodes in a ring; of two ways that are as long the ascending one is taken."""

    count: int

    def route(self, src: int, dst: int) -> Iterator[Link]:
        """The links from `src` to `dst`."""
        ahead = (dst - src) % self.count
        step = 1 if 2 * ahead <= self.count else -1
        for hop in range(self.hops(src, dst)):
            yield (src + step * hop) % self.count, (src + step * (hop + 1)) % self.count

    def hops(self, src: int, dst: int) -> int:
        """Number of links from `src` to `dst`."""
        ahead = (dst - src) % self.count
        return min(ahead, self.count - ahead)


@dataclass(frozen=True, slots=True)
class Switch:
    """So many nodes with a link each to a switch, which is the node behind the last one."""

    count: int

    def route(self, src: int, dst: int) -> Iterator[Link]:
        """The links from `src` to `dst`."""
        if src != dst:
            yield from ((src, self.count), (self.count, dst))

    def hops(self, src: int, dst: int) -> int:
        """Number of links from `src` to `dst`."""
        return 2 * (src != dst)


class Topology(Protocol):
    """How nodes are connected."""

    def route(self, src: int, dst: int) -> Iterator[Link]:
        """The links from `src` to `dst` in the order of travel."""
        ...

    def hops(self, src: int, dst: int) -> int:
        """Number of links from `src` to `dst`."""
        ...


@dataclass(frozen=True, slots=True)
class Chips:
    """Chips of so many `cores`, numbered through, each a `mesh`; their first cores are connected as `between` says."""

    mesh: Mesh
    cores: int
    between: Topology

    def route(self, src: int, dst: int) -> Iterator[Link]:
        """The links from core to core: on the chip, or to its first core, to that of the other chip, and from there."""
        here, there = self.chip(src), self.chip(dst)
        if here == there:
            yield from self.on_chip(src, dst)
        else:
            yield from self.on_chip(src, self.gate(here))
            yield from self.links(here, there)
            yield from self.on_chip(self.gate(there), dst)

    def hops(self, src: int, dst: int) -> int:
        """Number of links from core to core."""
        here, there = self.chip(src), self.chip(dst)
        if here == there:
            return self.mesh.hops(src % self.cores, dst % self.cores)
        on_chips = self.mesh.hops(src % self.cores, 0) + self.mesh.hops(0, dst % self.cores)
        return on_chips + self.between.hops(here, there)

    def chip(self, core: int) -> int:
        """The chip of a core."""
        return core // self.cores

    def gate(self, chip: int) -> int:
        """The core beside whose router the links of a chip stand."""
        return chip * self.cores

    def on_chip(self, src: int, dst: int) -> Iterator[Link]:
        """The links between two cores of one chip."""
        first = self.gate(self.chip(src))
        for one, other in self.mesh.route(src - first, dst - first):
            yield one + first, other + first

    def links(self, src: int, dst: int) -> Iterator[Link]:
        """The links from chip to chip, each named by the first cores of its ends; a switch is behind the last core."""
        for one, other in self.between.route(src, dst):
            yield self.gate(one), self.gate(other)


def mesh_of(arch: Arch) -> Mesh:
    """The mesh of one chip; raises ArchError for a topology that is unknown."""
    if arch.network.topology not in TOPOLOGIES:
        known = ", ".join(TOPOLOGIES)
        raise ArchError(f"{arch.title}: network.topology {arch.network.topology!r} is not one of {known}")
    return TOPOLOGIES[arch.network.topology](arch.mesh_width)


def topology_of(arch: Arch) -> Mesh | Chips:
    """The topology of all cores; raises ArchError for one that is unknown."""
    mesh, system = mesh_of(arch), arch.system
    if system.chips == 1:
        return mesh
    return Chips(mesh, arch.cores, CONNECTIONS[system.topology](system))


TOPOLOGIES = {"mesh": Mesh}
CONNECTIONS: Mapping[str, Callable[[System], Topology]] = {
    "mesh": lambda system: Mesh(system.width or isqrt(system.chips - 1) + 1, system.chips),
    "ring": lambda system: Ring(system.chips),
    "switch": lambda system: Switch(system.chips),
}


@dataclass(frozen=True, slots=True)
class Loads:
    """What traffic does to a topology: bytes over each link, and sums over all messages."""

    links: dict[Link, int]
    total: int  # bytes sent
    byte_hops: int  # bytes times links crossed


def loads(topology: Topology, traffic: Mapping[tuple[int, int], int]) -> Loads:
    """Route `traffic`, bytes per (sender, receiver), over `topology`."""
    links: dict[Link, int] = {}
    for (src, dst), count in traffic.items():
        for link in topology.route(src, dst):
            links[link] = links.get(link, 0) + count
    total = sum(traffic.values())
    return Loads(links, total, sum(links.values()))
