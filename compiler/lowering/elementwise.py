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
from compiler.lowering.feature_map import FeatureMap, Layout, channel_first, place_shape
from compiler.lowering.lowering import Lowering
from emu.program.form import CHANNEL, OTHERS, Form

FUNCTIONS: dict[type[onnx.OnnxOp], str] = {
    onnx.AddOp: "add",
    onnx.SubOp: "sub",
    onnx.MulOp: "mul",
    onnx.DivOp: "div",
}


def lower_elementwise(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """The operator's function of `FUNCTIONS`, on two tensors or on one and a constant."""
    constants = [isinstance(value.owner, onnx.ConstantOp) for value in op.operands]
    if any(constants):
        _lower_constant(lowering, op, constants.index(True))
    else:
        _lower_two(lowering, op)


def _aligned(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap, layout: Layout, count: int) -> FeatureMap:
    """`source` with leading dimensions of size 1 up to the result's rank, in `layout` of `count` axes."""
    missing = len(layout) - len(source.shape)
    view = source.seen_as((1,) * missing + source.shape, ("",) * missing + source.layout)
    return lowering.relayout(op, view, place_shape(view.shape, layout, count))


def _merged(layout: Layout) -> bool:
    return any(len(axes) > 1 for axes in layout)


def _lower_two(lowering: Lowering, op: onnx.OnnxOp) -> None:
    left, right = (lowering.feature_map(op, value) for value in op.operands)
    if left.form == right.form:
        form = left.form
    else:
        wanted = _common_layout(lowering, op, left, right)
        form = place_shape(op.shape, wanted)
        left, right = (_aligned(lowering, op, source, wanted, len(form.extent)) for source in (left, right))
    lowering.layer(op, lowering.target(op, form), ElementwiseOp, [left, right], _properties(op, form))


def _properties(op: onnx.OnnxOp, form: Form) -> dict[str, Attribute]:
    return {"fn": StringAttr(FUNCTIONS[type(op)]), "offsets": attr.ints([0] * len(form.extent))}


def _common_layout(lowering: Lowering, op: onnx.OnnxOp, left: FeatureMap, right: FeatureMap) -> Layout:
    """The layout of an operand of the result's shape, if each dimension is one axis or none; else channels first."""
    for source in (left, right):
        if source.shape == op.shape and not _merged(source.layout):
            return tuple(axes or name for axes, name in zip(source.layout, _spare(source.layout), strict=True))
    layout = channel_first(len(op.shape))
    if layout is None:
        lowering.form(op, op.shape, layout)
        raise AssertionError  # refused
    return layout


def _spare(layout: Layout) -> Layout:
    """Axis names for the dimensions without axes (of size 1), so that the other operand may be larger there."""
    order = OTHERS[-2:][::-1] + CHANNEL + OTHERS[:-2][::-1]  # W, H, C, then what lies outside of an image
    unused = [axis for axis in order if axis not in "".join(layout)][::-1]
    names: list[str] = []
    for axes in reversed(layout):  # the leading dimension, the batch, gets one last
        names.append("" if axes or not unused else unused.pop())
    return tuple(reversed(names))


def _lower_constant(lowering: Lowering, op: onnx.OnnxOp, position: int) -> None:
    source = lowering.feature_map(op, op.operands[1 - position])
    owner = cast(onnx.ConstantOp, op.operands[position].owner)
    array = lowering.weights.get(owner.key.data)
    form, single = source.form, source.layout
    if source.shape != op.shape:  # the constant enlarges the tensor
        wanted = channel_first(len(op.shape))
        form = lowering.form(op, op.shape, wanted)
        assert wanted is not None  # or there were no form
        source, single = _aligned(lowering, op, source, wanted, len(form.extent)), wanted
    key = lowering.weights.put(f"{owner.key.data}/tiles", _physical(array, op.shape, single, form))
    properties: dict[str, Attribute] = {
        **_properties(op, form),
        "constant": StringAttr(key),
        "constant_first": attr.integer(1 if position == 0 else 0),
    }
    lowering.layer(op, lowering.target(op, form), ElementwiseOp, [source], properties)


def _physical(array: Array, shape: tuple[int, ...], layout: Layout, form: Form) -> Array:
    """`array`, which broadcasts to `shape`, contiguous in the order of memory, each axis of size 1 or full."""
    lifted = array.reshape((1,) * (len(shape) - array.ndim) + array.shape)
    sizes: list[int] = []
    axes = ""
    for dim, group in enumerate(layout):
        known = "".join(axis for axis in group if axis in form.names)  # others are of size 1
        if len(known) > 1 and lifted.shape[dim] == 1:
            sizes += [1] * len(known)
        elif len(known) > 1:
            sizes += [form.size(axis) for axis in known]
        elif known:
            sizes.append(lifted.shape[dim])
        axes += known
    missing = [axis for axis in form.names if axis not in axes]
    split = lifted.reshape(*sizes, *(1 for _ in missing))
    axes += "".join(missing)
    return np.ascontiguousarray(split.transpose([axes.index(axis) for axis in form.names]))
