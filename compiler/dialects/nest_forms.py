"""Which operations are nests of their own making, whatever they are called: a new one is one row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.ir import Operation

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.dialects.nest import GenericOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.dialects.types import dtype_of
from compiler.nests.expression import Value, body_of, call, largest, select, smallest
from compiler.nests.linear import broadcast_map, identity
from compiler.nests.nest import Nest

Write = Callable[..., Value]


def nest_form(op: Operation) -> Nest | None:
    """What an operation is as a nest on its operands; None if it is something else."""
    if isinstance(op, GenericOp):
        return op.nest
    write = ELEMENTWISE.get(type(op))
    return None if write is None else _elementwise(cast(OnnxOp, op), write(cast(OnnxOp, op)))


def _elementwise(op: OnnxOp, write: Write) -> Nest:
    """A function of elements of operands that broadcast to the result."""
    shape = op.shape
    maps = tuple(broadcast_map(attr.shape_of(value), len(shape)) for value in op.operands)
    body, _ = body_of([dtype_of(value) for value in op.operands], write)
    return Nest(tuple(max(1, size) for size in shape), (True,) * len(shape), maps, identity(len(shape)), body)


def _calls(function: str) -> Callable[[OnnxOp], Write]:
    """A scalar function by name."""
    return lambda op: lambda x, *others: call(function, x, *others)


def _clip(op: onnx.ClipOp) -> Write:
    """Its bounds, as far as they bind."""
    low, high = (None if bound is None else float(bound.value.data) for bound in (op.min, op.max))

    def write(x: Value) -> Value:
        x = x if low is None else largest(x, low)
        return x if high is None else smallest(x, high)

    return write


def _leaky_relu(op: onnx.LeakyReluOp) -> Write:
    """Its slope below zero."""
    alpha = float(op.alpha.value.data)
    return lambda x: select(x < 0, x * alpha, x)


ELEMENTWISE: Mapping[type[Operation], Callable[..., Write]] = {
    onnx.AddOp: _calls("add"),
    onnx.SubOp: _calls("sub"),
    onnx.MulOp: _calls("mul"),
    onnx.DivOp: _calls("div"),
    **{kind: _calls(name) for name, kind in onnx.FUNCTION_OPS.items()},
    onnx.ClipOp: _clip,
    onnx.LeakyReluOp: _leaky_relu,
}
