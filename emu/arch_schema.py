"""The tables and keys of an architecture file, with what each may be; subtables are written `timing.adc`."""

from __future__ import annotations

from emu.arch import MAX_CORES, Arch, Core, Crossbar, Network
from emu.arch_checks import Check, Functions, Number, Text
from emu.timing.chip.area import Area
from emu.timing.chip.energy import Energy
from emu.timing.chip.figure import checks_of, components_of
from emu.timing.chip.published import Published
from emu.timing.chip.timing import Timing

TOPOLOGIES = ("mesh",)
FIGURES = {"timing": Timing, "energy": Energy, "area": Area, "published": Published}  # tables that a chip may not have


def _tables(name: str, cls: type) -> dict[str, dict[str, Check]]:
    """A table of figures and those of its components."""
    parts = {f"{name}.{part}": checks_of(part_cls) for part, part_cls in components_of(cls).items()}
    return {name: checks_of(cls), **parts}


SCHEMA: dict[str, dict[str, Check]] = {
    "chip": {"name": Text(), "cores": Number(1, MAX_CORES), "note": Text(), **checks_of(Arch)},
    "core": {
        "crossbars": Number(1, 1 << 20),
        "local_memory": Number(1, 1 << 40, unit=True),
        "registers": Number(1, 128),
        "events": Number(1, 1 << 16),
        "functions": Functions(),
        **checks_of(Core),
    },
    "crossbar": {
        "rows": Number(1, 1 << 16),
        "cols": Number(1, 1 << 16),
        "cell_bits": Number(0, 64),
        **checks_of(Crossbar),
    },
    "global_memory": {"size": Number(1, 1 << 48, unit=True)},
    "network": {"topology": Text(TOPOLOGIES), "width": Number(0, 1 << 16), **checks_of(Network)},
    **{table: keys for name, cls in FIGURES.items() for table, keys in _tables(name, cls).items()},
}
