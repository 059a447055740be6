"""Messages between cores in one sample: per pair, and per link of the mesh that they would cross."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from emu.isa.codes import asking
from emu.isa.instruction import Ask
from emu.noc.traffic.topology import loads, topology_of
from emu.noc.traffic.traffic import executions, traffic
from launch.report.subject import Subject


def traffic_rows(subject: Subject) -> list[dict[str, int]]:
    """Per (sender, receiver): `messages` and `bytes` of a sample."""
    messages = Counter[tuple[int, int]]()
    for core, program in subject.programs.items():
        columns = program.main.columns
        sends = np.flatnonzero(asking(columns["op"], Ask.SEND))
        counts = executions(program.main)[sends].tolist()
        for peer, count in zip(columns["arg0"][sends].tolist(), counts, strict=True):
            messages[core, peer] += count
    sizes = sorted(traffic(subject.programs).items())
    return [{"from": pair[0], "to": pair[1], "messages": messages[pair], "bytes": size} for pair, size in sizes]


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
