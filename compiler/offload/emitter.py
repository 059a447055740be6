"""Puts operations at one place of a module, one after the other."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter


class Emitter:
    """Inserts at `point`, behind what it has inserted there before."""

    def __init__(self, point: InsertPoint) -> None:
        self._point = point

    @staticmethod
    def before(op: Operation) -> Emitter:
        """One that inserts before an operation."""
        return Emitter(InsertPoint.before(op))

    @staticmethod
    def behind(op: Operation) -> Emitter:
        """One that inserts behind an operation."""
        return Emitter(InsertPoint.after(op))

    def __call__(self, op: Operation) -> SSAValue:
        """Insert an operation with a result, which is returned."""
        self.insert(op)
        return op.results[0]

    def insert(self, op: Operation) -> None:
        """Insert any operation."""
        Rewriter.insert_op(op, self._point)
