"""What programs write to crossbars: cells per instruction, and events, rows and cells per group and per crossbar.

This is the one count of writes: the model of energy, wear, statistics and reports all take it from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch
from emu.isa.codes import WRITES_GROUP
from emu.program.group import OWN, GroupSpec
from emu.program.nesting import executions
from emu.program.program import Program
from emu.program.section import Section


@dataclass(frozen=True, slots=True)
class GroupWrites:
    """What `main` writes to one array group in one sample.

    `events` are executions of `xbwrite` that write a row at least, `rows` those of the group's matrix, `cells` count
    bit slices and both halves of differential pairs. `bank` is its first crossbar in the core's bank, OWN for a group
    with crossbars of its own, `crossbars` how many logical ones it has; `nodes` are whose writes they are.
    """

    core: int
    group: int
    bank: int
    crossbars: int
    nodes: tuple[str, ...]
    events: int
    rows: int
    cells: int


@dataclass(frozen=True, slots=True)
class CrossbarWrites:
    """What is written to one logical crossbar in one sample: `place` in the core's bank, or of `group` (OWN: the bank).

    `arrays` are the physical crossbars that it takes, all of them written at once, `size` the cells that they have.
    """

    core: int
    group: int
    place: int
    arrays: int
    size: int
    events: int
    rows: int
    cells: int

    @property
    def name(self) -> str:
        """Which one it is, within a chip."""
        where = "the bank" if self.group == OWN else f"group {self.group}"
        return f"core {self.core}, crossbar {self.place} of {where}"

    @property
    def writes_per_cell(self) -> float:
        """How often a cell is written per sample, if writes are spread evenly over the crossbar."""
        return self.cells / self.size


@dataclass(frozen=True, slots=True)
class Writes:
    """All that programs write in one sample, by group and by crossbar; both in order of cores."""

    groups: tuple[GroupWrites, ...]
    crossbars: tuple[CrossbarWrites, ...]

    def total(self, figure: str) -> int:
        """The sum of `events`, `rows` or `cells` of all groups."""
        return sum(getattr(group, figure) for group in self.groups)

    def of_core(self, core: int) -> Writes:
        """Those of one core."""
        return Writes(
            tuple(group for group in self.groups if group.core == core),
            tuple(crossbar for crossbar in self.crossbars if crossbar.core == core),
        )

    @property
    def arrays(self) -> int:
        """Physical crossbars that are written."""
        return sum(crossbar.arrays for crossbar in self.crossbars)

    @property
    def size(self) -> int:
        """Cells of all crossbars that are written."""
        return sum(crossbar.size for crossbar in self.crossbars)

    @property
    def most_worn(self) -> CrossbarWrites | None:
        """The crossbar with the most writes per cell, the first of such; None if nothing is written."""
        return max(self.crossbars, key=lambda crossbar: crossbar.writes_per_cell, default=None)


def written_cells(section: Section, groups: Sequence[GroupSpec], arch: Arch) -> np.ndarray:
    """Cells that one execution of each instruction writes, int64 [instructions]."""
    columns = section.columns
    each = np.array([group.cols * arch.weight_cells(group.weight) for group in groups] or [0], np.int64)
    writes = WRITES_GROUP[columns["op"]]
    return np.where(writes, columns["n"] * each[np.where(writes, columns["arg0"], 0)], 0)


def writes_by_instruction(program: Program, arch: Arch) -> np.ndarray:
    """Events, rows and cells that each instruction of `main` writes in one sample, int64 [3, instructions]."""
    columns, times = program.main.columns, executions(program.main)
    times = np.where(WRITES_GROUP[columns["op"]] & (columns["n"] > 0), times, 0)
    return np.stack((times, times * columns["n"], times * written_cells(program.main, program.groups, arch)))


def writes_of(programs: Mapping[int, Program], arch: Arch) -> Writes:
    """What validated programs, by core, write in one sample on a chip."""
    groups, crossbars = list[GroupWrites](), list[CrossbarWrites]()
    for core in sorted(programs):
        uses = list(_uses(programs[core]))
        groups += _groups(programs[core], uses, arch)
        crossbars += _crossbars(programs[core], uses, arch)
    return Writes(tuple(groups), tuple(crossbars))


@dataclass(frozen=True, eq=False, slots=True)
class _Use:
    """The instructions of `main` that write a group: `index`, how often each runs, rows [`first`, `last`) of each."""

    group: int
    index: np.ndarray
    times: np.ndarray
    first: np.ndarray
    last: np.ndarray


def _uses(program: Program) -> Iterator[_Use]:
    columns, times = program.main.columns, executions(program.main)
    index = np.flatnonzero(WRITES_GROUP[columns["op"]] & (times > 0) & (columns["n"] > 0))
    for group in np.unique(columns["arg0"][index]).tolist():
        mine = index[columns["arg0"][index] == group]
        first = columns["arg1"][mine].astype(np.int64)
        yield _Use(group, mine, times[mine], first, first + columns["n"][mine])


def _groups(program: Program, uses: Sequence[_Use], arch: Arch) -> Iterator[GroupWrites]:
    each = writes_by_instruction(program, arch)
    for use in uses:
        spec = program.groups[use.group]
        sources = np.unique(program.main.columns["source"][use.index]).tolist()
        nodes = dict.fromkeys(program.sources[source].node if source >= 0 else "" for source in sources)
        yield GroupWrites(
            program.core,
            use.group,
            spec.bank,
            spec.crossbars,
            tuple(node for node in nodes if node),
            *each[:, use.index].sum(axis=1).tolist(),
        )


def _crossbars(program: Program, uses: Sequence[_Use], arch: Arch) -> Iterator[CrossbarWrites]:
    """Tiles of rows and columns of a group are its crossbars, row by row; those of the bank gather several groups'."""
    found: dict[tuple[int, int], np.ndarray] = {}  # events, rows, cells by group (OWN: the bank) and place
    for use in uses:
        spec = program.groups[use.group]
        each = arch.weight_cells(spec.weight)
        edges = np.cumsum((0, *spec.row_tiles))
        for tile, (begin, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            rows = np.maximum(np.minimum(use.last, end) - np.maximum(use.first, begin), 0)
            events, written = int((use.times * (rows > 0)).sum()), int((use.times * rows).sum())
            if not events:
                continue
            for column, width in enumerate(spec.col_tiles):
                place = max(spec.bank, 0) + tile * len(spec.col_tiles) + column
                sums = found.setdefault((OWN if spec.shares else use.group, place), np.zeros(3, np.int64))
                sums += (events, written, written * width * each)
    arrays = [arch.arrays(arch.own_slices(spec.weight)) for spec in program.groups]
    of_bank = max((count for count, spec in zip(arrays, program.groups, strict=True) if spec.shares), default=0)
    for (group, place), sums in sorted(found.items()):
        count = of_bank if group == OWN else arrays[group]
        size = count * arch.crossbar.rows * arch.crossbar.cols
        yield CrossbarWrites(program.core, group, place, count, size, *sums.tolist())
