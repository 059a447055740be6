"""What each key of an architecture file means, in words: the table of docs/architecture-file.md."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, Mapping[str, str]] = {
    "chip": {
        "name": "the name in reports and errors",
        "cores": "cores of the chip; a network takes as many of them as it needs",
        "note": "a remark for people, kept in the manifest",
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
    },
    "crossbar": {
        "rows": "word lines: inputs of one crossbar",
        "cols": "bit lines: outputs of one crossbar",
        "cell_bits": (
            "bits that one cell holds: a weight of n bits takes (n - 1) / cell_bits crossbars, rounded up (the sign"
            " apart), which counts against `core.crossbars` but changes no product; 0: one cell holds any weight"
        ),
    },
    "global_memory": {"size": "bytes for the inputs and outputs of one sample and for read-only tensors"},
    "network": {
        "topology": "how cores are connected; only for figures (bytes x hops, links): messages take no longer by it",
        "width": "columns of the mesh, cores being numbered row by row; 0: the smallest square that holds all cores",
    },
}
