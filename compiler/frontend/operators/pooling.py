"""Imports pooling: explicit pads, ceil mode as larger end pads; over a signal as over an image of one row."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import AveragePoolOp, GlobalAveragePoolOp, MaxPoolOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.windows import Window, emit_window, image_of, window


def max_pool(node: Node, scope: Scope) -> SSAValue:
    """MaxPool: padding never is the maximum, so ceil mode is the same as larger end pads."""
    x, view = _pool(node, scope)
    return emit_window(MaxPoolOp, node, scope, [x], (*shape_of(x)[:2], *view.output), view.properties)


def average_pool(node: Node, scope: Scope) -> SSAValue:
    """AveragePool: what ceil mode adds is never counted, so with pads of zero `count_include_pad` means nothing."""
    x, view = _pool(node, scope)
    counted = node.integer("count_include_pad", 0)
    if counted and view.extended:
        if any(node.integers("pads", ())):
            node.refuse("combines ceil_mode, pads and count_include_pad: set one of them to 0")
        counted = 0
    properties = {**view.properties, "count_include_pad": int(bool(counted))}
    return emit_window(AveragePoolOp, node, scope, [x], (*shape_of(x)[:2], *view.output), properties)


def global_average_pool(node: Node, scope: Scope) -> SSAValue:
    """GlobalAveragePool: [N,C,H,W] -> [N,C,1,1]."""
    x = image_of(node, scope)
    return emit_window(GlobalAveragePoolOp, node, scope, [x], (*shape_of(x)[:2], 1, 1))


def _pool(node: Node, scope: Scope) -> tuple[SSAValue, Window]:
    """The image to pool and the window over it."""
    x, kernel = image_of(node, scope), node.integers("kernel_shape", ())
    if len(kernel) + 2 != len(scope.shape(node.inputs[0])):
        node.refuse(f"has kernel {list(kernel)} for an input of shape {list(scope.shape(node.inputs[0]))}")
    return x, window(node, shape_of(x)[2:], kernel)


OPERATORS = {"MaxPool": max_pool, "AveragePool": average_pool, "GlobalAveragePool": global_average_pool}
