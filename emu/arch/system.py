"""Several chips on a board, or in a node: how many there are, and how links connect them."""

from __future__ import annotations

from dataclasses import dataclass

from emu.arch.checks import NumberCheck, TextCheck
from emu.arch.key import key
from emu.wording import counted

CONNECTIONS = ("mesh", "ring", "switch")
MAX_CHIPS = 1 << 12


@dataclass(frozen=True, slots=True)
class System:
    """Equal chips. Their cores are numbered through: those of chip 0 come first."""

    chips: int = key(
        NumberCheck(1, MAX_CHIPS),
        "chips, each as the file describes it; their cores are numbered through. The links"
        " between them (`timing.chip_link`) stand beside the router of the first core of each; the global memory is at"
        " chip 0",
        1,
        implied=True,
    )
    topology: str = key(
        TextCheck(CONNECTIONS),
        'how chips are connected: in a `"mesh"`; in a `"ring"`, on which messages take the shorter way; by a'
        ' `"switch"`, to which each chip has a link',
        "mesh",
        implied=True,
    )
    width: int = key(
        NumberCheck(0, MAX_CHIPS),
        "columns of the mesh of chips, which are numbered row by row; 0: the smallest square that holds all",
        0,
        conflict=lambda system, arch: (
            f"{system.width} exceeds the {counted(system.chips, 'chip')}" if system.width > system.chips else ""
        ),
        implied=True,
    )
