"""Messages between cores in one sample: per pair, and per link of the mesh that they would cross."""

from __future__ import annotations

from typing import Any

from emu.noc.traffic.topology import loads, topology_of
from emu.noc.traffic.traffic import messages_and_bytes, traffic
from launch.report.subject import Subject


def traffic_rows(subject: Subject) -> list[dict[str, int]]:
    """Per (sender, receiver): `messages` and `bytes` of a sample."""
    found = sorted(messages_and_bytes(subject.programs).items())
    return [{"from": src, "to": dst, "messages": count, "bytes": size} for (src, dst), (count, size) in found]


def chip_values(subject: Subject) -> dict[str, Any]:
    """The mesh: its `width` and `height` in cores, and per link in use the `bytes` of a sample, by XY routing."""
    mesh = topology_of(subject.arch)
    found = loads(mesh, traffic(subject.programs))
    return {
        "cores": subject.arch.cores,
        "width": mesh.width,
        "height": -(-subject.arch.cores // mesh.width),
        "byte_hops": found.byte_hops,
        "links": [{"from": src, "to": dst, "bytes": size} for (src, dst), size in sorted(found.links.items())],
    }
