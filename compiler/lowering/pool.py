"""MaxPool, AveragePool and GlobalAveragePool."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.pool import PoolOp
from compiler.lowering.feature_map import FeatureMap, channel_first
from compiler.lowering.lowering import Lowering
from compiler.lowering.window import TileWindow, window_of
from emu.errors import CompileError


def lower_max_pool(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Maximum over windows; padding counts as minus infinity."""
    source = lowering.spatial(op, op.operands[0])
    _lower_pool(lowering, op, source, window_of(cast(onnx.MaxPoolOp, op), len(source.extent) - 1), "max", 0)


def lower_average_pool(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Mean over windows."""
    pool = cast(onnx.AveragePoolOp, op)
    source = lowering.spatial(op, pool.x)
    window = window_of(pool, len(source.extent) - 1)
    _lower_pool(lowering, op, source, window, "average", pool.count_include_pad.value.data)


def lower_global_average_pool(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Mean over all pixels of a sample: one window."""
    _lower_global_pool(lowering, op, "average")


def lower_global_max_pool(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Maximum over all pixels of a sample: one window."""
    _lower_global_pool(lowering, op, "max")


def _lower_global_pool(lowering: Lowering, op: onnx.OnnxOp, kind: str) -> None:
    source = lowering.spatial(op, op.operands[0])
    sizes = source.form.sizes[:-1]
    batch = (1,) if source.shape[0] > 1 else ()
    _lower_pool(lowering, op, source, TileWindow.over((*batch, *sizes[len(batch) :])), kind, 0)


def refuse_mean(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Raise CompileError: a mean over rows and columns is a pooling since `reduce-mean-to-pool`, this is another."""
    axes = list(attr.values(cast(onnx.ReduceMeanOp, op).axes))
    raise CompileError(f"{op.label}: the mean over axes {axes} is not supported; axes [2, 3] of [1, C, H, W] are")


def _lower_pool(
    lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap, window: TileWindow, kind: str, include_pad: int
) -> None:
    target = lowering.target(op, lowering.form(op, op.shape, channel_first(len(op.shape)), len(source.extent)))
    properties: dict[str, Attribute] = {
        **window.properties(),
        "kind": StringAttr(kind),
        "pads": attr.ints(window.pads),
        "count_include_pad": attr.integer(include_pad),
    }
    lowering.layer(op, target, PoolOp, [source], properties)
