"""Operations of `tensor`, and of `linalg` that only move elements, on results of cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import FillOp, TransposeOp
from xdsl.ir import Operation, SSAValue

from compiler.dialects.linalg.forms import SoftmaxOp
from compiler.dialects.onnx import ConcatOp, PadOp, ReshapeOp
from compiler.dialects.onnx import SoftmaxOp as OnnxSoftmaxOp
from compiler.dialects.onnx import TransposeOp as OnnxTransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import mapped, move
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.reader import Empty, Known, Padded, Reader, TextNode
from compiler.interpreter.host.tensors import DYNAMIC, collapsed, cuts_of, expanded, pads_of, reduced, sized
from compiler.interpreter.host.tensors import shape_of as declared
from compiler.interpreter.host.values import Array
from compiler.nests.linear import Linear, identity
from emu.isa.dtypes import DType

Read = Callable[[Any, TextNode, Reader], Known]


def _numbers(op: Operation, first: int, node: TextNode, reader: Reader) -> list[Array]:
    """The operands from number `first` on, which are sizes and places."""
    return [np.array(reader.number(value, node, "a size or place"), np.int64) for value in op.operands[first:]]


def reshaped(x: SSAValue, shape: Sequence[int], node: TextNode, reader: Reader, part: str = "") -> SSAValue:
    """A value in another shape."""
    if any(size < 0 for size in shape) or int(np.prod(shape, dtype=np.int64)) != int(np.prod(shape_of(x))):
        node.refuse(f"makes {list(shape)} of {list(shape_of(x))}, which has another number of elements")
    return reader.scope.emit(ReshapeOp, node, [x], shape, part=part)


def _empty(op: tensor.EmptyOp, node: TextNode, reader: Reader) -> Known:
    return Empty(tuple(sized(op.tensor, _numbers(op, 0, node, reader))), reader.dtype(op.tensor, node))


def _of_shape(op: Any, shape: Sequence[int], node: TextNode, reader: Reader) -> Known:
    found = reader.values[op.operands[0]]
    if isinstance(found, Empty):
        return Empty(tuple(shape), found.dtype)
    assert isinstance(found, SSAValue)
    return reshaped(found, shape, node, reader)


def _collapse(op: tensor.CollapseShapeOp, node: TextNode, reader: Reader) -> Known:
    return _of_shape(op, collapsed(reader.shape(op.src), op), node, reader)


def _expand(op: tensor.ExpandShapeOp, node: TextNode, reader: Reader) -> Known:
    return _of_shape(op, expanded(op, [np.zeros(()), *_numbers(op, 1, node, reader)][1:]), node, reader)


def _reshape(op: tensor.ReshapeOp, node: TextNode, reader: Reader) -> Known:
    sizes = reader.known(op.shape)
    if sizes is None:
        node.refuse("has a shape that is computed at run time: give sizes that are known")
    return _of_shape(op, [int(size) for size in sizes], node, reader)


def _cast(op: tensor.CastOp, node: TextNode, reader: Reader) -> Known:
    shape, wanted = reader.shape(op.source), declared(op.dest)
    if len(shape) != len(wanted) or any(a not in (b, DYNAMIC) for a, b in zip(wanted, shape, strict=True)):
        node.refuse(f"casts a tensor of shape {list(shape)} to {op.dest.type}")
    return reader.values[op.source]


def _extract_slice(op: tensor.ExtractSliceOp, node: TextNode, reader: Reader) -> Known:
    offsets, sizes, strides = cuts_of(op, _numbers(op, 1, node, reader))
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
    return x if plain else reshaped(x, made, node, reader)


def _check_cut(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int], node: TextNode
) -> None:
    for low, size, step, most in zip(offsets, sizes, strides, shape, strict=True):
        if low < 0 or step < 1 or size < 0 or (size and low + (size - 1) * step >= most):
            node.refuse(f"takes {size} elements from {low} by steps of {step} of {most}")


def _insert_slice(op: tensor.InsertSliceOp, node: TextNode, reader: Reader) -> Known:
    """What stands around is joined with it, axis by axis; between its elements there may be one number."""
    offsets, sizes, strides = cuts_of(op, _numbers(op, 2, node, reader))
    shape, dest = reader.shape(op.dest), reader.values[op.dest]
    _check_cut(offsets, sizes, strides, shape, node)
    x = reader.tensor(op.source, node)
    if shape_of(x) != tuple(sizes):
        x = reshaped(x, sizes, node, reader, "part")
    if any(step > 1 and size > 1 for step, size in zip(strides, sizes, strict=True)):
        number = _number_of(dest, node)
        for axis, (step, size) in enumerate(zip(strides, sizes, strict=True)):
            if step > 1 and size > 1:
                x = _spread(x, axis, step, number, node, reader)
    if isinstance(dest, Empty):
        if shape_of(x) != shape:
            node.refuse("puts a part into a tensor whose other elements nobody has written: fill it first")
        return x
    for axis in reversed(range(len(shape))):
        x = _within(x, axis, offsets, shape, op.dest, node, reader)
    return x


def _within(
    x: SSAValue, axis: int, offsets: Sequence[int], shape: Sequence[int], dest: SSAValue, node: TextNode, reader: Reader
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
    dest: SSAValue, begins: Sequence[int], sizes: Sequence[int], node: TextNode, reader: Reader, part: str
) -> SSAValue:
    """A box of a value of the text."""
    found = reader.known(dest)
    if found is not None:
        box = tuple(slice(low, low + size) for low, size in zip(begins, sizes, strict=True))
        return reader.constant(np.ascontiguousarray(found[box]), node, part)
    source = tuple(Linear.dim(axis).plus(low) for axis, low in enumerate(begins))
    return move(node, reader.scope, reader.tensor(dest, node), source, sizes, part)


def _spread(x: SSAValue, axis: int, step: int, number: float, node: TextNode, reader: Reader) -> SSAValue:
    """x with `step - 1` times a number between its elements along an axis."""
    own = list(shape_of(x))
    lifted = reshaped(x, [*own[: axis + 1], 1, *own[axis + 1 :]], node, reader, f"lifted{axis}")
    wide = _padded(
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


def _padded(
    x: SSAValue, low: Sequence[int], high: Sequence[int], number: float, node: TextNode, reader: Reader, part: str = ""
) -> SSAValue:
    shape = [a + size + b for a, size, b in zip(low, shape_of(x), high, strict=True)]
    value = float(number) if dtype_of(x).is_float else int(number)
    return reader.scope.emit(PadOp, node, [x], shape, {"pads": [*low, *high], "value": value}, part)


def _pad(op: tensor.PadOp, node: TextNode, reader: Reader) -> Known:
    low, high = pads_of(op, _numbers(op, 1, node, reader))
    last = op.region.block.last_op
    assert last is not None
    value = last.operands[0]
    number = reader.known(value) if value in reader.values else _inner_number(op, value, reader)
    if number is None:
        node.refuse("pads with a number that is computed at run time, or depends on the place: use a constant")
    x = reader.tensor(op.source, node)
    made = _padded(x, low, high, number.item(), node, reader)
    reader.pads[made] = Padded(x, tuple(low), tuple(high), number.item())
    return made


def _inner_number(op: tensor.PadOp, value: SSAValue, reader: Reader) -> Array | None:
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not op.region.block or owner.operands:
        return None
    return np.asarray(reader.interpreter.run_op(owner, ())[0])


def _concat(op: tensor.ConcatOp, node: TextNode, reader: Reader) -> Known:
    axis, shapes = op.dim.value.data, [reader.shape(value) for value in op.inputs]
    whole = list(shapes[0])
    whole[axis] = sum(shape[axis] for shape in shapes)
    values = [reader.tensor(value, node) for value in op.inputs]
    return reader.scope.emit(ConcatOp, node, values, whole, {"axis": axis})


def _spread_scalar(op: Any, value: SSAValue, shape: Sequence[int], node: TextNode, reader: Reader) -> Known:
    """A number that a core makes, everywhere."""
    x = reader.tensor(value, node)
    return mapped(node, reader.scope, [x], [()], None, (shape, identity(len(shape))), shape)


def _splat(op: tensor.SplatOp, node: TextNode, reader: Reader) -> Known:
    return _spread_scalar(op, op.input, sized(op.result, _numbers(op, 1, node, reader)), node, reader)


def _fill(op: FillOp, node: TextNode, reader: Reader) -> Known:
    shape = reader.shape(op.outputs[0])
    if reader.dtype(op.inputs[0], node) != reader.dtype(op.outputs[0], node):
        node.refuse("fills with a number of another type that is computed at run time: convert it first")
    return _spread_scalar(op, op.inputs[0], shape, node, reader)


def _from_elements(op: tensor.FromElementsOp, node: TextNode, reader: Reader) -> Known:
    parts = [
        reshaped(reader.tensor(value, node), [1], node, reader, f"element{k}") for k, value in enumerate(op.elements)
    ]
    shape = declared(op.result)
    if len(parts) == 1:
        return reshaped(parts[0], shape, node, reader)
    made = reader.scope.emit(ConcatOp, node, parts, [len(parts)], {"axis": 0}, "elements")
    return reshaped(made, shape, node, reader)


def _extract(op: tensor.ExtractOp, node: TextNode, reader: Reader) -> Known:
    places = [int(number) for number in _numbers(op, 1, node, reader)]
    if any(not 0 <= at < size for at, size in zip(places, reader.shape(op.tensor), strict=True)):
        node.refuse(f"takes the element {places} of {list(reader.shape(op.tensor))}")
    source = tuple(Linear(at) for at in places)
    return move(node, reader.scope, reader.tensor(op.tensor, node), source, ())


def _transpose(op: TransposeOp, node: TextNode, reader: Reader) -> Known:
    perm = [int(dim) for dim in op.permutation.get_values()]
    x = reader.tensor(op.inputs[0], node)
    shape = [shape_of(x)[axis] for axis in perm]
    return reader.scope.emit(OnnxTransposeOp, node, [x], shape, {"perm": perm})


def _softmax(op: SoftmaxOp, node: TextNode, reader: Reader) -> Known:
    x = reader.tensor(op.inputs[0], node)
    if dtype_of(x) != DType.f32:
        node.refuse(f"computes in f32 only, not in {dtype_of(x).name}")
    return reader.scope.emit(OnnxSoftmaxOp, node, [x], shape_of(x), {"axis": op.dimension.value.data})


def _dim(op: tensor.DimOp, node: TextNode, reader: Reader) -> Known:
    shape, at = reader.shape(op.source), reader.number(op.index, node, "a dimension")
    if not 0 <= at < len(shape):
        node.refuse(f"asks for dimension {at} of {len(shape)}")
    return np.array(shape[at], np.int64)


READERS: Mapping[type[Operation], Read] = {
    tensor.EmptyOp: _empty,
    tensor.CollapseShapeOp: _collapse,
    tensor.ExpandShapeOp: _expand,
    tensor.ReshapeOp: _reshape,
    tensor.CastOp: _cast,
    tensor.ExtractSliceOp: _extract_slice,
    tensor.InsertSliceOp: _insert_slice,
    tensor.PadOp: _pad,
    tensor.ConcatOp: _concat,
    tensor.SplatOp: _splat,
    tensor.FromElementsOp: _from_elements,
    tensor.ExtractOp: _extract,
    tensor.DimOp: _dim,
    FillOp: _fill,
    TransposeOp: _transpose,
    SoftmaxOp: _softmax,
}
