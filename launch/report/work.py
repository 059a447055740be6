"""What every core does for every node in one sample: instructions, multiplications, messages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from emu.noc.traffic.traffic import executions
from emu.program.program import Program
from launch.images.counts import by_count, by_mnemonic
from launch.images.mapping import map_nodes
from launch.images.summary import messages_of, rows_by_node
from launch.report.subject import Subject


@dataclass(slots=True)
class Share:
    """The part of a core in a node. `executed` counts by mnemonic, loops as often as they run."""

    core: int
    node: str
    instructions: int = 0  # of the program, the body of a loop counted once
    executed: Counter[str] = field(default_factory=Counter[str])
    macs: int = 0
    messages: int = 0
    bytes: int = 0


def shares(subject: Subject) -> list[Share]:
    """Of all cores and the nodes that they work for, by core."""
    found: dict[tuple[int, str], Share] = {}
    for core, program in sorted(subject.programs.items()):
        mapped = map_nodes(subject.image.manifest, {core: program}, {})
        macs = {node.node: node.macs for node in mapped.nodes}
        times = executions(program.main)
        for source, rows in rows_by_node(program):
            node = subject.owner(source)
            if (core, node) not in found:
                found[core, node] = Share(core, node, macs=macs.get(node, 0))
            _add(found[core, node], program, rows, times)
    return list(found.values())


def _add(share: Share, program: Program, rows: np.ndarray, times: np.ndarray) -> None:
    share.instructions += int(rows.sum())
    share.executed.update(by_mnemonic(program.main.columns["op"][rows], times[rows]))
    messages, size = messages_of(program, rows)
    share.messages += messages
    share.bytes += size


def mix(parts: list[Share]) -> dict[str, int]:
    """How often each instruction runs in a sample, the most frequent one first."""
    return by_count(sum((share.executed for share in parts), Counter[str]()))
