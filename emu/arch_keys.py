"""What each key of an architecture file means, in words: the tables of docs/architecture-file.md."""

from __future__ import annotations

from collections.abc import Mapping

from emu.arch import Arch, Core, Crossbar, Network
from emu.arch_figure import components_of, meanings_of
from emu.arch_mode import WORKING
from emu.arch_schema import figure_classes


def _figure_meanings() -> dict[str, Mapping[str, str]]:
    """The figures of all components by table."""
    found: dict[str, Mapping[str, str]] = {}
    for name, cls in figure_classes().items():
        found[name] = meanings_of(cls)
        found.update({f"{name}.{part}": meanings_of(part_cls) for part, part_cls in components_of(cls).items()})
    return found


MEANINGS: Mapping[str, Mapping[str, str]] = {
    "chip": {
        "name": "the name in reports and errors",
        "cores": (
            "cores of the chip; a network takes as many of them as it needs, but at most 64 if there is no table"
            " `[timing]` and nobody asks for more"
        ),
        "note": "a remark for people, kept in the manifest",
        "mode": "what a schedule may control; " + "; ".join(f'`"{name}"`: {what}' for name, what in WORKING.items()),
        **meanings_of(Arch),
    },
    "core": {
        "crossbars": "crossbars per core",
        "local_memory": "bytes of local memory per core: constants, buffers, everything but weights",
        "registers": "scalar registers, for addresses",
        "events": "event registers, for `sync` and `wait`",
        "functions": (
            "vector and digital instructions that cores have, by the names of [assembly.md](assembly.md);"
            ' `["*"]`: all of them'
        ),
        **meanings_of(Core),
    },
    "crossbar": {
        "rows": "word lines: inputs of one crossbar",
        "cols": "bit lines: outputs of one crossbar",
        "cell_bits": (
            "bits that one cell holds: a weight of n bits takes (n - 1) / cell_bits cells, rounded up (the sign apart),"
            " or n / cell_bits if its type has no sign, which is a matter of room and changes no product; 0: one cell"
            " holds any weight"
        ),
        "weight_binding": (
            'where the cells of a weight stand: `"crossbars"`: in as many crossbars, which counts against'
            ' `core.crossbars`; `"columns"`: side by side in one crossbar, which holds fewer columns of weights'
        ),
        **meanings_of(Crossbar),
    },
    "global_memory": {"size": "bytes for the inputs and outputs of one sample and for read-only tensors"},
    "network": {
        "topology": "how cores are connected",
        "width": "columns of the mesh, cores being numbered row by row; 0: the smallest square that holds all cores",
        **meanings_of(Network),
    },
    **_figure_meanings(),
}
