"""On which host each core of a run stands: in blocks, so that little crosses between hosts, or as a file says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emu.errors import InputError, option, shown
from emu.files import read_text
from emu.noc.domains.cut import Cut, cheapest, cut_of
from emu.noc.domains.graph import Exchanged, Graph, Price, graph_of
from emu.noc.domains.refine import used
from emu.noc.traffic.traffic import MEMORY
from emu.toml_lines import line_of
from emu.wording import counted, nearest
from launch.machines.capacities import HostCapacity, check_memory, memories, shares_of
from launch.text.units import ranges, size_text

# Between hosts: a message waits for its answer, bytes for their turn. Seconds; of the order of 10 Gbit/s Ethernet.
ROUND_TRIP, BYTE = 1e-4, 1e-9
LAUNCHER = "launcher"  # in files, and in what people read
HERE = HostCapacity(LAUNCHER, 0, near=True)  # takes no cores by itself
SLACK = 16  # a cut may give a host one core more for so many that are its share
MAX_FILE = 1 << 24  # bytes
_RANGE = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class HostCores:
    """The cores of each host, ascending, the launcher's first; and what crosses between hosts in a sample.

    Global memory stands on the launcher's. `messages` and `nbytes` are what all cores exchange, with it, too.
    """

    hosts: tuple[str, ...]
    cores: tuple[tuple[int, ...], ...]
    cut: Cut
    messages: int
    nbytes: int

    def lines(self) -> list[str]:
        """The cut as text: what crosses, and the cores of each host."""
        crossing = f"{counted(self.cut.messages, 'message')} with {size_text(self.cut.bytes)}"
        held = [
            f"{name}: {counted(len(cores), 'core')} ({ranges(cores)})"
            for name, cores in zip(self.hosts, self.cores, strict=True)
            if cores
        ]
        return [
            f"between hosts {crossing} per sample, of {self.messages} with {size_text(self.nbytes)} in all",
            *held,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "messages": self.cut.messages,
            "bytes": self.cut.bytes,
            "of_each": [
                {"host": name, "cores": list(cores)} for name, cores in zip(self.hosts, self.cores, strict=True)
            ],
            "pairs": [
                {"from": self.hosts[one], "to": self.hosts[other], "messages": messages, "bytes": nbytes}
                for (one, other), (messages, nbytes) in sorted(self.cut.crossing.items())
            ],
        }


def host_cores(
    how: str,
    exchanged: Exchanged,
    needs: Mapping[int, int],
    hosts: Sequence[HostCapacity],
    launcher: HostCapacity = HERE,
    idle: Collection[int] = (),
) -> HostCores:
    """The host of each core, as `how` says: one of `WAYS`, or a TOML file with the cores of each host.

    `exchanged` are messages and bytes per sample by (sender, receiver), `MEMORY` for the global memory; `needs` are the
    bytes of memory that each core takes, at least. Those that are `idle` have no program: every host takes its share of
    them, too, and no cut counts them. A file may give cores to `LAUNCHER`, too, beside the memory node. Raises
    InputError, also if a host has too little memory.
    """
    cores, everywhere = _spread(needs, idle), [launcher, *hosts]
    if how in WAYS:
        room = [[int(core not in idle), needs[core]] for core in cores]
        graph = graph_of(exchanged, [*cores, MEMORY], [*room, [0, 0]], Price(ROUND_TRIP, BYTE))
        domains = WAYS[how](graph, everywhere)
    else:
        domains = _of_file(Path(how), cores, [host.name for host in everywhere])
    check_memory(needs, domains, everywhere)
    leaving = {pair: what for pair, what in exchanged.items() if not _stays_near(pair, domains, everywhere)}
    return HostCores(
        tuple(host.name for host in everywhere),
        tuple(tuple(sorted(core for core in cores if domains[core] == host)) for host in range(len(everywhere))),
        cut_of(leaving, {**domains, MEMORY: 0}),
        sum(messages for messages, _ in exchanged.values()),
        sum(nbytes for _, nbytes in exchanged.values()),
    )


def _spread(cores: Collection[int], idle: Collection[int]) -> list[int]:
    """The cores in their order, with the `idle` ones evenly between the others: so are they in any block."""
    kinds = [[core for core in cores if (core in idle) == without] for without in (False, True)]
    places = {core: (number + 0.5) / len(kind) for kind in kinds for number, core in enumerate(kind)}
    return sorted(cores, key=lambda core: (places[core], core in idle))


def _stays_near(pair: tuple[int, int], domains: Mapping[int, int], hosts: Sequence[HostCapacity]) -> bool:
    """Whether it is a load or a store that does not leave the launcher's machine."""
    return MEMORY in pair and hosts[domains[max(pair)]].near


def _in_blocks(graph: Graph, hosts: Sequence[HostCapacity]) -> dict[int, int]:
    shares = shares_of(graph.needs[:-1, 1].tolist(), hosts)
    blocks = np.repeat(np.arange(len(hosts)), shares).tolist()
    return dict(zip(graph.nodes, [*blocks, 0], strict=True))


def _by_cut(graph: Graph, hosts: Sequence[HostCapacity]) -> dict[int, int]:
    """Never more is crossed than with blocks, which keep shares exactly."""
    blocks = _in_blocks(graph, hosts)
    check_memory(dict(zip(graph.nodes[:-1], graph.needs[:-1, 1].tolist(), strict=True)), blocks, hosts)
    own = used(graph, np.array(list(blocks.values())), len(hosts))
    cores = own[:, 0] + -(-own[:, 0] // SLACK)
    room = np.column_stack((cores, np.maximum(own[:, 1], memories(hosts, int(graph.needs[:, 1].sum())))))
    distances = np.ones((len(hosts), len(hosts))) - np.eye(len(hosts))
    distances[0] = distances[:, 0] = [not host.near for host in hosts]
    return cheapest(graph, room.tolist(), distances, {MEMORY: 0}, blocks)


WAYS: Mapping[str, Callable[[Graph, Sequence[HostCapacity]], dict[int, int]]] = {"block": _in_blocks, "cut": _by_cut}


def _of_file(path: Path, cores: Sequence[int], hosts: Sequence[str]) -> dict[int, int]:
    """The host of each core by a file such as `h1 = "0-15, 20"`; hosts that it does not name take none."""
    try:
        text = read_text(path, MAX_FILE)
    except InputError as error:
        raise InputError(f"{error}; {option('host_cores')} takes {' or '.join(WAYS)}, or a file of TOML") from None
    try:
        tables = tomllib.loads(text)
    except ValueError as error:
        raise InputError(f'{path}: {error}: give the cores of each host, such as {hosts[1]} = "0-15, 20"') from None
    index, known, found = {name: number for number, name in enumerate(hosts)}, set(cores), dict[int, int]()
    for name, value in tables.items():
        where = f"{path}, line {line_of(text, (name,))}"
        if name not in index:
            raise InputError(f"{where}: there is no host {shown(name)}{nearest(name, index)}: use {', '.join(index)}")
        for core in _listed(value, where):
            if core not in known:
                raise InputError(f"{where}: the run has no core {core}: it has cores {ranges(cores)}")
            if found.setdefault(core, index[name]) != index[name]:
                raise InputError(f"{where}: core {core} is on host {hosts[found[core]]} already: name it once")
    missing = known - found.keys()
    if missing:
        raise InputError(f"{path}: no host has {counted(len(missing), 'core')} {ranges(missing)}: name each core once")
    return found


def _listed(value: Any, where: str) -> Iterator[int]:
    """The cores of a text of numbers and ranges, as they are asked for: a range may be long."""
    for part in value.split(",") if isinstance(value, str) else [""]:
        found = _RANGE.fullmatch(part.strip())
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise InputError(f'{where}: {shown(value)} is no list of cores: write them such as "0-15, 20"')
        yield from range(int(found[1]), int(found[2] or found[1]) + 1)
