"""Routes, hops and bytes per link of a mesh: for reports only, real messages do not travel along them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from emu.arch import Arch
from emu.errors import ArchError

Link = tuple[int, int]  # neighbouring nodes, in the direction of travel


@dataclass(frozen=True, slots=True)
class Mesh:
    """A two-dimensional mesh with XY routing; node n stands at column n % width, row n // width."""

    width: int

    def route(self, src: int, dst: int) -> Iterator[Link]:
        """The links from `src` to `dst`: first along the row, then along the column."""
        here = src
        while here != dst:
            across = dst % self.width - here % self.width
            step = _sign(across) if across else self.width * _sign(dst - here)
            yield here, here + step
            here += step

    def hops(self, src: int, dst: int) -> int:
        """Number of links from `src` to `dst`."""
        rows = dst // self.width - src // self.width
        return abs(dst % self.width - src % self.width) + abs(rows)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def topology_of(arch: Arch) -> Mesh:
    """The topology of an architecture; raises ArchError for one that is unknown."""
    if arch.network.topology not in TOPOLOGIES:
        known = ", ".join(TOPOLOGIES)
        raise ArchError(f"{arch.title}: network.topology {arch.network.topology!r} is not one of {known}")
    return TOPOLOGIES[arch.network.topology](arch.mesh_width)


TOPOLOGIES = {"mesh": Mesh}


@dataclass(frozen=True, slots=True)
class Loads:
    """What traffic does to a topology: bytes over each link, and sums over all messages."""

    links: dict[Link, int]
    total: int  # bytes sent
    byte_hops: int  # bytes times links crossed


def loads(mesh: Mesh, traffic: Mapping[tuple[int, int], int]) -> Loads:
    """Route `traffic`, bytes per (sender, receiver), over `mesh`."""
    links: dict[Link, int] = {}
    for (src, dst), count in traffic.items():
        for link in mesh.route(src, dst):
            links[link] = links.get(link, 0) + count
    total = sum(traffic.values())
    return Loads(links, total, sum(links.values()))
