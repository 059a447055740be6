"""How much of the arithmetic of a host program a device does."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation

from compiler.dialects.linalg import casts
from compiler.dialects.linalg.structure import Structure
from compiler.offload.context import OffloadContext
from compiler.offload.contraction import contractions, shape_of
from compiler.offload.pipeline import run_passes
from compiler.offload.program import HostProgram

# What computes nothing: numbers of the text, and the same numbers in another type.
_FREE = (
    arith.ConstantOp, arith.ExtFOp, casts.ExtSIOp, casts.ExtUIOp, arith.TruncFOp, casts.TruncIOp, casts.SIToFPOp,
    casts.UIToFPOp, casts.FPToSIOp, casts.FPToUIOp, casts.IndexCastOp, arith.BitcastOp,
)  # fmt: skip


def offloaded_share(program: HostProgram, passes: Sequence[str], context: OffloadContext) -> float | None:
    """The share of the program's operations on single elements that belong to contractions the passes find.

    A sum of products is two operations per product, any function of an element one, copies and casts none. None if
    that is not known: of loops, calls, sizes that are open, and where there is nothing to compute.
    """
    module = program.text.module.clone()
    run_passes(tuple(passes), context, module, "products")
    if any(isinstance(op, scf.ForOp | scf.IfOp | func.CallOp) for op in module.walk()):
        return None
    found = set(contractions(list(module.walk())))
    counted = {op: operations for op in _outer(module) if (operations := _operations(op)) != 0}
    known = [operations for operations in counted.values() if operations is not None]
    if len(known) != len(counted) or not known:
        return None
    return sum(operations or 0 for op, operations in counted.items() if op in found) / sum(known)


def _outer(module: ModuleOp) -> list[Operation]:
    """The operations of functions, without what stands in their regions."""
    return [op for function in module.ops if isinstance(function, func.FuncOp) for op in function.body.block.ops]


def _operations(op: Operation) -> int | None:
    """Operations on elements; None if a size is open."""
    if isinstance(op, LinalgStructuredOperation):
        structure = Structure.of(op)
        each = sum(_computes(inner) for inner in structure.block.ops)
        shapes = [shape_of(operand) for operand in op.operands if isinstance(operand.type, TensorType)]
        if not each:
            return 0
        if len(shapes) != len(op.operands) or any(size < 0 for shape in shapes for size in shape):
            return None
        return each * prod(structure.sizes(shapes))
    if not _computes(op):
        return 0
    shape = shape_of(op.results[0]) if isinstance(op.results[0].type, TensorType) else ()
    return None if any(size < 0 for size in shape) else prod(shape)


def _computes(op: Operation) -> bool:
    return op.name.startswith(("arith.", "math.")) and not isinstance(op, _FREE)
