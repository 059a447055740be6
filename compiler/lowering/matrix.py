"""Conv, Gemm and MatMul: which filters they apply to which feature map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.kernel import Kernel
from compiler.lowering.feature_map import FeatureMap, channel_first, normalised
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import Lowering, Target
from compiler.lowering.window import Window, window_of
from compiler.partition.matrix import BlockMatrix
from emu.errors import CompileError
from emu.program.form import LEAST, Form, axis_size


def constant_key(op: onnx.OnnxOp, position: int, role: str) -> str:
    """The weight-store key of a constant operand; raises CompileError, which calls it `role`, if it is not constant."""
    owner = op.operands[position].owner
    if isinstance(owner, onnx.ConstantOp):
        return owner.key.data
    raise CompileError(
        f"{op.label}: its {role} is computed at run time, but crossbars need"
        " constant weights; use a model with the weights as initialisers"
    )


def lower_conv(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Convolution, weights [filters, channels / groups, (kernel height,) kernel width].

    Without groups it is one dense product; small groups are packed block-diagonally, large ones are a product each.
    """
    conv = cast(onnx.ConvOp, op)
    source, window = lowering.spatial(op, conv.x), window_of(conv)
    weights = constant_key(op, 1, "kernel")
    bias = constant_key(op, 2, "bias") if conv.b is not None else None
    array = lowering.weights.get(weights)
    if array.ndim == 3:
        array = array[:, :, None, :]
        weights = lowering.weights.put(f"{weights}/2d", array)
    filters, per_group, groups = int(array.shape[0]), int(array.shape[1]), conv.group.value.data
    target = lowering.target(op, lowering.form(op, op.shape, channel_first(len(op.shape))))
    if groups > 1 and not BlockMatrix.fits(per_group, filters // groups, window.kernel, lowering.context.arch):
        _lower_large_groups(lowering, op, source, (weights, bias), window, target, groups)
        return
    builder = LayerBuilder(lowering.into, op.node.data)
    padded = builder.channels(source, 0, source.extent[0], window.pads)
    if groups == 1:
        made = _dense(builder, padded, weights, bias, window, target.tile, target.epilogue)
    else:
        properties: dict[str, Attribute] = {
            "origin": attr.integer(0),
            "groups": attr.integer(groups),
            "blocks": attr.ints((0, groups)),
        }
        made = _product(builder, ApplyBlocksOp, padded, weights, bias, window, target.tile, target.epilogue, properties)
    lowering.finish(builder, target, made)


def _lower_large_groups(
    lowering: Lowering,
    op: onnx.OnnxOp,
    source: FeatureMap,
    keys: tuple[str, str | None],
    window: Window,
    target: Target,
    groups: int,
) -> None:
    """One product per group, each of a range of channels; their results are joined."""
    weights, bias = keys
    array = lowering.weights.get(weights)
    per_group, size = int(array.shape[1]), int(array.shape[0]) // groups
    parts: list[SSAValue] = []
    for group in range(groups):
        part = slice(group * size, (group + 1) * size)
        key = lowering.weights.put(f"{weights}/group{group}", array[part])
        group_bias = lowering.weights.put(f"{bias}/group{group}", lowering.weights.get(bias)[part]) if bias else None
        builder = LayerBuilder(lowering.into, op.node.data)
        padded = builder.channels(source, group * per_group, (group + 1) * per_group, window.pads)
        tile = (*target.tile[:2], size)
        made = _dense(builder, padded, key, group_bias, window, tile, target.epilogue)
        parts.append(builder.finish(made, target.tensor, target.form, part.start))
    lowering.join(target, parts)


def _dense(
    builder: LayerBuilder,
    padded: SSAValue,
    weights: str,
    bias: str | None,
    window: Window,
    tile: Sequence[int],
    epilogue: attr.Epilogue,
) -> SSAValue:
    """All filters of `weights` on `padded` [height][width][channel], as one row tile and one column tile."""
    rows = attr.shape_of(padded)[2] * window.kernel[0] * window.kernel[1]
    properties: dict[str, Attribute] = {
        "origins": attr.ints((0,)),
        "tiles": attr.ints((0, 0, rows)),
        "channels": attr.ints((0, tile[2])),
    }
    return _product(builder, ApplyFiltersOp, padded, weights, bias, window, tile, epilogue, properties)


def _product(
    builder: LayerBuilder,
    kind: type[Kernel],
    padded: SSAValue,
    weights: str,
    bias: str | None,
    window: Window,
    tile: Sequence[int],
    epilogue: attr.Epilogue,
    properties: Mapping[str, Attribute],
) -> SSAValue:
    full: dict[str, Attribute] = {**window.properties(), **properties, "weights": StringAttr(weights)}
    if bias is not None:
        full["bias"] = StringAttr(bias)
    return builder.kernel(kind, [padded], tile, full, epilogue)


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
    """MatMul with constant weights [K, N] on the right; raises CompileError for any other."""
    _lower_product(lowering, op, cast(onnx.MatMulOp, op).x, constant_key(op, 1, "right operand"), None)


def _lower_product(lowering: Lowering, op: onnx.OnnxOp, x: SSAValue, key: str, bias: str | None) -> None:
    """x[.., K] w[K, N]: a whole-image kernel when x is a flattened image, else a 1x1 kernel over its rows."""
    source = lowering.feature_map(op, x)
    array = lowering.weights.get(key)
    if array.ndim != 2:
        raise CompileError(f"{op.label}: its weights have shape {list(array.shape)}, but two dimensions are needed")
    if any(source.layout[:-1]) or len(source.layout[-1]) < 2 or len(source.extent) > LEAST:
        source = lowering.rows(op, x)
        kernel, filters = (1, 1), array.T[:, :, None, None]
        extent = (int(array.shape[1]), *source.extent[1:])
        layout = (*source.layout[:-1], "C")
    else:
        kernel, filters = (source.extent[1], source.extent[2]), _image_kernel(array, source)
        extent, layout = (int(array.shape[1]), 1, 1), ("",) * (len(op.shape) - 1) + ("C",)
    weights = lowering.weights.put(f"{key}/filters", filters)
    target = lowering.target(op, Form(op.shape, extent, normalised(layout, extent)))
    builder = LayerBuilder(lowering.into, op.node.data)
    made = _dense(builder, builder.tensor(source), weights, bias, Window(kernel), target.tile, target.epilogue)
    lowering.finish(builder, target, made)


def _image_kernel(weights: Array, source: FeatureMap) -> Array:
    """Weights [K, N] of a flattened image as filters [N, C, H, W]: a view of the array, nothing is copied."""
    axes = source.layout[-1] + "".join(axis for axis in "CHW" if axis not in source.layout[-1])
    sizes = [axis_size(source.extent, axis) for axis in axes]
    split = weights.reshape(*sizes, weights.shape[1])
    return split.transpose(3, axes.index("C"), axes.index("H"), axes.index("W"))
