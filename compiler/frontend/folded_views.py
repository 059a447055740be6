"""Folded nodes that only move the elements of a constant, or change each by itself: what they keep of its order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto

from compiler.basis.weights import Array

# Operators whose result has, in C order, an element for each one of the first operand, made from that alone.
_IN_ORDER = frozenset(
    (
        *("Identity", "Cast", "CastLike", "DequantizeLinear", "QuantizeLinear"),
        *("Reshape", "Squeeze", "Unsqueeze", "Flatten"),
    )
)


def view_of(node: NodeProto, inputs: Sequence[Array | None], result: Array) -> Array | None:
    """The view of its first operand that has, in C order, the element from which each one of `result` is made.

    None for operators that make elements from several ones, or leave some out.
    """
    operand = inputs[0] if inputs else None
    if operand is None or operand.size != result.size:
        return None
    if node.op_type == "Transpose":
        perm = next((tuple(attribute.ints) for attribute in node.attribute if attribute.name == "perm"), None)
        return np.transpose(operand, perm)
    return operand if node.op_type in _IN_ORDER else None
