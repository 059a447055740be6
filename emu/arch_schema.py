"""The tables and keys of an architecture file, with what each may be; subtables are written `timing.adc`.

The dataclasses of figures are imported when a description has figures: making them takes longer than reading the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from emu.arch import BINDINGS, FIGURES, MAX_CORES, Arch, Core, Crossbar, Network
from emu.arch_checks import Check, Functions, Number, Text
from emu.arch_figure import checks_of, components_of
from emu.arch_mode import MODES

TOPOLOGIES = ("mesh",)
Schema = Mapping[str, Mapping[str, Check]]  # a table stands before its subtables

MADE_OF: Schema = {
    "chip": {
        "name": Text(),
        "cores": Number(1, MAX_CORES),
        "note": Text(),
        "mode": Text(tuple(MODES)),
        **checks_of(Arch),
    },
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
        "weight_binding": Text(BINDINGS),
        **checks_of(Crossbar),
    },
    "global_memory": {"size": Number(1, 1 << 48, unit=True)},
    "network": {"topology": Text(TOPOLOGIES), "width": Number(0, 1 << 16), **checks_of(Network)},
}
OUTER = (*MADE_OF, *FIGURES)  # the tables that stand in no other


@cache
def figure_classes() -> Mapping[str, type]:
    """The dataclasses of the tables of figures."""
    from emu.arch_area import Area
    from emu.arch_energy import Energy
    from emu.arch_published import Published
    from emu.arch_timing import Timing

    return dict(zip(FIGURES, (Timing, Energy, Area, Published), strict=True))


@cache
def schema() -> Schema:
    """All tables."""
    found = dict(MADE_OF)
    for name, cls in figure_classes().items():
        found[name] = checks_of(cls)
        found.update({f"{name}.{part}": checks_of(part_cls) for part, part_cls in components_of(cls).items()})
    return found
