"""Which memrefs that a function is given may be written in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, SymbolTable

from compiler.dialects.linalg import buffers
from compiler.dialects.linalg.forms import SoftmaxOp

_FRESH = (memref.AllocOp, memref.AllocaOp)


def written_arguments(function: func.FuncOp, module: ModuleOp) -> tuple[int, ...]:
    """The places of those arguments of which some part, under any name, may be written.

    Values that may be the same memory are one class; a class is written if one of its values is.
    """
    classes = _Classes()
    for op in module.walk():
        for one, other in _aliases(op):
            classes.join(one, other)
    written = {classes.of(value) for op in module.walk() for value in _written(op)}
    args = function.body.block.args
    return tuple(place for place, arg in enumerate(args) if _is_memref(arg) and classes.of(arg) in written)


class _Classes:
    """Sets of values, each known by one of its values."""

    def __init__(self) -> None:
        self._parents = dict[SSAValue, SSAValue]()

    def of(self, value: SSAValue) -> SSAValue:
        """The value by which its set is known."""
        while (parent := self._parents.get(value)) is not None:
            value = parent
        return value

    def join(self, one: SSAValue, other: SSAValue) -> None:
        """Make their sets one."""
        a, b = self.of(one), self.of(other)
        if a is not b:
            self._parents[a] = b


def _aliases(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of memrefs that may be the same because of an operation."""
    if isinstance(op, func.CallOp):
        called = SymbolTable.lookup_symbol(op, op.callee)
        if isinstance(called, func.FuncOp) and called.body.blocks:
            yield from _pairs(op.operands, called.body.block.args)
            last = called.body.block.last_op
            yield from _pairs(op.results, last.operands if last is not None else ())
        return
    if isinstance(op, (*_FRESH, func.FuncOp)):
        return
    made: list[SSAValue] = [*op.results, *_arguments(op)]
    outer = op.parent_op()
    if op.has_trait(IsTerminator) and outer is not None and not isinstance(outer, func.FuncOp):
        made += [*outer.results, *_arguments(outer)]
    made = [value for value in made if _is_memref(value)]
    values = [*made, *filter(_is_memref, op.operands)] if made else []
    yield from pairwise(values)


def _arguments(op: Operation) -> list[SSAValue]:
    return [arg for region in op.regions for block in region.blocks for arg in block.args]


def _pairs(some: Sequence[SSAValue], others: Sequence[SSAValue]) -> Iterator[tuple[SSAValue, SSAValue]]:
    return ((a, b) for a, b in zip(some, others, strict=False) if _is_memref(a) and _is_memref(b))


def _written(op: Any) -> Sequence[SSAValue]:
    """The memrefs that an operation writes."""
    if isinstance(op, LinalgStructuredOperation | SoftmaxOp):
        return [value for value in op.outputs if _is_memref(value)]
    if isinstance(op, memref.StoreOp):
        return [op.memref]
    if isinstance(op, buffers.CopyOp):
        return [op.destination]
    if isinstance(op, buffers.MaterializeOp):
        return [op.dest] if _is_memref(op.dest) else []
    return []


def _is_memref(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType)
