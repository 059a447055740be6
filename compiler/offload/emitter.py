"""Puts operations at one place of a module, one after the other."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from compiler.dialects.origins import note, noted, origin_at


class OperationEmitter:
    """Inserts at `point`, behind what it has inserted there before.

    What it inserts comes from where `of` comes from (None: what stands at the point).
    """

    def __init__(self, point: InsertPoint, of: Operation | None = None) -> None:
        self._point = point
        self._origin = origin_at(point) if of is None else noted(of)

    @staticmethod
    def before(op: Operation) -> OperationEmitter:
        """One that inserts before an operation."""
        return OperationEmitter(InsertPoint.before(op))

    @staticmethod
    def behind(op: Operation) -> OperationEmitter:
        """One that inserts behind an operation."""
        return OperationEmitter(InsertPoint.after(op), op)

    def of(self, op: Operation) -> OperationEmitter:
        """One at the same place, for what comes from where `op` comes from."""
        return OperationEmitter(self._point, op)

    def __call__(self, op: Operation) -> SSAValue:
        """Insert an operation with a result, which is returned."""
        self.insert(op)
        return op.results[0]

    def insert(self, op: Operation) -> None:
        """Insert any operation."""
        note(op, self._origin)
        Rewriter.insert_op(op, self._point)
