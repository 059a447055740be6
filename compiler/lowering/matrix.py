"""Conv, Gemm and MatMul: which filters they apply to which feature map."""

from __future__ import annotations

from typing import cast

import numpy as np

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.lowering.blocks import GroupedFilters
from compiler.lowering.feature_map import FeatureMap, axis_size
from compiler.lowering.filters import Filters, Window
from compiler.lowering.lowering import Lowering
from compiler.partition.matrix import BlockMatrix
from compiler.weights import Array
from emu.errors import CompileError


def constant_key(op: onnx.OnnxOp, position: int, role: str) -> str:
    """The weight-store key of a constant operand; raises CompileError if it is computed at run time."""
    owner = op.operands[position].owner
    if isinstance(owner, onnx.ConstantOp):
        return owner.key.data
    raise CompileError(
        f"{op.label}: its {role} is computed at run time, but crossbars need"
        " constant weights; use a model with the weights as initialisers"
    )


def two(values: tuple[int, ...], fill: int) -> tuple[int, int]:
    """A (y, x) pair of a 1-D or 2-D attribute."""
    return (fill, values[0]) if len(values) == 1 else (values[0], values[1])


def four(pads: tuple[int, ...]) -> tuple[int, int, int, int]:
    """(top, left, bottom, right) of 1-D or 2-D pads."""
    return (0, pads[0], 0, pads[1]) if len(pads) == 2 else (pads[0], pads[1], pads[2], pads[3])


def window_of(op: onnx.ConvOp | onnx.MaxPoolOp | onnx.AveragePoolOp) -> Window:
    """The window of a convolution or pooling; raises CompileError for negative pads or more than two dimensions."""
    kernel, pads = attr.values(op.kernel_shape), attr.values(op.pads)
    if len(kernel) > 2 or min(pads, default=0) < 0:
        raise CompileError(
            f"{op.label}: kernels of 1 or 2 dimensions with non-negative pads"
            f" are supported, not kernel {list(kernel)} with pads {list(pads)}"
        )
    strides, dilations = attr.values(op.strides), attr.values(op.dilations)
    return Window(two(kernel, 1), two(strides, 1), two(dilations, 1), four(pads))


def lower_conv(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Convolution: dense, block-diagonal for small groups, one dense set of filters per large group."""
    conv = cast(onnx.ConvOp, op)
    source, window = lowering.spatial(op, conv.x), window_of(conv)
    weights = constant_key(op, 1, "kernel")
    bias = constant_key(op, 2, "bias") if conv.b is not None else None
    array = lowering.weights.get(weights)
    if array.ndim == 3:
        array = array[:, :, None, :]
        weights = lowering.weights.put(f"{weights}/2d", array)
    filters, per_group = int(array.shape[0]), int(array.shape[1])
    groups = conv.group.value.data
    shape = op.shape if len(op.shape) == 4 else (op.shape[0], op.shape[1], 1, op.shape[2])
    layout = ("", "C", "H", "W") if len(op.shape) == 4 else ("", "C", "W")
    result, epilogue = lowering.result(op, (filters, shape[2], shape[3]), layout)
    node, group_filters = op.node.data, filters // groups
    if groups == 1:
        Filters(node, source, 0, per_group, weights, bias, filters, window, result, 0, epilogue).lower(lowering)
    elif BlockMatrix.fits(per_group, group_filters, window.kernel, lowering.context.arch):
        GroupedFilters(node, source, groups, per_group, group_filters, weights, bias, window, result, epilogue).lower(
            lowering
        )
    else:
        for group in range(groups):
            part = slice(group * group_filters, (group + 1) * group_filters)
            key = lowering.weights.put(f"{weights}/group{group}", array[part])
            group_bias = (
                lowering.weights.put(f"{bias}/group{group}", lowering.weights.get(bias)[part]) if bias else None
            )
            Filters(
                node, source, group * per_group, per_group, key, group_bias, group_filters, window, result,
                part.start, epilogue,
            ).lower(lowering)  # fmt: skip


def lower_gemm(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Gemm, normalised: y = x w + b."""
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
    """MatMul with constant weights on the right."""
    _lower_product(lowering, op, cast(onnx.MatMulOp, op).x, constant_key(op, 1, "right operand"), None)


def _lower_product(lowering: Lowering, op: onnx.OnnxOp, x: onnx.SSAValue, key: str, bias: str | None) -> None:
    """x[.., K] w[K, N]: a whole-image kernel when x is a flattened image, else a 1x1 kernel over its rows."""
    source = lowering.feature_map(op, x)
    array = lowering.weights.get(key)
    if array.ndim != 2:
        raise CompileError(f"{op.label}: its weights have shape {list(array.shape)}, but two dimensions are needed")
    if any(source.layout[:-1]) or len(source.layout[-1]) < 2:
        source = lowering.rows(op, x)
        kernel, filters = (1, 1), array.T[:, :, None, None]
        extent = (int(array.shape[1]), source.extent[1], source.extent[2])
        layout = (*tuple(source.layout[:-1]), "C")
    else:
        kernel, filters = (source.extent[1], source.extent[2]), _image_kernel(array, source)
        extent, layout = (int(array.shape[1]), 1, 1), ("",) * (len(op.shape) - 1) + ("C",)
    weights = lowering.weights.put(f"{key}/filters", filters)
    result, epilogue = lowering.result(op, extent, layout)
    Filters(
        op.node.data, source, 0, source.extent[0], weights, bias, extent[0], Window(kernel), result, 0, epilogue
    ).lower(lowering)


def _image_kernel(weights: Array, source: FeatureMap) -> Array:
    """Weights [K, N] of a flattened image as filters [N, C, H, W]: a view, no number moves."""
    axes = source.layout[-1] + "".join(axis for axis in "CHW" if axis not in source.layout[-1])
    sizes = [axis_size(source.extent, axis) for axis in axes]
    split = weights.reshape(*sizes, weights.shape[1])
    return split.transpose(3, axes.index("C"), axes.index("H"), axes.index("W"))
