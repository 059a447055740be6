"""Which values of a kind may be the same thing: memory under several names, crossbars that go around a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, SymbolTable

from compiler.dialects.linalg.buffers import AllocaOp, AllocOp

Kind = Callable[[SSAValue], bool]
_FRESH = (AllocOp, AllocaOp)  # what they make is nothing that was there before


class Aliases:
    """Classes of the values that are of a kind: those that may be the same thing are in one."""

    def __init__(self, module: ModuleOp, kind: Kind) -> None:
        self._parents = dict[SSAValue, SSAValue]()
        for op in module.walk():
            for one, other in _pairs_of(op, kind):
                self._join(one, other)

    def of(self, value: SSAValue) -> SSAValue:
        """The value by which the class of `value` is known."""
        root = value
        while (parent := self._parents.get(root)) is not None:
            root = parent
        while value is not root:  # shorter from now on
            self._parents[value], value = root, self._parents[value]
        return root

    def _join(self, one: SSAValue, other: SSAValue) -> None:
        a, b = self.of(one), self.of(other)
        if a is not b:
            self._parents[a] = b


def _pairs_of(op: Operation, kind: Kind) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of values that may be the same because of an operation."""
    if isinstance(op, func.CallOp):
        called = SymbolTable.lookup_symbol(op, op.callee)
        if isinstance(called, func.FuncOp) and called.body.blocks:
            last = called.body.block.last_op
            yield from _same(op.operands, called.body.block.args, kind)
            yield from _same(op.results, last.operands if last is not None else (), kind)
        return
    if isinstance(op, (*_FRESH, func.FuncOp)):
        return
    made: list[SSAValue] = [*op.results, *_arguments(op)]
    outer = op.parent_op()
    if op.has_trait(IsTerminator) and outer is not None and not isinstance(outer, func.FuncOp):
        made += [*outer.results, *_arguments(outer)]
    made = list(filter(kind, made))
    yield from pairwise([*made, *filter(kind, op.operands)] if made else [])


def _same(some: Sequence[SSAValue], others: Sequence[SSAValue], kind: Kind) -> Iterator[tuple[SSAValue, SSAValue]]:
    return ((a, b) for a, b in zip(some, others, strict=False) if kind(a) and kind(b))


def _arguments(op: Operation) -> list[SSAValue]:
    return [arg for region in op.regions for block in region.blocks for arg in block.args]
