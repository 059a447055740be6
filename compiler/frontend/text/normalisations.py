"""Scales and shifts per channel behind a convolution, as exporters write batch normalisation: one operation again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from compiler.dialects.onnx import AddOp, BatchNormalizationOp, ConstantOp, ConvOp, DivOp, MulOp, SubOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.frontend.nodes.scope import Scope
from compiler.interpreter.host.values import Array
from compiler.session.context import CompilerContext
from emu.isa.dtypes import DType

Line = tuple[Array, Array]  # y = scale x + shift, in double precision
# Of what x has become, and a number per channel behind the operator.
_STEPS: Mapping[type[Operation], Callable[[Line, Array], Line]] = {
    AddOp: lambda line, c: (line[0], line[1] + c),
    SubOp: lambda line, c: (line[0], line[1] - c),
    MulOp: lambda line, c: (line[0] * c, line[1] * c),
    DivOp: lambda line, c: (line[0] / c, line[1] / c),
}
_EITHER_WAY = (AddOp, MulOp)


def join_normalisations(module: ModuleOp, scope: Scope, context: CompilerContext) -> None:
    """Replace each chain of them by an `onnx.BatchNormalization`, which joins the convolution before it."""
    for op in [op for op in module.walk() if isinstance(op, ConvOp)]:
        line, last, scales = (np.ones(op.shape[1]), np.zeros(op.shape[1])), cast(OnnxOp, op), False
        chain = list[OnnxOp]()
        while (found := _next(last, context)) is not None:
            last, number = found
            line = _STEPS[type(last)](line, number)
            scales = scales or isinstance(last, MulOp | DivOp)
            chain.append(last)
        if scales and all(np.isfinite(part).all() for part in line):
            _replace(op, chain, line, scope, context)


def _next(op: OnnxOp, context: CompilerContext) -> tuple[OnnxOp, Array] | None:
    """The only reader of a result, if it adds, or multiplies by, a constant per channel."""
    uses = list(op.result.uses)
    user = uses[0].operation if len(uses) == 1 else None
    if type(user) not in _STEPS:
        return None
    reader = cast(OnnxOp, user)
    place = uses[0].index
    owner = reader.operands[1 - place].owner
    if (place and not isinstance(reader, _EITHER_WAY)) or not isinstance(owner, ConstantOp) or reader.shape != op.shape:
        return None
    array = context.weights.get(owner.key.data)
    if array.ndim != len(op.shape) or any(size != 1 for axis, size in enumerate(array.shape) if axis != 1):
        return None
    return reader, np.broadcast_to(array.reshape(-1).astype(np.float64), (op.shape[1],))


def _replace(conv: ConvOp, chain: list[OnnxOp], line: Line, scope: Scope, context: CompilerContext) -> None:
    last, block = chain[-1], cast(Block, conv.parent)
    name, ones, zeros = last.node.data, np.ones(conv.shape[1], np.float32), np.zeros(conv.shape[1], np.float32)
    values: list[SSAValue] = [conv.result]
    for role, array in (("scale", line[0]), ("shift", line[1]), ("mean", zeros), ("variance", ones)):
        key = context.weights.put(f"{name}/{role}", array.astype(np.float32))
        kind = scope.tensor_type(array.shape, DType.f32)
        constant = ConstantOp.make([], kind, node=key, tensor=key, key=key)
        block.insert_op_before(constant, last)
        values.append(constant.result)
    made = BatchNormalizationOp.make(values, last.result.type, node=last.node, tensor=last.tensor, epsilon=0.0)
    block.insert_op_before(made, last)
    last.result.replace_all_uses_with(made.result)
    for op in reversed(chain):
        if op is not last:
            context.provenance.fused(op.tensor.data, last.tensor.data)
        op.detach()
        op.erase()
