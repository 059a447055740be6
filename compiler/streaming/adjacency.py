"""Which buffers of a core follow each other in memory, because messages carry them together."""

from __future__ import annotations

from itertools import pairwise

from xdsl.ir import SSAValue

from compiler.dialects import pim


class Adjacency:
    """Runs of buffers: each buffer has at most one behind it and one before it, and no run is a circle."""

    def __init__(self) -> None:
        self._behind: dict[SSAValue, SSAValue] = {}
        self._before: dict[SSAValue, SSAValue] = {}

    def allows(self, first: SSAValue, second: SSAValue) -> bool:
        """Whether `second` may stand right behind `first`; constants have places of their own."""
        if not isinstance(first.owner, pim.AllocOp) or not isinstance(second.owner, pim.AllocOp):
            return False
        if self._behind.get(first) is second:
            return True
        return first not in self._behind and second not in self._before and self._head(first) is not second

    def link(self, first: SSAValue, second: SSAValue) -> None:
        """Let `second`, which is allowed there, stand right behind `first`."""
        self._behind[first], self._before[second] = second, first

    def run(self, buffer: SSAValue) -> list[SSAValue]:
        """The run that a buffer belongs to, in the order of memory; a run of its own if it has no neighbours."""
        found = [self._head(buffer)]
        while found[-1] in self._behind:
            found.append(self._behind[found[-1]])
        return found

    def _head(self, buffer: SSAValue) -> SSAValue:
        """The first buffer of a run."""
        while buffer in self._before:
            buffer = self._before[buffer]
        return buffer


def adjacency_of(core: pim.CoreOp) -> Adjacency:
    """What the messages of a core ask for, as far as they agree."""
    found = Adjacency()
    for op in core.walk():
        if isinstance(op, pim.MessageOp):
            for first, second in pairwise(op.buffers):
                if found.allows(first, second):
                    found.link(first, second)
    return found
