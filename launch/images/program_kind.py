"""Which chips take the same programs: those whose descriptions differ only in figures that the compiler ignores."""

from __future__ import annotations

import json
from typing import Any

from emu.arch import FIGURES, Arch, Core, Crossbar, Network
from emu.arch_figure import checks_of

# By part of a description: figures that no program depends on.
NOT_COMPILED = {"": Arch, "core": Core, "crossbar": Crossbar, "network": Network}


def kind_of_programs(arch: Arch, scheduled: bool = False) -> str:
    """All of a description that programs may depend on: chips with the same one take the same programs.

    A schedule weighs times of the chip (where copies are worth their place), so that with one everything counts.
    """
    if scheduled:
        return json.dumps(arch.to_dict(), sort_keys=True)
    values: dict[str, Any] = {key: value for key, value in arch.to_dict().items() if key not in FIGURES}
    for part, cls in NOT_COMPILED.items():
        table = values[part] if part else values
        for key in checks_of(cls):
            table.pop(key, None)
    return json.dumps(values, sort_keys=True)
