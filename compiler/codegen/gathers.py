"""Tensors that one core gathers from several others for a node that runs nowhere else: bottlenecks if large."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.kernel import KernelOp
from compiler.dialects.rows import rows_of, trips_around
from compiler.dialects.types import dtype_of

LARGE = 1 << 20  # bytes from which on a gathered tensor is worth a warning


@dataclass(frozen=True, slots=True)
class Gather:
    """What `node` takes from `sources` cores onto the one core on which it runs: bytes per sample."""

    node: str
    core: int
    sources: int
    nbytes: int

    def warning(self) -> str:
        """One sentence."""
        return (
            f"node '{self.node}' gathers {self.nbytes} bytes of {self.sources} cores on core {self.core}, the only one "
            f"that works on them (more than {LARGE} bytes)"
        )


def gathers(module: ModuleOp, large: int = LARGE) -> list[Gather]:
    """The gathers of more than `large` bytes, of `pim` cores, by node."""
    runs, taken = defaultdict[str, set[int]](set), dict[tuple[str, int], Gather]()
    for core in module.ops:
        if not isinstance(core, pim.CoreOp):
            continue
        number, received = core.coreId.value.data, _received(core)
        parts = defaultdict[str, set[SSAValue]](set)
        for op in core.walk():
            if isinstance(op, KernelOp) and op.node is not None:
                runs[op.node.data].add(number)
                parts[op.node.data].update(value for value in op.inputs if value in received)
        for node, values in parts.items():
            peers = set[int]().union(*(received[value][0] for value in values))
            taken[node, number] = Gather(node, number, len(peers), sum(received[value][1] for value in values))
    return [
        gather
        for (node, _), gather in taken.items()
        if len(runs[node]) == 1 and gather.sources > 1 and gather.nbytes > large
    ]


def _received(core: pim.CoreOp) -> dict[SSAValue, tuple[set[int], int]]:
    """Per buffer that is filled by messages: the cores that send them, and their bytes per sample."""
    found: dict[SSAValue, tuple[set[int], int]] = {}
    for op in core.walk():
        if isinstance(op, pim.ReceiveOp):
            rows = rows_of(op.rows)
            for index, buffer in enumerate(op.buffers):
                depth, *rest = attr.shape_of(buffer)
                height = rows[index].count if rows else depth
                peers, size = found.get(buffer, (set[int](), 0))
                size += height * prod(rest) * dtype_of(buffer).size * max(1, trips_around(op))
                found[buffer] = (peers | {op.peer.value.data}, size)
    return found
