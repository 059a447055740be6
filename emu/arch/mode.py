"""What a schedule may control on a chip: whole cores, single crossbars, or single rows of a crossbar.

The computing modes of CIM-MLC (Qu et al., ASPLOS 2024): core, crossbar and wordline mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Control = Literal["cores", "crossbars", "rows"]

MODES: Mapping[str, tuple[Control, ...]] = {
    "cm": ("cores",),
    "xbm": ("cores", "crossbars"),
    "wlm": ("cores", "crossbars", "rows"),
}
WORKING: Mapping[str, str] = {
    "cm": "a core works as a whole",
    "xbm": "a crossbar works as a whole",
    "wlm": "word lines of a crossbar work by themselves",
}


def refusal(mode: str, part: Control, purpose: str) -> str:
    """Why a schedule may not control single `part` in this mode, as a sentence about `purpose`; empty if it may.

    `purpose` is what needs it, such as "the pass remap-rows".
    """
    if part in MODES[mode]:
        return ""
    enough = " or ".join(f'"{name}"' for name, parts in MODES.items() if part in parts)
    return (
        f'{purpose} controls single {part}, but chip.mode is "{mode}", in which {WORKING[mode]}: leave it out, or take'
        f" a chip whose mode is {enough}"
    )
