"""What operations of `tensor` share: sizes among the operands, values in another shape, with a number around them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from compiler.dialects.onnx import PadOp, ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.reader import TextNode, TextReader
from compiler.interpreter.host.values import Array


def numbers(op: Operation, first: int, node: TextNode, reader: TextReader) -> list[Array]:
    """The operands from number `first` on, which are sizes and places."""
    return [np.array(reader.number(value, node, "a size or place"), np.int64) for value in op.operands[first:]]


def reshaped(x: SSAValue, shape: Sequence[int], node: TextNode, reader: TextReader, part: str = "") -> SSAValue:
    """A value in another shape."""
    if any(size < 0 for size in shape) or int(np.prod(shape, dtype=np.int64)) != int(np.prod(shape_of(x))):
        node.refuse(f"makes {list(shape)} of {list(shape_of(x))}, which has another number of elements")
    return reader.scope.emit(ReshapeOp, node, [x], shape, part=part)


def padded(
    x: SSAValue,
    low: Sequence[int],
    high: Sequence[int],
    number: float,
    node: TextNode,
    reader: TextReader,
    part: str = "",
) -> SSAValue:
    """x with a number around it, as many times before and after each dimension."""
    shape = [a + size + b for a, size, b in zip(low, shape_of(x), high, strict=True)]
    value = float(number) if dtype_of(x).is_float else int(number)
    return reader.scope.emit(PadOp, node, [x], shape, {"pads": [*low, *high], "value": value}, part)
