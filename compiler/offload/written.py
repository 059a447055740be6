"""Which memrefs that a function is given may be written in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import SSAValue

from compiler.dialects import memristor, neuro
from compiler.dialects.libraries import library_call
from compiler.dialects.linalg import buffers
from compiler.dialects.linalg.forms import SoftmaxOp
from compiler.offload.aliases import Aliases


def written_arguments(function: func.FuncOp, module: ModuleOp) -> tuple[int, ...]:
    """The places of those arguments of which some part, under any name, may be written."""
    aliases = Aliases(module, _is_memref)
    written = {aliases.of(value) for op in module.walk() for value in _written(op)}
    args = function.body.block.args
    return tuple(place for place, arg in enumerate(args) if _is_memref(arg) and aliases.of(arg) in written)


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
    call = library_call(op)
    product = issubclass(type(op) if call is None else call.kind, memristor.ProductOp | neuro.MatvecOp)
    return [op.operands[-1]] if product and _is_memref(op.operands[-1]) else []


def _is_memref(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType)
