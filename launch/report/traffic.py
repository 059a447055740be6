"""Messages between cores in one sample: per pair, and per link of the mesh that they would cross."""

from __future__ import annotations

from typing import Any

from emu.census.census import Census
from emu.noc.traffic.topology import loads, topology_of


def traffic_rows(census: Census) -> list[dict[str, int]]:
    """Per (sender, receiver): `messages` and `bytes` of a sample."""
    found = sorted(census.traffic.items())
    return [{"from": src, "to": dst, "messages": count, "bytes": size} for (src, dst), (count, size) in found]


def chip_values(census: Census) -> dict[str, Any]:
    """The mesh: its `width` and `height` in cores, and per link in use the `bytes` of a sample, by XY routing."""
    mesh, cores = topology_of(census.arch), census.arch.cores
    found = loads(mesh, {pair: size for pair, (_, size) in census.traffic.items()})
    return {
        "cores": cores,
        "width": mesh.width,
        "height": -(-cores // mesh.width),
        "byte_hops": found.byte_hops,
        "links": [{"from": src, "to": dst, "bytes": size} for (src, dst), size in sorted(found.links.items())],
    }
