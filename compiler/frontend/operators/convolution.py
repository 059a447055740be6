"""Imports Conv and ConvTranspose: constant weights, explicit pads, over any number of spatial dimensions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import ConvOp, ConvTransposeOp
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.windows import pixels_of, transposed_window, window


def conv(node: Node, scope: Scope) -> SSAValue:
    """Input [N,C,...,H,W], weights [M,C/group,...,kH,kW], optional bias [M]."""
    x, weights, group = pixels_of(node, scope), scope.constant(node, 1, "weights"), node.integer("group", 1)
    shape = shape_of(x)
    check_weights(node, weights, shape, group)
    view = window(node, shape[2:], weights.shape[2:])
    result = (shape[0], weights.shape[0], *view.output)
    operands = _operands(node, scope, weights.shape[0])
    return scope.emit(ConvOp, node, operands, result, {"group": group, **view.properties})


def conv_transpose(node: Node, scope: Scope) -> SSAValue:
    """Input [N,C,...,H,W], weights [C,M/group,...,kH,kW], optional bias [M]."""
    x, weights, group = pixels_of(node, scope), scope.constant(node, 1, "weights"), node.integer("group", 1)
    shape = shape_of(x)
    check_weights(node, weights, shape, group, channels=0)
    view, output_padding = transposed_window(node, shape[2:], weights.shape[2:])
    filters = weights.shape[1] * group
    properties = {"group": group, **view.properties, "output_padding": output_padding}
    result = (shape[0], filters, *view.output)
    return scope.emit(ConvTransposeOp, node, _operands(node, scope, filters), result, properties)


def _operands(node: Node, scope: Scope, filters: int) -> list[SSAValue]:
    """Input, weights and, if there is one, the bias, which must be one number per filter."""
    operands = [scope.value(node, 0), scope.value(node, 1)]
    if node.has_input(2):
        if scope.constant(node, 2, "bias").shape != (filters,):
            node.refuse(f"has a bias of shape {list(scope.shape(node.inputs[2]))} for {filters} filters")
        operands.append(scope.value(node, 2))
    return operands


def check_weights(node: Node, weights: Array, shape: tuple[int, ...], group: int, channels: int = 1) -> None:
    """Refuse weights whose shape does not fit the `shape` of the input; `channels` is the dimension of its channels.

    In a Conv these are the channels of one group, in a ConvTranspose those of all.
    """
    fits = weights.ndim == len(shape) and group >= 1
    each = weights.shape[channels] * (group if channels else 1) if fits else 0
    if not fits or each != shape[1] or weights.shape[0] % group:
        node.refuse(f"has weights {list(weights.shape)} and group {group}, which do not fit input {list(shape)}")
    if node.integers("kernel_shape", weights.shape[2:]) != weights.shape[2:]:
        node.refuse(f"has a kernel_shape that is not that of its weights {list(weights.shape)}")


OPERATORS = {"Conv": conv, "ConvTranspose": conv_transpose}
