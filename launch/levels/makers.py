"""Which operation of a core fills a buffer."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from compiler.dialects import pim
from compiler.dialects.kernel import KernelOp


def made_by(op: Operation) -> Operation:
    """The operation that fills the buffer that `op` sends, stores or declares complete: the last one before it."""
    wanted: set[SSAValue] = set(op.operands)
    at = op.prev_op
    while at is not None:
        if isinstance(at, KernelOp) and not wanted.isdisjoint(at.outputs):
            return at
        if isinstance(at, pim.ReceiveOp | pim.LoadOp) and not wanted.isdisjoint(at.operands):
            return at
        if isinstance(at, pim.LoopOp):
            inner = at.body.block.last_op
            while inner is not None:
                if isinstance(inner, KernelOp) and not wanted.isdisjoint(inner.outputs):
                    return inner
                inner = inner.prev_op
        at = at.prev_op
    return op
