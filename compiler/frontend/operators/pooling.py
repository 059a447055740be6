"""Imports pooling: explicit pads, ceil mode as larger end pads."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import AveragePoolOp, GlobalAveragePoolOp, MaxPoolOp
from compiler.frontend.node import Node
from compiler.frontend.operators.windows import Window, window
from compiler.frontend.scope import Scope, shape_of


def max_pool(node: Node, scope: Scope) -> SSAValue:
    """Padding never wins a maximum, so that ceil mode is exactly larger end pads."""
    x, view = _pool(node, scope)
    return scope.emit(MaxPoolOp, node, [x], (*shape_of(x)[:2], *view.output), view.properties)


def average_pool(node: Node, scope: Scope) -> SSAValue:
    """Elements added by ceil mode are never counted; with zero pads `count_include_pad` therefore means nothing."""
    x, view = _pool(node, scope)
    counted = node.integer("count_include_pad", 0)
    if counted and view.extended:
        if any(node.integers("pads", ())):
            node.refuse("combines ceil_mode, pads and count_include_pad: set one of them to 0")
        counted = 0
    shape = (*shape_of(x)[:2], *view.output)
    properties = {**view.properties, "count_include_pad": int(bool(counted))}
    return scope.emit(AveragePoolOp, node, [x], shape, properties)


def global_average_pool(node: Node, scope: Scope) -> SSAValue:
    """[1,C,H,W] -> [1,C,1,1]."""
    x = scope.value(node)
    return scope.emit(GlobalAveragePoolOp, node, [x], (*_image(node, x)[:2], 1, 1))


def _pool(node: Node, scope: Scope) -> tuple[SSAValue, Window]:
    x = scope.value(node)
    return x, window(node, _image(node, x)[2:], node.integers("kernel_shape", ()))


def _image(node: Node, x: SSAValue) -> tuple[int, ...]:
    shape = shape_of(x)
    if len(shape) != 4:
        node.refuse(f"has an input of shape {list(shape)}; only pooling over two dimensions is supported")
    return shape


OPERATORS = {"MaxPool": max_pool, "AveragePool": average_pool, "GlobalAveragePool": global_average_pool}
