"""Several chips: how many there are, how their links connect them, and how far they are apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

from emu.arch.checks import Number, Text
from emu.arch.key import key
from emu.wording import counted

TOPOLOGIES = ("mesh", "ring", "switch")
MAX_CHIPS = 1 << 12

Hop = tuple[int, int]  # chips, in the direction of travel


@dataclass(frozen=True, slots=True)
class System:
    """A board or node of equal chips. Their cores are numbered through: those of chip 0 come first."""

    chips: int = key(
        Number(1, MAX_CHIPS),
        "chips, each as this file describes it; `--chips` says another number. The links between them are"
        " `timing.chip_link`, and stand beside the router of the first core of each chip; the global memory is at chip 0",
        1,
        implied=True,
        compiled=False,
    )
    topology: str = key(
        Text(TOPOLOGIES),
        'how chips are connected: in a `"mesh"`; in a `"ring"`, where messages take the shorter way; by a `"switch"`,'
        " to which each chip has a link",
        "mesh",
        implied=True,
        compiled=False,
    )
    width: int = key(
        Number(0, MAX_CHIPS),
        "columns of the mesh of chips, numbered row by row; 0: the smallest square that holds all",
        0,
        conflict=lambda system, arch: (
            f"{system.width} exceeds the {counted(system.chips, 'chip')}" if system.width > system.chips else ""
        ),
        implied=True,
        compiled=False,
    )

    def route(self, src: int, dst: int) -> Iterator[Hop]:
        """The links from chip to chip; the switch is the number behind the last chip."""
        if src == dst:
            return
        if self.topology == "switch":
            yield from ((src, self.chips), (self.chips, dst))
        elif self.topology == "ring":
            ahead = (dst - src) % self.chips
            step, count = (1, ahead) if 2 * ahead <= self.chips else (-1, self.chips - ahead)
            for hop in range(count):
                yield (src + step * hop) % self.chips, (src + step * (hop + 1)) % self.chips
        else:
            yield from Mesh(self.width or isqrt(self.chips - 1) + 1).route(src, dst)
