"""Parts of tensors, taken out of others and put into them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from compiler.dialects.onnx import ConcatOp
from compiler.frontend.nodes.nests import move
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.reader import Empty, Known, TextNode, TextReader
from compiler.frontend.text.shapes import numbers, padded, reshaped
from compiler.interpreter.host.tensors import cuts_of, reduced, slices_of
from compiler.interpreter.host.tensors import shape_of as declared
from compiler.interpreter.host.values import Array
from compiler.nests.linear import Linear, identity


def extract_slice(op: tensor.ExtractSliceOp, node: TextNode, reader: TextReader) -> Known:
    """A part of a tensor; of one that nobody has written, nothing is there."""
    offsets, sizes, strides = cuts_of(op, numbers(op, 1, node, reader))
    shape = reader.shape(op.source)
    _check_cut(offsets, sizes, strides, shape, node)
    made = reduced(sizes, declared(op.result))
    found = reader.values[op.source]
    if isinstance(found, Empty):
        return Empty(tuple(made), found.dtype)
    x = reader.tensor(op.source, node)
    plain = made == list(sizes)
    if list(sizes) != list(shape):
        source = tuple(
            Linear.of(low, {axis: step}) for axis, (low, step) in enumerate(zip(offsets, strides, strict=True))
        )
        x = move(node, reader.scope, x, source, sizes, "" if plain else "slice")
    made_of = x if plain else reshaped(x, made, node, reader)
    _note(reader, made_of, _unwritten(reader, found, shape)[slices_of(offsets, sizes, strides)].reshape(made))
    return made_of


def _check_cut(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int], node: TextNode
) -> None:
    for low, size, step, most in zip(offsets, sizes, strides, shape, strict=True):
        if low < 0 or step < 1 or size < 0 or (size and low + (size - 1) * step >= most):
            node.refuse(f"takes {size} elements from {low} by steps of {step} of {most}")


def insert_slice(op: tensor.InsertSliceOp, node: TextNode, reader: TextReader) -> Known:
    """What stands around is joined with it, axis by axis; between its elements there may be one number."""
    offsets, sizes, strides = cuts_of(op, numbers(op, 2, node, reader))
    shape, dest = reader.shape(op.dest), reader.values[op.dest]
    _check_cut(offsets, sizes, strides, shape, node)
    left = np.array(_unwritten(reader, dest, shape))
    left[slices_of(offsets, sizes, strides)] = False
    x = reader.tensor(op.source, node)
    if shape_of(x) != tuple(sizes):
        x = reshaped(x, sizes, node, reader, "part")
    if any(step > 1 and size > 1 for step, size in zip(strides, sizes, strict=True)):
        number = _number_of(dest, node)
        for axis, (step, size) in enumerate(zip(strides, sizes, strict=True)):
            if step > 1 and size > 1:
                x = _spread(x, axis, step, number, node, reader)
    for axis in reversed(range(len(shape))):
        x = _within(x, axis, offsets, shape, op.dest, node, reader)
    _note(reader, x, left)
    return x


def _unwritten(reader: TextReader, found: Known, shape: Sequence[int]) -> Array:
    """Which elements of a tensor nobody has written."""
    if isinstance(found, SSAValue) and found in reader.unwritten:
        return reader.unwritten[found]
    return np.broadcast_to(np.array(isinstance(found, Empty)), tuple(shape))


def _note(reader: TextReader, made: SSAValue, left: Array) -> None:
    if left.any():
        reader.unwritten[made] = left


def _within(
    x: SSAValue,
    axis: int,
    offsets: Sequence[int],
    shape: Sequence[int],
    dest: SSAValue,
    node: TextNode,
    reader: TextReader,
) -> SSAValue:
    """x with what stands before and behind it along an axis; it begins at `offsets` along those before."""
    own = shape_of(x)
    low, end = offsets[axis], offsets[axis] + own[axis]
    if low == 0 and end == shape[axis]:
        return x
    parts = list[SSAValue]()
    for at, (begin, stop) in (("before", (0, low)), ("behind", (end, shape[axis]))):
        if begin < stop:
            sizes = [*own[:axis], stop - begin, *own[axis + 1 :]]
            begins = [*offsets[:axis], begin, *[0] * (len(shape) - axis - 1)]
            parts.append(_part(dest, begins, sizes, node, reader, f"{at}{axis}"))
        if at == "before":
            parts.append(x)
    whole = [*own[:axis], shape[axis], *own[axis + 1 :]]
    return reader.scope.emit(ConcatOp, node, parts, whole, {"axis": axis}, f"axis{axis}")


def _part(
    dest: SSAValue, begins: Sequence[int], sizes: Sequence[int], node: TextNode, reader: TextReader, part: str
) -> SSAValue:
    """A box of a value of the text."""
    found = reader.values[dest]
    if isinstance(found, Empty):  # whose elements nobody may read
        found = np.zeros(found.shape, found.dtype.numpy)
    if not isinstance(found, SSAValue):
        box = tuple(slice(low, low + size) for low, size in zip(begins, sizes, strict=True))
        return reader.constant(np.ascontiguousarray(found[box]), node, part)
    source = tuple(Linear.dim(axis).plus(low) for axis, low in enumerate(begins))
    return move(node, reader.scope, reader.tensor(dest, node), source, sizes, part)


def _spread(x: SSAValue, axis: int, step: int, number: float, node: TextNode, reader: TextReader) -> SSAValue:
    """x with `step - 1` times a number between its elements along an axis."""
    own = list(shape_of(x))
    lifted = reshaped(x, [*own[: axis + 1], 1, *own[axis + 1 :]], node, reader, f"lifted{axis}")
    wide = padded(
        lifted, [0] * (len(own) + 1), _at(len(own) + 1, axis + 1, step - 1), number, node, reader, f"between{axis}"
    )
    flat = reshaped(wide, [*own[:axis], own[axis] * step, *own[axis + 1 :]], node, reader, f"flat{axis}")
    sizes = [*own[:axis], (own[axis] - 1) * step + 1, *own[axis + 1 :]]
    return move(node, reader.scope, flat, identity(len(own)), sizes, f"spread{axis}")


def _at(rank: int, axis: int, number: int) -> list[int]:
    return [number if place == axis else 0 for place in range(rank)]


def _number_of(found: Known, node: TextNode) -> float:
    if isinstance(found, SSAValue | Empty) or not found.size or (found != found.reshape(-1)[0]).any():
        node.refuse("puts elements apart into a tensor that is not one number: use a filled tensor")
    return found.reshape(-1)[0].item()
