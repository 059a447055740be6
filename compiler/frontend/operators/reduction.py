"""Imports reductions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import IdentityOp, ReduceMeanOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of

_AXES_INPUT = 18  # operator set since which ReduceMean takes its axes as an input


def reduce_mean(node: Node, scope: Scope) -> SSAValue:
    """ReduceMean: axes from attribute or input, all of them when absent."""
    x = scope.value(node)
    shape = shape_of(x)
    axes = node.integers("axes", ())
    if scope.opset >= _AXES_INPUT and node.has_input(1):
        axes = tuple(int(axis) for axis in scope.constant(node, 1, "axes").reshape(-1))
    if not axes and node.integer("noop_with_empty_axes", 0):
        return scope.emit(IdentityOp, node, [x], shape)
    axes, keep = node.axes(axes or range(len(shape)), len(shape)), int(bool(node.integer("keepdims", 1)))
    kept = [1 if axis in axes else dim for axis, dim in enumerate(shape) if keep or axis not in axes]
    return scope.emit(ReduceMeanOp, node, [x], kept, {"axes": axes, "keepdims": keep})


OPERATORS = {"ReduceMean": reduce_mean}
