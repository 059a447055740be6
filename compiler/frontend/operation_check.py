"""Checks an operation of an edited text as the node that it stands for: by the functions that import nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation

from compiler.dialects import onnx
from compiler.dialects.recurrent import RecurrentOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import LIMITS, Scope, is_possible, product, shape_of
from compiler.frontend.operators import OPERATORS
from compiler.session.context import CompilerContext

_NAMES = ("node", "tensor", "tensors")  # properties that are no attributes of a node
_OPSET = 10  # the newest operator set in which all properties of our operations are attributes, not inputs
_OPSETS: Mapping[type[onnx.OnnxOp], int] = {onnx.SoftmaxOp: 13}  # the set since which it works along one axis


def check_operation(op: onnx.OnnxOp, where: str) -> None:
    """Raise CompileError, which begins with `where`, unless the importer makes just such an operation of its node.

    Weights are not read: a constant counts as zeros of its shape and type.
    """
    attributes = {name: _plain(value) for name, value in op.properties.items() if name not in _NAMES}
    inputs = tuple(f"{index}" for index in range(len(op.operands)))
    node = Node(op.node.data, op.name.removeprefix("onnx."), inputs, op.tensor_names, where, attributes)
    for value in (*op.operands, *op.results):
        if not is_possible(shape_of(value)):
            node.refuse(f"has a value of {product(shape_of(value))} elements: {LIMITS}")
    # No node stands for a nest, a recurrence, or a product whose zero points are folded: its verifier says it all.
    if isinstance(op, onnx.ConstantOp | RecurrentOp) or not op.name.startswith("onnx."):
        return
    block = Block(arg_types=op.operand_types)
    scope = Scope(CompilerContext(), block, _OPSETS.get(type(op), _OPSET), where)
    for name, argument, value in zip(inputs, block.args, op.operands, strict=True):
        scope.define(name, argument)
        if isinstance(value.owner, onnx.ConstantOp):
            scope.define(name, np.broadcast_to(np.zeros((), dtype_of(value).numpy), shape_of(value)))
    if isinstance(op, onnx.ReshapeOp):
        node = replace(node, inputs=(*inputs, "shape"), attributes={"allowzero": 1})
        scope.define("shape", np.array(op.shape, np.int64))
    OPERATORS[node.kind](node, scope)
    _compare(node, op, list(block.ops))


def _compare(node: Node, op: onnx.OnnxOp, made: list[Operation]) -> None:
    """Refuse `op` unless `made` is one operation of its class, of its types, with its whole numbers."""
    if len(made) != 1 or type(made[0]) is not type(op):
        node.refuse("does not stand so in a text: compare with the text before the edit")
    for name, value in made[0].properties.items():
        given = op.properties.get(name, value)
        if isinstance(value, DenseArrayBase | IntegerAttr) and _plain(given) != _plain(value):
            node.refuse(
                f"has {name} {_plain(given)} for {_plain(value)}: axes count from 0 and ascend, flags are 0 or 1"
            )
    for given, value in zip(op.results, made[0].results, strict=True):
        if given.type != value.type:
            node.refuse(f"makes a {value.type}, not a {given.type}")


def _plain(attribute: Attribute) -> float | tuple[int, ...] | Attribute:
    """The Python value of a number or an array of numbers."""
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute.value.data
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else attribute
