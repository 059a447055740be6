"""Names for slices of a core: the ONNX nodes of instructions and loops, and the mnemonics of a batch."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import numpy as np

from emu.census.nodes import NO_NODE, node_of
from emu.isa.table import BY_CODE, LOOP
from emu.program.program import Program
from emu.program.section import Section

SHOWN = 4  # mnemonics of a batch
BETWEEN = " + "  # of nodes in a name


class NodeNames:
    """Names of nodes, and of batches of instructions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.node = lru_cache(1 << 16)(self._node)
        self.batch = lru_cache(1 << 16)(self._batch)

    def _node(self, section: str, index: int) -> str:
        """The node of an instruction; all nodes of a loop, in the order of its instructions; none at the end."""
        columns = self._section(section).columns
        loop = index < len(columns["op"]) and columns["op"][index] == LOOP
        chosen = slice(index + 1, int(columns["end"][index])) if loop else slice(index, index + 1)
        sources = columns["source"][chosen][columns["op"][chosen] != LOOP]
        return names_of(self._program, sources)

    def _batch(self, section: str, first: int, end: int) -> str:
        """The mnemonics of the instructions [first, end); where a loop goes back, `end` is not behind `first`."""
        columns = self._section(section).columns
        codes = columns["op"][first : max(end, first + 1)]
        if codes.size == 1 and codes[0] == LOOP:
            codes = columns["op"][first : int(columns["end"][first])]
        names = list(dict.fromkeys(BY_CODE[code].name for code in codes.tolist() if code != LOOP))
        return " ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")

    def tensor(self, buffer: int) -> str:
        """The tensor of a buffer."""
        return self._program.buffers[buffer].tensor

    def _section(self, name: str) -> Section:
        return self._program.init if name == "init" else self._program.main


def names_of(program: Program, sources: np.ndarray) -> str:
    """The nodes of some instructions, whose column `source` is given, each once, in their order."""
    names = dict.fromkeys(node_of(program, source) for source in sources.tolist())
    return BETWEEN.join(names) or NO_NODE


def first_of(text: str, known: Collection[str]) -> str:
    """The first of the nodes in a name; one of the `known` nodes may itself hold what stands between names."""
    parts = text.split(BETWEEN)
    heads = (BETWEEN.join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((head for head in heads if head in known), parts[0])
