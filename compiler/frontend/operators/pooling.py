"""Imports pooling over any number of spatial dimensions: explicit pads, ceil mode as larger end pads."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import AveragePoolOp, GlobalAveragePoolOp, GlobalMaxPoolOp, MaxPoolOp
from compiler.dialects.onnx_op import OnnxOp, PropertyValue
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.windows import Window, pixels_of, window

_GLOBAL: dict[str, type[OnnxOp]] = {"GlobalAveragePool": GlobalAveragePoolOp, "GlobalMaxPool": GlobalMaxPoolOp}


def max_pool(node: Node, scope: Scope) -> SSAValue:
    """MaxPool: padding never is the maximum, so ceil mode is the same as larger end pads."""
    x, view = _pool(node, scope)
    return scope.emit(MaxPoolOp, node, [x], (*shape_of(x)[:2], *view.output), view.properties)


def average_pool(node: Node, scope: Scope) -> SSAValue:
    """AveragePool: what ceil mode adds is never counted, so where padding is, ceil mode stays one."""
    x, view = _pool(node, scope)
    counted = bool(node.integer("count_include_pad", 0)) and any(view.given)
    properties: dict[str, PropertyValue] = {**view.properties, "count_include_pad": int(counted)}
    if counted and view.pads != view.given:
        properties |= {"pads": view.given, "ceil_mode": 1}
    return scope.emit(AveragePoolOp, node, [x], (*shape_of(x)[:2], *view.output), properties)


def global_pool(node: Node, scope: Scope) -> SSAValue:
    """GlobalAveragePool and GlobalMaxPool: [N,C,...,H,W] -> [N,C,...,1,1]."""
    x = pixels_of(node, scope)
    samples, channels, *sizes = shape_of(x)
    return scope.emit(_GLOBAL[node.kind], node, [x], (samples, channels, *(1 for _ in sizes)))


def _pool(node: Node, scope: Scope) -> tuple[SSAValue, Window]:
    """The image to pool and the window over it."""
    x, kernel = pixels_of(node, scope), node.integers("kernel_shape", ())
    if len(kernel) + 2 != len(shape_of(x)):
        node.refuse(f"has kernel {list(kernel)} for an input of shape {list(shape_of(x))}")
    return x, window(node, shape_of(x)[2:], kernel)


OPERATORS = {"MaxPool": max_pool, "AveragePool": average_pool, **dict.fromkeys(_GLOBAL, global_pool)}
