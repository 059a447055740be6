"""Add, Sub, Mul, Div: nests of one function of two elements, with broadcasting."""

from __future__ import annotations

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.dialects.types import dtype_of
from compiler.lowering.lowering import Lowering
from compiler.lowering.nest import lower_nest
from compiler.nests.body import Body, Step
from compiler.nests.linear import broadcast_map, identity
from compiler.nests.nest import Nest

FUNCTIONS: dict[type[onnx.OnnxOp], str] = {
    onnx.AddOp: "add",
    onnx.SubOp: "sub",
    onnx.MulOp: "mul",
    onnx.DivOp: "div",
}


def lower_elementwise(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """The operator's function of `FUNCTIONS`."""
    rank = len(op.shape)
    maps = tuple(broadcast_map(attr.shape_of(value), rank) for value in op.operands)
    body = Body((Step(FUNCTIONS[type(op)], dtype_of(op.result), (0, 1)),))
    lower_nest(lowering, op, Nest(op.shape, (True,) * rank, maps, identity(rank), body))
