"""Imports Conv: constant weights, explicit pads, over any number of spatial dimensions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import ConvOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.windows import pixels_of, window


def conv(node: Node, scope: Scope) -> SSAValue:
    """Input [N,C,...,H,W], weights [M,C/group,...,kH,kW], optional bias [M]."""
    x, weights, group = pixels_of(node, scope), scope.constant(node, 1, "weights"), node.integer("group", 1)
    shape = shape_of(x)
    check_weights(node, weights, shape, group)
    operands = [x, scope.value(node, 1)]
    if node.has_input(2):
        if scope.constant(node, 2, "bias").shape != weights.shape[:1]:
            node.refuse(f"has a bias of shape {list(scope.shape(node.inputs[2]))} for {weights.shape[0]} filters")
        operands.append(scope.value(node, 2))
    view = window(node, shape[2:], weights.shape[2:])
    result = (shape[0], weights.shape[0], *view.output)
    return scope.emit(ConvOp, node, operands, result, {"group": group, **view.properties})


def check_weights(node: Node, weights: Array, shape: tuple[int, ...], group: int) -> None:
    """Refuse weights whose shape does not fit the `shape` of the input."""
    fits = weights.ndim == len(shape) and group >= 1
    if not fits or weights.shape[1] * group != shape[1] or weights.shape[0] % group:
        node.refuse(f"has weights {list(weights.shape)} and group {group}, which do not fit input {list(shape)}")
    if node.integers("kernel_shape", weights.shape[2:]) != weights.shape[2:]:
        node.refuse(f"has a kernel_shape that is not that of its weights {list(weights.shape)}")


OPERATORS = {"Conv": conv}
