"""Products by numbers, or of allocations, before any matrix can have been written: refused before a program runs."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.traits import SymbolTable

from compiler.dialects import memristor, neuro
from compiler.dialects.libraries import library_call
from compiler.dialects.origins import refuse

_WRITES, _PRODUCTS = (memristor.WriteOp, neuro.WriteMatrixOp), (memristor.ProductOp, neuro.MatvecOp)
_ALLOCATIONS = (neuro.WriteMatrixOp, neuro.MatvecOp)


def check_written(module: ModuleOp) -> None:
    """Raise CompileError for the first product of a function before which nobody writes its number, or anything.

    Functions are followed up to the first write that stands in a loop, a branch or another function, or whose number
    is computed; what comes behind is decided when it runs.
    """
    called = {op.callee.root_reference.data for op in module.walk() if isinstance(op, func.CallOp)}
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks and function.sym_name.data not in called:
            _check(function)


def _check(function: func.FuncOp) -> None:
    written = set[int | type]()
    for op in function.body.block.ops:
        place = _crossbar_number(op)
        if issubclass(_kind(op), _WRITES) and place is not None:
            written.add(place)
            continue
        inside = list(_inside(op, {function}))
        if any(issubclass(_kind(each), _WRITES) for each in inside):
            return
        for each in inside:
            place = _crossbar_number(each)
            if issubclass(_kind(each), _PRODUCTS) and (not written if place is None else place not in written):
                raise refuse(each, "multiplies by a matrix that nobody has written: write one before")


def _kind(op: Operation) -> type[Operation]:
    """The operation that this is, or calls."""
    call = library_call(op)
    return type(op) if call is None else call.kind


def _crossbar_number(op: Operation) -> int | type | None:
    """The number of its crossbars; None for one that is computed, and one place for all allocations."""
    if issubclass(_kind(op), _ALLOCATIONS):
        return neuro.AllocOp
    number = op.operands[0] if op.operands else None
    if isinstance(number, OpResult) and isinstance(number.owner, arith.ConstantOp):
        value = number.owner.value
        return value.value.data if isinstance(value, IntegerAttr) else None
    return None


def _inside(op: Operation, seen: set[Operation]) -> Iterator[Operation]:
    """An operation, those in it, and those of functions that they call."""
    for each in op.walk():
        yield each
        called = SymbolTable.lookup_symbol(each, each.callee) if isinstance(each, func.CallOp) else None
        if isinstance(called, func.FuncOp) and called not in seen:
            seen.add(called)
            yield from _inside(called, seen)
