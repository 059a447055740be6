"""What the programs of an image hold and do in one sample, by core and in total."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.arch import Arch
from emu.isa.table import LOOP
from emu.noc.traffic.traffic import executions
from emu.program.group import cells_of, physical_crossbars
from emu.program.program import Program
from emu.replay.writes import writes_of
from launch.images.counts import by_count, by_mnemonic, bytes_moved, macs_of
from launch.images.summary import messages_of

if TYPE_CHECKING:
    from launch.timing.wear import Wear


@dataclass(frozen=True, slots=True)
class Counts:
    """Of the section `main` of one core, or of several together; times and bytes are those of one sample.

    `written` counts the rows of the program by mnemonic, `unrolled` how often they run; there loops are no
    instructions. `cells` are those of the crossbars in use, `weights` those of them that hold one (bit slices not
    counted, though `crossbars` are physical ones). Of writes to crossbars: how often, rows, and cells with bit slices.
    """

    written: Counter[str] = field(default_factory=Counter[str])
    unrolled: Counter[str] = field(default_factory=Counter[str])
    init: int = 0  # instructions of the section that runs once per power-on
    local_read: int = 0
    local_written: int = 0
    loaded: int = 0
    stored: int = 0
    sent: int = 0
    received: int = 0
    messages: int = 0
    macs: int = 0
    crossbars: int = 0
    weights: int = 0
    cells: int = 0
    write_events: int = 0
    written_rows: int = 0
    written_cells: int = 0

    @property
    def cell_share(self) -> float:
        """Of the cells of the crossbars in use, the share that holds weights."""
        return self.weights / self.cells if self.cells else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found = {part.name: getattr(self, part.name) for part in fields(self)}
        totals = {"instructions": self.written.total(), "executed": self.unrolled.total()}
        mixes = {name: by_count(found[name]) for name in ("written", "unrolled")}
        return totals | found | mixes | {"cell_share": self.cell_share}


def counts_of(program: Program, arch: Arch) -> Counts:
    """The counts of one validated program."""
    op, times = program.main.columns["op"], executions(program.main)
    moved = bytes_moved(program)
    weights, cells = cells_of(program.groups, arch)
    writes = writes_of({program.core: program}, arch)
    return Counts(
        written=by_mnemonic(op, np.ones_like(times)),
        unrolled=by_mnemonic(op, np.where(op == LOOP, 0, times)),
        init=len(program.init),
        local_read=moved.local_read,
        local_written=moved.local_written,
        loaded=moved.loaded,
        stored=moved.stored,
        sent=moved.sent,
        received=moved.received,
        messages=messages_of(program)[0],
        macs=int(macs_of(program).sum()),
        crossbars=physical_crossbars(program.groups, arch),
        weights=weights,
        cells=cells,
        write_events=writes.total("events"),
        written_rows=writes.total("rows"),
        written_cells=writes.total("cells"),
    )


def together(parts: Iterable[Counts]) -> Counts:
    """The counts of several cores in one."""
    sums: dict[str, Any] = {part.name: getattr(Counts(), part.name) for part in fields(Counts)}
    for counts in parts:
        for name in sums:
            sums[name] += getattr(counts, name)
    return Counts(**sums)


@dataclass(frozen=True, slots=True)
class Stats:
    """The counts of an image: of each core that has a program, and of all.

    `wear` is that of the crossbars that are written in a sample; None if there are none.
    """

    path: Path
    model: str
    arch: Arch
    cores: Mapping[int, Counts]
    total: Counts
    wear: Wear | None = None

    @property
    def crossbar_share(self) -> float:
        """Of the crossbars of the cores that have a program, the share in use."""
        there = len(self.cores) * self.arch.core.crossbars
        return self.total.crossbars / there if there else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "path": str(self.path),
            "model": self.model,
            "arch": self.arch.name,
            "crossbar_share": self.crossbar_share,
            "total": self.total.to_dict(),
            "wear": self.wear and self.wear.to_dict(),
            "cores": [{"core": core, **counts.to_dict()} for core, counts in self.cores.items()],
        }


def read_stats(path: Path) -> Stats:
    """The statistics of the image at `path`; raises InputError."""
    from launch.timing.timed_image import read_programs

    image, programs = read_programs(path)
    stats = stats_of(path, image.manifest.model.name, image.arch, programs)
    if not stats.total.write_events:
        return stats
    from launch.timing.wear import wear_in_stats

    return replace(stats, wear=wear_in_stats(image, programs))


def stats_of(path: Path, model: str, arch: Arch, programs: Mapping[int, Program]) -> Stats:
    """The statistics of validated programs, by core."""
    cores = {core: counts_of(program, arch) for core, program in sorted(programs.items())}
    return Stats(path, model, arch, cores, together(cores.values()))
