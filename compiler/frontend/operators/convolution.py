"""Imports Conv: two spatial dimensions, constant weights, explicit pads."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import ConvOp
from compiler.frontend.node import Node
from compiler.frontend.operators.windows import window
from compiler.frontend.scope import Scope, shape_of


def conv(node: Node, scope: Scope) -> SSAValue:
    """x[1,C,H,W], w[M,C/group,kH,kW], optional b[M]."""
    x, weights, group = scope.value(node), scope.constant(node, 1, "weights"), node.integer("group", 1)
    shape = shape_of(x)
    if len(shape) != 4 or weights.ndim != 4:
        node.refuse(f"has an input of shape {list(shape)}; only convolutions over two dimensions are supported")
    filters, depth = weights.shape[:2]
    if group < 1 or depth * group != shape[1] or filters % group:
        node.refuse(f"has weights {list(weights.shape)} and group {group}, which do not fit input {list(shape)}")
    if node.integers("kernel_shape", weights.shape[2:]) != weights.shape[2:]:
        node.refuse(f"has a kernel_shape that is not that of its weights {list(weights.shape)}")
    operands = [x, scope.value(node, 1)]
    if node.has_input(2):
        if scope.constant(node, 2, "bias").shape != (filters,):
            node.refuse(f"has a bias of shape {list(scope.shape(node.inputs[2]))} for {filters} filters")
        operands.append(scope.value(node, 2))
    view = window(node, shape[2:], weights.shape[2:])
    return scope.emit(ConvOp, node, operands, (shape[0], filters, *view.output), {"group": group, **view.properties})


OPERATORS = {"Conv": conv}
