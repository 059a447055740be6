"""The table of what programs hold and do in one sample: a row for each core and node, and what is of a core alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.census.counts import NUMBERS, InstructionCounts, summed
from emu.census.footprint import memory_high_water, written_ranges
from emu.census.instructions import MULTIPLIES, by_mnemonic, bytes_of, macs_of
from emu.census.nodes import nodes_of
from emu.image.reader import Image
from emu.intervals import merge
from emu.isa.instruction import RequestKind
from emu.noc.domains.cut import Cut, cut_of
from emu.noc.domains.graph import Exchanged
from emu.noc.traffic.topology import topology_of
from emu.noc.traffic.traffic import MEMORY, exchanged, with_memory
from emu.operands.accesses import make_accesses
from emu.program.group import GroupSpec, cells_of, physical_crossbars
from emu.program.nesting import executions
from emu.program.program import Program
from emu.replay.writes import writes_by_instruction


@dataclass(frozen=True, slots=True)
class Share:
    """What a core does for a node: the array groups that it multiplies with, and bytes of local memory it writes."""

    core: int
    node: str
    counts: InstructionCounts
    groups: tuple[int, ...]
    memory: int


@dataclass(frozen=True, eq=False)
class CoreCensus:
    """One core: its shares in nodes, in the order of the source map, and what belongs to no node alone.

    `init` are instructions of the section that runs once per power-on, `memory` the byte of local memory behind the
    last one that is touched. `crossbars` are physical ones; `cells` are those of the crossbars in use and `weights`
    those of them that hold one, bit slices not counted.
    """

    core: int
    shares: tuple[Share, ...]
    groups: tuple[GroupSpec, ...]
    init: int
    memory: int
    crossbars: int
    weights: int
    cells: int

    @cached_property
    def counts(self) -> InstructionCounts:
        """Of all nodes together."""
        return summed(share.counts for share in self.shares)

    @property
    def instructions(self) -> int:
        """Of the program, the body of a loop counted once, `init` too."""
        return self.init + self.counts.written.total()

    @property
    def weight_bytes(self) -> int:
        """Bytes of the matrices of all groups."""
        return sum(group.rows * group.cols * group.weight.size for group in self.groups)


@dataclass(frozen=True, eq=False)
class Census:
    """All cores that have a program, in order, on the chip that their numbers are of.

    `traffic` are messages and bytes from the first to the second core of each pair, `with_memory` the same with what is
    loaded and stored, by the number `MEMORY`.
    """

    arch: Arch
    cores: Mapping[int, CoreCensus]
    with_memory: Exchanged

    @cached_property
    def traffic(self) -> Exchanged:
        """Of cores with each other."""
        return {pair: what for pair, what in self.with_memory.items() if MEMORY not in pair}

    @cached_property
    def total(self) -> InstructionCounts:
        """Of all cores."""
        return summed(core.counts for core in self.cores.values())

    def sum(self, figure: str) -> int:
        """The sum of a number that each core has."""
        return sum(getattr(core, figure) for core in self.cores.values())

    @property
    def crossbar_share(self) -> float:
        """Of the crossbars of the cores that have a program, the share in use."""
        there = len(self.cores) * self.arch.core.crossbars
        return self.sum("crossbars") / there if there else 0.0

    @property
    def cell_share(self) -> float:
        """Of the cells of the crossbars in use, the share that holds weights."""
        return share_of(self.sum("weights"), self.sum("cells"))

    @property
    def memory(self) -> int:
        """Bytes of local memory in the core that takes most."""
        return max((core.memory for core in self.cores.values()), default=0)

    @property
    def byte_hops(self) -> int:
        """Bytes of messages times the links of the mesh that they cross."""
        mesh = topology_of(self.arch)
        return sum(size * mesh.hops(*pair) for pair, (_, size) in self.traffic.items())

    @cached_property
    def between_chips(self) -> Cut:
        """The chip of each core and of the global memory, and what crosses from chip to chip."""
        chips = {core: core // self.arch.cores for core in self.cores}
        return cut_of(self.with_memory, chips | {MEMORY: 0})

    def by_node(self, owner: Callable[[str], str] = str) -> dict[str, list[Share]]:
        """The shares in each node, by core; names of which `owner` makes the same are one node."""
        found: dict[str, dict[int, list[Share]]] = {}
        for core in self.cores.values():
            for share in core.shares:
                found.setdefault(owner(share.node), {}).setdefault(core.core, []).append(share)
        return {node: [_joined(node, parts) for parts in by_core.values()] for node, by_core in found.items()}

    def groups_of(self, shares: Iterable[Share]) -> list[GroupSpec]:
        """The array groups that shares multiply with."""
        return [self.cores[share.core].groups[number] for share in shares for number in share.groups]


def share_of(part: int, whole: int) -> float:
    """How much of the whole a part is, 0 of nothing."""
    return part / whole if whole else 0.0


def census_of(programs: Mapping[int, Program], arch: Arch) -> Census:
    """The census of validated programs, by core, on a chip."""
    cores = {core: _core(programs[core], arch) for core in sorted(programs)}
    return Census(arch, cores, with_memory(programs))


def census_of_image(image: Image) -> Census:
    """The census of an image that runs on cores."""
    return census_of({core: image.program(core) for core in image.cores}, image.arch)


def _core(program: Program, arch: Arch) -> CoreCensus:
    weights, cells = cells_of(program.groups, arch)
    return CoreCensus(
        program.core,
        tuple(_shares(program, arch)),
        tuple(program.groups),
        len(program.init),
        memory_high_water(program),
        physical_crossbars(program.groups, arch),
        weights,
        cells,
    )


def _shares(program: Program, arch: Arch) -> Iterable[Share]:
    op, times = program.main.columns["op"], executions(program.main)
    accesses = make_accesses(program.main, program.groups)
    writer, begin, end = written_ranges(accesses)
    columns = _by_instruction(program, arch) | bytes_of(accesses)
    names, at = nodes_of(program)
    sums = np.zeros((len(NUMBERS), len(names)), np.int64)
    for row, name in zip(sums, NUMBERS, strict=True):
        np.add.at(row, at, columns[name])
    for number, name in enumerate(names):
        rows, mine = at == number, at[writer] == number
        yield Share(
            program.core,
            name,
            InstructionCounts(
                by_mnemonic(op[rows], np.ones_like(times[rows])),
                by_mnemonic(op[rows], times[rows]),
                *sums[:, number].tolist(),
            ),
            tuple(np.unique(program.main.columns["arg0"][rows & MULTIPLIES[op]]).tolist()),
            merge(begin[mine], end[mine]).size,
        )


def _by_instruction(program: Program, arch: Arch) -> dict[str, np.ndarray]:
    messages, sent = exchanged(program.main, RequestKind.SEND)
    _, received = exchanged(program.main, RequestKind.RECV)
    writes = zip(("write_events", "written_rows", "written_cells"), writes_by_instruction(program, arch), strict=True)
    return {"messages": messages, "sent": sent, "received": received, "macs": macs_of(program), **dict(writes)}


def _joined(node: str, parts: list[Share]) -> Share:
    """Parts of one core as one; `memory` is that of all of them, though they may write the same bytes."""
    if len(parts) == 1 and parts[0].node == node:
        return parts[0]
    groups = dict.fromkeys(number for part in parts for number in part.groups)
    counts = summed(part.counts for part in parts)
    return Share(parts[0].core, node, counts, tuple(groups), sum(part.memory for part in parts))
