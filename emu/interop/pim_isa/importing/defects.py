"""What is wrong with a foreign program although it can be run: one sentence per kind, with the first place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from emu.interop.pim_isa.format.program import CoreColumns, PimProgram
from emu.interop.pim_isa.importing.refusal import place_of
from emu.interop.pim_isa.isa import CODES, UNIT_OF, PimUnit
from emu.wording import counted


@dataclass(slots=True)
class DefectPlaces:
    """Instructions that have one defect: the first one, as sentences call it, and how many of how many cores."""

    first: str = ""
    instructions: int = 0
    cores: int = 0

    def add(self, core: int, columns: CoreColumns, rows: np.ndarray) -> None:
        """The instructions `rows`, ascending, of a further core."""
        if len(rows):
            self.first = self.first or place_of(core, columns, int(rows[0]))
            self.instructions += len(rows)
            self.cores += 1

    def sentence(self, what: str) -> list[str]:
        """What there is to tell: nothing, or one sentence."""
        if not self.instructions:
            return []
        more = self.instructions - 1
        others = f" (and so do {more} others, in {counted(self.cores, 'core')} in all)" if more else ""
        return [f"{self.first}: {what}{others}"]


@dataclass(slots=True)
class Defects:
    """The defects of all cores, found as they are looked at one by one."""

    widths: DefectPlaces = field(default_factory=DefectPlaces)
    sources: DefectPlaces = field(default_factory=DefectPlaces)
    endings: DefectPlaces = field(default_factory=DefectPlaces)
    unwritten: DefectPlaces = field(default_factory=DefectPlaces)

    def look(self, core: int, columns: CoreColumns, missing: np.ndarray, unwritten: np.ndarray) -> None:
        """One core: `missing` are instructions before any `setbw`, `unwritten` those that read unwritten bytes."""
        self.widths.add(core, columns, missing)
        sends = (columns.op == CODES["send"]) & (columns.rd == 0) & (columns.rs1 != 0)
        self.sources.add(core, columns, np.flatnonzero(sends))
        if columns.count and UNIT_OF[columns.op[-1]] == PimUnit.FRONT:
            self.endings.add(core, columns, np.array([columns.count - 1]))
        self.unwritten.add(core, columns, unwritten)

    def sentences(self) -> list[str]:
        """All of them."""
        return [
            *self.widths.sentence("no setbw has set the widths of elements: 8 bits are assumed"),
            *self.sources.sentence("it names its source as 'rs1', as the published text does and no simulator"),
            *self.endings.sentence("the core ends with a scalar instruction: pimsim-nn never sees it finish"),
            *self.unwritten.sentence(UNWRITTEN),
        ]


UNWRITTEN = "it reads local bytes that nothing has written: they are zero at the begin of a sample"


def unequal_messages(program: PimProgram) -> Iterator[str]:
    """Sends and receives that belong together and differ in size, the first one of each pair of cores."""
    sends, receives = (dict(_messages(program.cores, name)) for name in ("send", "recv"))
    for pair in sorted(sends.keys() & receives.keys()):
        (rows, sizes), (other_rows, other_sizes) = sends[pair], receives[pair]
        both = min(len(sizes), len(other_sizes))
        differ = np.flatnonzero(sizes[:both] != other_sizes[:both])
        if not len(differ):
            continue
        at = int(differ[0])
        here = place_of(pair[0], program.cores[pair[0]], int(rows[at]))
        there = place_of(pair[1], program.cores[pair[1]], int(other_rows[at]))
        yield f"{here}: sends {int(sizes[at])} bytes, {there} receives {int(other_sizes[at])}"


def _messages(
    cores: Mapping[int, CoreColumns], name: str
) -> Iterator[tuple[tuple[int, int], tuple[np.ndarray, np.ndarray]]]:
    """Per pair (sender, receiver) the instructions `name` between them, in order, and their sizes."""
    for core, columns in cores.items():
        rows = np.flatnonzero(columns.op == CODES[name])
        peers = columns.core[rows]
        for peer in np.unique(peers).tolist():
            chosen = rows[peers == peer]
            yield (core, peer) if name == "send" else (peer, core), (chosen, columns.size[chosen])
