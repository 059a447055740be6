"""The network of a chip: its form, and what messages take on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emu.arch.checks import NumberCheck, Square, TextCheck
from emu.arch.key import COUNT, POSITIVE_TIME, TIME, key
from emu.wording import counted

TOPOLOGIES = ("mesh",)
QUEUES = ("links", "shared")  # where messages wait for each other
CONTENTION = ("none", *QUEUES)


def _latency_rows(network: Network, arch: Any) -> str:
    """What is wrong with a table of latencies that has not a row for each node."""
    rows, nodes = len(network.latency_table_ns or ()), arch.cores + 1
    missing = f"has {counted(rows, 'row')}, not {nodes}: one for each core, and one for global memory"
    return missing if rows != nodes else ""


def _beside_table(network: Network, arch: Any) -> str:
    """What is wrong with times of hops beside a table of latencies."""
    return "is given beside latency_table_ns: leave one of them out" if network.latency_table_ns else ""


def _queued(network: Network, arch: Any) -> str:
    """What is wrong with queues at links of which a table of latencies knows nothing."""
    wrong = network.latency_table_ns and network.contention in QUEUES
    return f'is "{network.contention}" beside latency_table_ns, which knows no links' if wrong else ""


@dataclass(frozen=True, slots=True)
class Network:
    """The network on chip; the topology is accounting beside the transport."""

    topology: str = key(TextCheck(TOPOLOGIES), "how cores are connected", "mesh")
    width: int = key(
        NumberCheck(0, 1 << 16),
        "columns of the mesh, cores being numbered row by row; 0: the smallest square that holds all cores",
        0,
        conflict=lambda network, arch: (
            f"{network.width} exceeds the {counted(arch.cores, 'core')}" if network.width > arch.cores else ""
        ),
    )
    contention: str | None = key(
        TextCheck(CONTENTION),
        "whether messages wait for each other: at `links`, or as all of them pass one `shared` medium, such as the"
        " buffer or bus of the chip; without it `none`",
        conflict=_queued,
    )
    flit_bytes: int | None = key(COUNT, "bytes that move over a link at once", zero_if_absent=True)
    flit_ns: float | None = key(POSITIVE_TIME, "a flit entering a link behind the one before it", zero_if_absent=True)
    base_ns: float | None = key(TIME, "what every message takes, however far it goes", conflict=_beside_table)
    hop_ns: float | None = key(
        TIME, "the first flit of a message passing one router and one link", zero_if_absent=True, conflict=_beside_table
    )
    latency_table_ns: tuple[tuple[float, ...], ...] | None = key(
        Square(),
        "in place of hops: time of a flit from each node (row) to each (column): cores in order, then global memory",
        conflict=_latency_rows,
    )
