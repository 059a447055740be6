"""Which operations round floats whose last bits depend on who computes them: there a whole step may be right."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from compiler.dialects import onnx
from compiler.dialects.integer import ConvOp as IntegerConvOp
from compiler.dialects.integer import MatMulOp as IntegerMatMulOp
from compiler.dialects.nest import GenericOp
from compiler.dialects.types import dtype_of
from compiler.interpreter.scalars import INEXACT, ROUNDING

# Of exact inputs they make the same bits everywhere; what is in no list sums or approximates.
_EXACT = (
    *(onnx.ConstantOp, onnx.MaxPoolOp, onnx.GlobalMaxPoolOp, onnx.AddOp, onnx.SubOp),
    *(onnx.MulOp, onnx.DivOp, onnx.ConcatOp, onnx.SplitOp, onnx.PadOp, onnx.FlattenOp, onnx.ReshapeOp, onnx.SqueezeOp),
    *(onnx.UnsqueezeOp, onnx.TransposeOp, onnx.DropoutOp, onnx.IdentityOp),
    *(op for name, op in onnx.ACTIVATION_OPS.items() if name not in INEXACT),
    *(IntegerConvOp, IntegerMatMulOp),
)


def rounding(module: ModuleOp) -> frozenset[Operation]:
    """The nests of a module of the level `onnx` that round inexact floats to whole numbers."""
    inexact, found = set[SSAValue](), set[Operation]()
    for main in module.ops:
        for op in main.body.block.ops if isinstance(main, FuncOp) else ():
            floats = any(dtype_of(value).is_float for value in op.operands)
            spoilt = not inexact.isdisjoint(op.operands)
            names = _functions(op) if isinstance(op, GenericOp) else frozenset[str]()
            if spoilt and names & ROUNDING:
                found.add(op)
            sums = isinstance(op, GenericOp) and op.combine is not None and op.combine.data in ("add", "mul")
            known = op.name.startswith("indexed.") or isinstance(op, _EXACT)
            exact = not (sums or names & INEXACT) if isinstance(op, GenericOp) else known
            if spoilt or (floats and not exact):
                inexact.update(value for value in op.results if dtype_of(value).is_float or spoilt)
    return frozenset(found)


def _functions(op: GenericOp) -> frozenset[str]:
    """The functions of its body."""
    steps: Any = op.body
    return frozenset(step.data["fn"].data for step in steps)
