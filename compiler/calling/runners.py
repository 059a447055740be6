"""What runs a compiled model: a class by its name in an entry point, as the compiler knows nothing that runs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from emu.errors import InputError, option
from emu.wording import nearest

ENTRY_POINTS = "reram_emu.runners"
SEQUENTIAL, DEVICE = "sequential", "device"


class Runner(Protocol):
    """A compiled model that is ready to run: made of its folder, and of `device` where that is asked for."""

    def run(self, inputs: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """The outputs for a value of every input, by name, in logical shape; raises EmuErrors."""
        ...

    def close(self) -> None:
        """Give back what it holds; may be called twice."""
        ...


def make_runner(name: str, folder: Path, device: Any) -> Runner:
    """The runner of this name; raises InputError if nobody has it, and as it does itself."""
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    if name not in found:
        known = ", ".join(sorted(found)) or "none: install the project anew"
        raise InputError(f"{option('runner')} {name!r} is unknown: there are {known}{nearest(name, found)}")
    try:
        make: Any = found[name].load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"{option('runner')} {name!r} cannot be imported: {error}") from None
    return make(folder, device=device)
