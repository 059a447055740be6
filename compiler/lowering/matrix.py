"""Conv, Gemm and MatMul, of floats or of integers: which filters they apply to which feature map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import integer, onnx
from compiler.dialects.epilogue import Epilogue
from compiler.dialects.parts import RangesAttr, RowTilesAttr, whole_parts
from compiler.dialects.types import dtype_of
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.lowering.feature_map import FeatureMap, channel_first, channel_last, normalised, place_shape
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import LayerTarget, Lowering
from compiler.lowering.window import TileWindow, window_of
from compiler.mapping.tiling.matrix import BlockMatrix
from emu.errors import CompileError
from emu.isa.dtypes import DType
from emu.program.form import CHANNEL, Form, axis_names


def constant_key(op: onnx.OnnxOp, position: int, role: str) -> str:
    """The weight-store key of a constant operand; raises CompileError, which calls it `role`, if it is not constant."""
    owner = op.operands[position].owner
    if isinstance(owner, onnx.ConstantOp):
        return owner.key.data
    raise CompileError(
        f"{op.label}: its {role} is computed at run time, but crossbars need"
        " constant weights; use a model with the weights as initialisers"
    )


@dataclass(frozen=True, slots=True)
class ProductResult:
    """What a product makes: a tile, activated; ONNX tensor `tensor` of `form`, or without a name no such tensor."""

    tile: tuple[int, ...]
    dtype: DType
    epilogue: Epilogue = ()
    tensor: str = ""
    form: Form | None = None

    @staticmethod
    def of(target: LayerTarget) -> ProductResult:
        """All that `target` asks for."""
        return ProductResult(target.tile, dtype_of(target.value), target.epilogue, target.tensor, target.form)


def lower_conv(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Convolution, weights [filters, channels / groups, ..., kernel height, kernel width].

    Without groups it is one dense product; small groups are packed block-diagonally, large ones are a product each.
    """
    conv = cast("onnx.ConvOp | integer.ConvOp", op)
    source = lowering.spatial(op, conv.x)
    window = window_of(conv, len(source.extent) - 1)
    weights = constant_key(op, 1, "kernel")
    bias = constant_key(op, 2, "bias") if conv.b is not None else None
    form = lowering.form(op, op.shape, channel_first(len(op.shape)), len(source.extent))
    target = lowering.target(op, form)
    groups = conv.group.value.data
    lowering.define(target, convolve(lowering, op, source, (weights, bias), window, groups, ProductResult.of(target)))


def convolve(
    lowering: Lowering,
    op: onnx.OnnxOp,
    source: FeatureMap,
    keys: tuple[str, str | None],
    window: TileWindow,
    groups: int,
    target: ProductResult,
) -> SSAValue:
    """Append layers that slide a window over `source`; `keys` name weights and bias. Returns the result."""
    weights, bias = keys
    array = lowering.weights.get(weights)
    if array.shape[2:] != window.kernel:  # with axes over which nothing slides
        flat, array = array, array.reshape(*array.shape[:2], *window.kernel)
        weights = lowering.weights.derive(f"{weights}/lifted", array, weights, flat)
    filters, per_group, kind = int(array.shape[0]), int(array.shape[1]), DType.of(array.dtype)
    if groups > 1 and not BlockMatrix.fits(per_group, filters // groups, window.kernel, lowering.context.arch, kind):
        return _lower_large_groups(lowering, op, source, (weights, bias), window, target, groups)
    builder = LayerBuilder(lowering.into, op.node.data)
    padded = builder.channels(source, 0, source.extent[0], window.pads, _fill(op))
    if groups == 1:
        made = _dense(builder, padded, weights, bias, window, target)
    else:
        properties: dict[str, Attribute] = {
            "origin": attr.integer(0),
            "groups": attr.integer(groups),
            "blocks": RangesAttr(((0, groups),)),
        }
        made = _product(builder, ApplyBlocksOp, padded, weights, bias, window, target, target.tile, properties)
    return builder.finish(made, target.tensor, target.form)


def _fill(op: onnx.OnnxOp) -> int:
    """What stands outside of the image: the zero point of integers."""
    return op.fill.value.data if isinstance(op, integer.ConvOp) else 0


def _lower_large_groups(
    lowering: Lowering,
    op: onnx.OnnxOp,
    source: FeatureMap,
    keys: tuple[str, str | None],
    window: TileWindow,
    target: ProductResult,
    groups: int,
) -> SSAValue:
    """One product per group, each of a range of channels; their results are joined."""
    weights, bias = keys
    array = lowering.weights.get(weights)
    per_group, size = int(array.shape[1]), int(array.shape[0]) // groups
    parts: list[SSAValue] = []
    for group in range(groups):
        part = slice(group * size, (group + 1) * size)
        key = lowering.weights.derive(f"{weights}/group{group}", array[part], weights)
        group_bias = lowering.weights.put(f"{bias}/group{group}", lowering.weights.get(bias)[part]) if bias else None
        builder = LayerBuilder(lowering.into, op.node.data)
        padded = builder.channels(source, group * per_group, (group + 1) * per_group, window.pads, _fill(op))
        tile = (*target.tile[:-1], size)
        made = _dense(builder, padded, key, group_bias, window, target, tile)
        parts.append(builder.finish(made, target.tensor, target.form, part.start))
    return lowering.joined(target.tile, parts)


def _dense(
    builder: LayerBuilder,
    padded: SSAValue,
    weights: str,
    bias: str | None,
    window: TileWindow,
    target: ProductResult,
    tile: Sequence[int] = (),
) -> SSAValue:
    """All filters of `weights` on `padded` [...][height][width][channel], as one row tile and one column tile.

    They make a `tile` of `target`, by default all of it.
    """
    tile = tile or target.tile
    rows = attr.shape_of(padded)[-1] * prod(window.kernel)
    properties: dict[str, Attribute] = {
        "origins": attr.ints((0,)),
        "tiles": RowTilesAttr(((0, 0, rows),)),
        "channels": RangesAttr(((0, tile[-1]),)),
    }
    return _product(builder, ApplyFiltersOp, padded, weights, bias, window, target, tile, properties)


def _product(
    builder: LayerBuilder,
    kind: type[Kernel],
    padded: SSAValue,
    weights: str,
    bias: str | None,
    window: TileWindow,
    target: ProductResult,
    tile: Sequence[int],
    properties: Mapping[str, Attribute],
) -> SSAValue:
    full: dict[str, Attribute] = {**window.properties(), **properties, "weights": StringAttr(weights)}
    if bias is not None:
        full["bias"] = StringAttr(bias)
    (made,) = builder.typed(kind, [padded], [(tile, target.dtype)], full, target.epilogue)
    return made


def lower_gemm(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Gemm as `normalize-gemm` leaves it: y = x w + b; raises CompileError for any other."""
    gemm = cast(onnx.GemmOp, op)
    if any(value is not None for value in (gemm.alpha, gemm.beta, gemm.transA, gemm.transB)):
        raise CompileError(f"{op.label}: still has alpha, beta or transposes; run the pass normalize-gemm before")
    bias = None
    if gemm.b is not None:
        key = constant_key(op, 2, "bias")
        array = np.broadcast_to(lowering.weights.get(key), (1, op.shape[-1])).reshape(-1)
        bias = lowering.weights.put(f"{key}/row", array)
    _lower_product(lowering, op, gemm.x, constant_key(op, 1, "right operand"), bias)


def lower_matmul(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """MatMul with constant weights [K, N], or a stack of them, on the right; raises CompileError for any other."""
    x, key = op.operands[0], constant_key(op, 1, "right operand")
    if lowering.weights.get(key).ndim == 2:
        _lower_product(lowering, op, x, key, constant_key(op, 2, "bias") if len(op.operands) > 2 else None)
    else:
        _lower_stack(lowering, op, x, key)


def _lower_stack(lowering: Lowering, op: onnx.OnnxOp, x: SSAValue, key: str) -> None:
    """x [.., M, K] times a stack of matrices [.., K, N]: a product each with its part of x, and all put together."""
    source, array, rank = lowering.feature_map(op, x), lowering.weights.get(key), len(op.shape)
    layout, missing = channel_last(rank), rank - len(source.shape)
    form = lowering.form(op, op.shape, layout)
    assert layout is not None  # or there were no form
    view = source.seen_as((1,) * missing + source.shape, ("",) * missing + source.layout)
    source = lowering.relayout(op, view, place_shape(view.shape, layout, len(form.extent)))
    target, names, sizes = lowering.target(op, form), form.names[:-1], source.form.sizes[:-1]
    window, stack = TileWindow.over((1,) * len(names)), array.reshape((1,) * (rank - array.ndim) + array.shape)
    parts: list[SSAValue] = []
    origins: list[list[int]] = []
    for place in np.ndindex(*stack.shape[:-2]):
        at = {layout[dim]: index for dim, index in enumerate(place) if stack.shape[dim] > 1}
        taken = [
            (at.get(axis, 0), 1) if axis in at and size > 1 else (0, size)
            for axis, size in zip(names, sizes, strict=True)
        ]
        pads = (
            *(-low for low, _ in taken),
            *(low + count - size for (low, count), size in zip(taken, sizes, strict=True)),
        )
        builder = LayerBuilder(lowering.into, op.node.data)
        part = builder.channels(source, 0, source.extent[0], pads)
        turned = stack[place].T
        filters = turned.reshape(stack.shape[-1], -1, *window.kernel)
        weights = lowering.weights.derive(f"{key}/matrix{len(parts)}", filters, key, turned)
        tile = (*(count for _, count in taken), stack.shape[-1])
        parts.append(builder.finish(_dense(builder, part, weights, None, window, ProductResult.of(target), tile)))
        origins.append([*(at.get(axis, 0) for axis in names), 0])
    builder = LayerBuilder(lowering.into, op.node.data)
    properties = {"parts": whole_parts(origins, map(attr.shape_of, parts))}
    inputs = [builder.argument(part) for part in parts]
    lowering.finish(builder, target, builder.kernel(ConcatOp, inputs, target.tile, properties))


def _lower_product(lowering: Lowering, op: onnx.OnnxOp, x: SSAValue, key: str, bias: str | None) -> None:
    """x[.., K] w[K, N]: a kernel over the axes that the last dimension is made of, which slides over all others.

    For tokens that is a kernel of one pixel, for a flattened image one as large as the image.
    """
    source = lowering.feature_map(op, x)
    array = lowering.weights.get(key)
    if array.ndim != 2:
        raise CompileError(f"{op.label}: its weights have shape {list(array.shape)}, but two dimensions are needed")
    if CHANNEL in "".join(source.layout[:-1]):
        source = lowering.rows(op, source)
    names, features = source.form.names, source.layout[-1]
    window = TileWindow.over(tuple(source.form.size(axis) if axis in features else 1 for axis in names[:-1]))
    weights = lowering.weights.derive(f"{key}/filters", _filters(array, source), key)
    extent = (int(array.shape[1]), *(1 if axis in features else source.form.size(axis) for axis in names[:-1]))
    layout = (*source.layout[:-1], CHANNEL)
    target = lowering.target(op, Form(op.shape, extent, normalised(layout, extent)))
    builder = LayerBuilder(lowering.into, op.node.data)
    made = _dense(builder, builder.tensor(source), weights, bias, window, ProductResult.of(target))
    lowering.finish(builder, target, made)


def _filters(weights: Array, source: FeatureMap) -> Array:
    """Weights [K, N] of the last dimension of `source` as filters [N, C, ..., H, W]: a view, nothing is copied."""
    features, names = source.layout[-1], axis_names(len(source.extent))
    axes = features + "".join(axis for axis in names if axis not in features)
    sizes = [source.form.size(axis) if axis in features else 1 for axis in axes]
    return weights.reshape(*sizes, weights.shape[1]).transpose(len(axes), *map(axes.index, names))
