"""Add, Sub, Mul, Div of two tensors or of a tensor and a constant, with broadcasting."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.elementwise import ElementwiseOp
from compiler.lowering.feature_map import (
    Extent,
    FeatureMap,
    Layout,
    axis_size,
    channel_first,
    channel_last,
    place_shape,
)
from compiler.lowering.lowering import Lowering
from emu.errors import CompileError

FUNCTIONS: dict[type[onnx.OnnxOp], str] = {
    onnx.AddOp: "add",
    onnx.SubOp: "sub",
    onnx.MulOp: "mul",
    onnx.DivOp: "div",
}


def lower_elementwise(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """The table's function."""
    constants = [isinstance(value.owner, onnx.ConstantOp) for value in op.operands]
    if any(constants):
        _lower_constant(lowering, op, constants.index(True))
    else:
        _lower_two(lowering, op)


def _unsupported(op: onnx.OnnxOp, left: tuple[int, ...], right: tuple[int, ...]) -> CompileError:
    return CompileError(
        f"{op.label}: shapes {list(left)} and {list(right)} cannot be broadcast"
        " here; tensors of rank 1 to 4 with a batch of 1 are supported"
    )


def _aligned(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap, layout: Layout) -> FeatureMap:
    """`source` with leading dimensions of size 1 up to the result's rank, in `layout`."""
    shape = (1,) * (len(layout) - len(source.shape)) + source.shape
    lifted = ("",) * (len(layout) - len(source.shape)) + source.layout
    view = lowering.view(source, shape, lifted)
    placed = place_shape(shape, layout)
    if placed is None:
        raise _unsupported(op, source.shape, op.shape)
    return lowering.relayout(op, view, shape, *placed)


def _merged(layout: Layout) -> bool:
    return any(len(axes) > 1 for axes in layout)


def _lower_two(lowering: Lowering, op: onnx.OnnxOp) -> None:
    left, right = (lowering.feature_map(op, value) for value in op.operands)
    if left.shape == right.shape and left.layout == right.layout and left.extent == right.extent:
        extent, layout = left.extent, left.layout
    else:
        wanted = _common_layout(op, left, right)
        left, right = (_aligned(lowering, op, source, wanted) for source in (left, right))
        placed = place_shape(op.shape, wanted)
        if placed is None:
            raise _unsupported(op, left.shape, right.shape)
        extent, layout = placed
    lowering.layer(op, lowering.target(op, extent, layout), ElementwiseOp, [left, right], _properties(op, extent))


def _properties(op: onnx.OnnxOp, extent: Extent) -> dict[str, Attribute]:
    return {"fn": StringAttr(FUNCTIONS[type(op)]), "channels": attr.ints((0, extent[0]))}


def _common_layout(op: onnx.OnnxOp, left: FeatureMap, right: FeatureMap) -> Layout:
    """The layout of the operand of full rank, if its axes are single; else channels first."""
    for source in (left, right):
        full = tuple(axes or name for axes, name in zip(source.layout, _spare(source.layout), strict=True))
        if source.shape == op.shape and not _merged(full):
            return full
    layout = channel_first(len(op.shape)) or channel_last(len(op.shape))
    if layout is None:
        raise _unsupported(op, left.shape, right.shape)
    return layout


def _spare(layout: Layout) -> Layout:
    """Axis names for the dimensions of size 1, so that the other operand may be larger there."""
    unused = [axis for axis in "CHW" if not any(axis in axes for axes in layout)]
    names: list[str] = []
    for axes in reversed(layout):  # the leading dimension, the batch, gets one last
        names.append("" if axes or not unused else unused.pop())
    return tuple(reversed(names))


def _lower_constant(lowering: Lowering, op: onnx.OnnxOp, position: int) -> None:
    source = lowering.feature_map(op, op.operands[1 - position])
    owner = cast(onnx.ConstantOp, op.operands[position].owner)
    array = lowering.weights.get(owner.key.data)
    if source.shape != op.shape:  # the constant enlarges the tensor
        wanted = channel_first(len(op.shape)) or channel_last(len(op.shape))
        if wanted is None:
            raise _unsupported(op, source.shape, array.shape)
        source = _aligned(lowering, op, source, wanted)
        placed = place_shape(op.shape, wanted)
        if placed is None:
            raise _unsupported(op, source.shape, array.shape)
        extent, layout, single = *placed, wanted
    else:
        extent, layout, single = source.extent, source.layout, source.layout
    key = lowering.weights.put(f"{owner.key.data}/tiles", _physical(array, op.shape, single, extent))
    properties: dict[str, Attribute] = {
        **_properties(op, extent),
        "constant": StringAttr(key),
        "constant_first": attr.integer(1 if position == 0 else 0),
    }
    lowering.layer(op, lowering.target(op, extent, layout), ElementwiseOp, [source], properties)


def _physical(array: Array, shape: tuple[int, ...], layout: Layout, extent: Extent) -> Array:
    """A logical constant as [h][w][c], each of size 1 or full, contiguous float32."""
    lifted = array.reshape((1,) * (len(shape) - array.ndim) + array.shape)
    sizes: list[int] = []
    axes = ""
    for dim, group in enumerate(layout):
        if len(group) > 1 and lifted.shape[dim] == 1:
            sizes += [1] * len(group)
        elif len(group) > 1:
            sizes += [axis_size(extent, axis) for axis in group]
        elif group:
            sizes.append(lifted.shape[dim])
        axes += group
    missing = [axis for axis in "HWC" if axis not in axes]
    split = lifted.reshape(*sizes, *(1 for _ in missing))
    axes += "".join(missing)
    return np.ascontiguousarray(split.transpose([axes.index(axis) for axis in "HWC"]), dtype=np.float32)
