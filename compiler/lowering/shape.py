"""Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Concat, Split and Pad: views where possible, copies where not."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.dialects.parts import parts, whole_parts
from compiler.dialects.types import dtype_of
from compiler.kernels.concat import ConcatOp
from compiler.kernels.nest import NestOp
from compiler.lowering.feature_map import (
    FeatureMap,
    Layout,
    channel_first,
    channel_last,
    normalised,
    place_shape,
    regroup,
)
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import LayerTarget, Lowering
from compiler.nests.linear import identity
from compiler.nests.nest import Nest
from compiler.session.provenance import JOINED
from emu.program.form import CHANNEL, OTHERS, Form


def lower_reshape(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A row-major reshape: another view of the same tile, or a copy when an axis in memory must be split."""
    source = lowering.feature_map(op, op.operands[0])
    layout = regroup(op.shape, source.layout, source.extent)
    if layout is None:
        source, layout = _copied(lowering, op, source)
    lowering.alias(op, source, layout)


def _copied(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap) -> tuple[FeatureMap, Layout]:
    rank = len(op.shape)
    first = channel_first(rank)
    form = lowering.form(op, op.shape, first if op.shape[:1] == (1,) else channel_last(rank))
    return lowering.relayout(op, source, form), form.layout


def lower_transpose(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A permutation of dimensions is another view of the same tile."""
    source = lowering.feature_map(op, op.operands[0])
    perm = attr.values(cast(onnx.TransposeOp, op).perm)
    lowering.alias(op, source, tuple(source.layout[dim] for dim in perm))


def lower_concat(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Along the channels the tensors are joined as they stand; along other axes they are copied into one."""
    axis, layout = cast(onnx.ConcatOp, op).axis.value.data, channel_first(len(op.shape))
    form = lowering.form(op, op.shape, layout)
    assert layout is not None  # or there were no form
    given = [value for value in op.operands if prod(attr.shape_of(value))]
    places = [place_shape(attr.shape_of(value), layout, len(form.extent)) for value in given]
    sources = [
        _constant(lowering, op, value.owner, place)
        if isinstance(value.owner, onnx.ConstantOp)
        else lowering.relayout(op, lowering.feature_map(op, value), place)
        for value, place in zip(given, places, strict=True)
    ]
    target = lowering.target(op, form)
    if layout[axis] == CHANNEL and not target.epilogue:
        lowering.context.provenance.lost(op.tensor.data, JOINED)
        lowering.join(target, [source.tile for source in sources])
    else:
        place = form.names.index(layout[axis]) if layout[axis] in form.names else -1  # -1: a dimension of size 1
        _copy(lowering, op, sources, target, place)


def _constant(lowering: Lowering, op: onnx.OnnxOp, constant: onnx.ConstantOp, form: Form) -> FeatureMap:
    """A constant as a tensor on a core: a nest that copies it and needs no input."""
    key, dtype = f"{constant.key.data}/tensor", dtype_of(constant.result)
    key = lowering.weights.put(key, form.physical(lowering.weights.get(constant.key.data)))
    axes = identity(len(form.sizes))
    described = NestOp.described(Nest(form.sizes, (True,) * len(axes), (axes,), axes), [(key, dtype)])
    builder = LayerBuilder(lowering.into, op.node.data)
    (made,) = builder.typed(NestOp, [], [(form.sizes, dtype)], described)
    return FeatureMap(constant.tensor.data, form, builder.finish(made))


def _copy(lowering: Lowering, op: onnx.OnnxOp, sources: list[FeatureMap], target: LayerTarget, axis: int) -> None:
    builder = LayerBuilder(lowering.into, op.node.data)
    origins, at = list[list[int]](), 0
    for source in sources:
        origins.append([at if place == axis else 0 for place in range(len(source.extent))])
        at += source.form.sizes[axis]
    properties = {"parts": whole_parts(origins, [source.form.sizes for source in sources])}
    inputs = [builder.tensor(source) for source in sources]
    made = builder.kernel(ConcatOp, inputs, target.tile, properties, target.epilogue)
    lowering.finish(builder, target, made)


def lower_split(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Each result is a slice of the operand, in the operand's layout: one layer makes them all."""
    split = cast(onnx.SplitOp, op)
    source, axis = lowering.feature_map(op, split.x), split.axis.value.data
    if len(source.layout[axis]) > 1:  # several axes make up the dimension
        source = lowering.relayout(op, source, lowering.form(op, source.shape, channel_first(len(source.shape))))
    place = source.form.names.index(source.layout[axis]) if source.layout[axis] else -1  # -1: a dimension of size 1
    lowering.add_empty(op)
    builder, at = LayerBuilder(lowering.into, op.node.data), 0
    made: dict[SSAValue, tuple[SSAValue, str, Form]] = {}
    for tensor, size, result in zip(op.tensor_names, attr.values(split.split), op.results, strict=True):
        if size:
            sizes = [size if place == dim else full for dim, full in enumerate(source.form.sizes)]
            extent = (sizes[-1], *sizes[:-1])
            start = [at if place == dim else 0 for dim in range(len(sizes))]
            properties = {"parts": parts([([0] * len(sizes), start, sizes)])}
            part = builder.kernel(ConcatOp, [builder.tensor(source)], sizes, properties)
            made[result] = part, tensor, Form(attr.shape_of(result), extent, normalised(source.layout, extent))
        at += size
    for (result, (_, tensor, form)), value in zip(made.items(), builder.finish_all(list(made.values())), strict=True):
        lowering.maps[result] = FeatureMap(tensor, form, value)


def lower_pad(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """The box of the operand that is kept, in the middle of a number; in the operand's layout, if it has that axis."""
    pad = cast(onnx.PadOp, op)
    source, rank, pads = lowering.feature_map(op, pad.x), len(op.shape), attr.values(pad.pads)
    layout = _single_axes(source.layout, op.shape) or channel_first(rank)
    form = lowering.form(op, op.shape, layout, len(source.extent))
    assert layout is not None  # or there were no form
    source = lowering.relayout(op, source, place_shape(source.shape, layout, len(form.extent)))
    origins, starts = [0] * len(form.extent), [0] * len(form.extent)
    sizes = list(source.form.sizes)
    for axes, before, after in zip(layout, pads[:rank], pads[rank:], strict=True):
        if before or after:
            place = form.names.index(axes)
            origins[place], starts[place] = max(0, before), max(0, -before)
            sizes[place] += min(0, before) + min(0, after)
    properties = {"parts": parts([(origins, starts, sizes)]), "fill": pad.value}
    lowering.layer(op, lowering.target(op, form), ConcatOp, [source], properties)


def _single_axes(layout: Layout, shape: Sequence[int]) -> Layout | None:
    """`layout` with an axis for every dimension of `shape` that is not 1; None if a dimension is made of several."""
    if any(len(axes) > 1 for axes in layout):
        return None
    spare = [axis for axis in (CHANNEL, *OTHERS[::-1]) if axis not in layout]
    made = list(layout)
    for dim in reversed(range(len(shape))):
        if not layout[dim] and shape[dim] != 1:
            if not spare:
                return None
            made[dim] = spare.pop(0)
    return tuple(made)
