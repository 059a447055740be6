"""Which instructions of a program belong to which node, by the source map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.program.program import Program

NO_NODE = "(no node)"


def node_of(program: Program, source: int) -> str:
    """The node of a value of the column `source`."""
    return (program.sources[source].node if source >= 0 else "") or NO_NODE


def nodes_of(program: Program) -> tuple[list[str], np.ndarray]:
    """The nodes of `main` in the order of the source map, and the place of each instruction's among them."""
    sources, which = np.unique(program.main.columns["source"], return_inverse=True)
    each = [node_of(program, source) for source in sources.tolist()]
    place = {name: number for number, name in enumerate(dict.fromkeys(each))}
    return list(place), np.array([place[name] for name in each], np.intp)[which]


def rows_by_node(program: Program) -> Iterator[tuple[str, np.ndarray]]:
    """Per node of a program: a mask over the instructions of `main`."""
    names, at = nodes_of(program)
    for number, name in enumerate(names):
        yield name, at == number
