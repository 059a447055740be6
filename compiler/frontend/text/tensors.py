"""Operations of `tensor`, and of `linalg` that only move elements, on results of cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.linalg.ops import FillOp, TransposeOp
from xdsl.ir import Operation, SSAValue

from compiler.dialects.linalg.forms import SoftmaxOp
from compiler.dialects.onnx import ConcatOp
from compiler.dialects.onnx import SoftmaxOp as OnnxSoftmaxOp
from compiler.dialects.onnx import TransposeOp as OnnxTransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import mapped, move
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.reader import Empty, Known, Padded, TextNode, TextReader
from compiler.frontend.text.shapes import numbers, padded, reshaped
from compiler.frontend.text.slices import extract_slice, insert_slice
from compiler.interpreter.host.tensors import DYNAMIC, collapsed, expanded, pads_of, sized
from compiler.interpreter.host.tensors import shape_of as declared
from compiler.interpreter.host.values import Array
from compiler.nests.linear import Linear, identity
from emu.isa.dtypes import DType

Read = Callable[[Any, TextNode, TextReader], Known]


def _empty(op: tensor.EmptyOp, node: TextNode, reader: TextReader) -> Known:
    return Empty(tuple(sized(op.tensor, numbers(op, 0, node, reader))), reader.dtype(op.tensor, node))


def _of_shape(op: Any, shape: Sequence[int], node: TextNode, reader: TextReader) -> Known:
    found = reader.values[op.operands[0]]
    if isinstance(found, Empty):
        return Empty(tuple(shape), found.dtype)
    assert isinstance(found, SSAValue)
    return reshaped(found, shape, node, reader)


def _collapse(op: tensor.CollapseShapeOp, node: TextNode, reader: TextReader) -> Known:
    return _of_shape(op, collapsed(reader.shape(op.src), op), node, reader)


def _expand(op: tensor.ExpandShapeOp, node: TextNode, reader: TextReader) -> Known:
    return _of_shape(op, expanded(op, [np.zeros(()), *numbers(op, 1, node, reader)][1:]), node, reader)


def _reshape(op: tensor.ReshapeOp, node: TextNode, reader: TextReader) -> Known:
    sizes = reader.known(op.shape)
    if sizes is None:
        node.refuse("has a shape that is computed at run time: give sizes that are known")
    return _of_shape(op, [int(size) for size in sizes], node, reader)


def _cast(op: tensor.CastOp, node: TextNode, reader: TextReader) -> Known:
    shape, wanted = reader.shape(op.source), declared(op.dest)
    if len(shape) != len(wanted) or any(a not in (b, DYNAMIC) for a, b in zip(wanted, shape, strict=True)):
        node.refuse(f"casts a tensor of shape {list(shape)} to {op.dest.type}")
    return reader.values[op.source]


def _pad(op: tensor.PadOp, node: TextNode, reader: TextReader) -> Known:
    low, high = pads_of(op, numbers(op, 1, node, reader))
    last = op.region.block.last_op
    assert last is not None
    value = last.operands[0]
    number = reader.known(value) if value in reader.values else _inner_number(op, value, reader)
    if number is None:
        node.refuse("pads with a number that is computed at run time, or depends on the place: use a constant")
    x = reader.tensor(op.source, node)
    made = padded(x, low, high, number.item(), node, reader)
    reader.pads[made] = Padded(x, tuple(low), tuple(high), number.item())
    return made


def _inner_number(op: tensor.PadOp, value: SSAValue, reader: TextReader) -> Array | None:
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not op.region.block or owner.operands:
        return None
    return np.asarray(reader.interpreter.run_op(owner, ())[0])


def _concat(op: tensor.ConcatOp, node: TextNode, reader: TextReader) -> Known:
    axis, shapes = op.dim.value.data, [reader.shape(value) for value in op.inputs]
    whole = list(shapes[0])
    whole[axis] = sum(shape[axis] for shape in shapes)
    values = [reader.tensor(value, node) for value in op.inputs]
    return reader.scope.emit(ConcatOp, node, values, whole, {"axis": axis})


def _spread_scalar(op: Any, value: SSAValue, shape: Sequence[int], node: TextNode, reader: TextReader) -> Known:
    """A number that a core makes, everywhere."""
    x = reader.tensor(value, node)
    return mapped(node, reader.scope, [x], [()], None, (shape, identity(len(shape))), shape)


def _splat(op: tensor.SplatOp, node: TextNode, reader: TextReader) -> Known:
    return _spread_scalar(op, op.input, sized(op.result, numbers(op, 1, node, reader)), node, reader)


def _fill(op: FillOp, node: TextNode, reader: TextReader) -> Known:
    shape = reader.shape(op.outputs[0])
    if reader.dtype(op.inputs[0], node) != reader.dtype(op.outputs[0], node):
        node.refuse("fills with a number of another type that is computed at run time: convert it first")
    return _spread_scalar(op, op.inputs[0], shape, node, reader)


def _from_elements(op: tensor.FromElementsOp, node: TextNode, reader: TextReader) -> Known:
    parts = [
        reshaped(reader.tensor(value, node), [1], node, reader, f"element{k}") for k, value in enumerate(op.elements)
    ]
    shape = declared(op.result)
    if len(parts) == 1:
        return reshaped(parts[0], shape, node, reader)
    made = reader.scope.emit(ConcatOp, node, parts, [len(parts)], {"axis": 0}, "elements")
    return reshaped(made, shape, node, reader)


def _extract(op: tensor.ExtractOp, node: TextNode, reader: TextReader) -> Known:
    places = [int(number) for number in numbers(op, 1, node, reader)]
    if any(not 0 <= at < size for at, size in zip(places, reader.shape(op.tensor), strict=True)):
        node.refuse(f"takes the element {places} of {list(reader.shape(op.tensor))}")
    source = tuple(Linear(at) for at in places)
    return move(node, reader.scope, reader.tensor(op.tensor, node), source, ())


def _transpose(op: TransposeOp, node: TextNode, reader: TextReader) -> Known:
    perm = [int(dim) for dim in op.permutation.get_values()]
    x = reader.tensor(op.inputs[0], node)
    shape = [shape_of(x)[axis] for axis in perm]
    return reader.scope.emit(OnnxTransposeOp, node, [x], shape, {"perm": perm})


def _softmax(op: SoftmaxOp, node: TextNode, reader: TextReader) -> Known:
    x = reader.tensor(op.inputs[0], node)
    if dtype_of(x) != DType.f32:
        node.refuse(f"computes in f32 only, not in {dtype_of(x).name}")
    return reader.scope.emit(OnnxSoftmaxOp, node, [x], shape_of(x), {"axis": op.dimension.value.data})


def _dim(op: tensor.DimOp, node: TextNode, reader: TextReader) -> Known:
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
    tensor.ExtractSliceOp: extract_slice,
    tensor.InsertSliceOp: insert_slice,
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
