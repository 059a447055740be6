"""Reshape, Flatten, Squeeze, Unsqueeze, Transpose and Concat: views where possible, copies where not."""

from __future__ import annotations

from typing import cast

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.fates import JOINED
from compiler.kernels.activation import ActivationOp
from compiler.limits import MAX_TILES
from compiler.lowering.compute import ComputeBuilder
from compiler.lowering.feature_map import (
    FeatureMap,
    Layout,
    Tile,
    channel_first,
    channel_last,
    place_shape,
    regroup,
)
from compiler.lowering.lowering import Lowering
from emu.errors import CompileError


def lower_reshape(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A row-major reshape: another view of the same tiles, or a copy when a physical axis must be split."""
    source = lowering.feature_map(op, op.operands[0])
    layout = regroup(op.shape, source.layout, source.extent)
    if layout is None:
        source, layout = _copied(lowering, op, source)
    lowering.alias(op, source, layout)


def _copied(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap) -> tuple[FeatureMap, Layout]:
    for form in (channel_first, channel_last):
        wanted = form(len(op.shape))
        placed = place_shape(op.shape, wanted) if wanted is not None else None
        if placed is not None:
            return lowering.relayout(op, source, op.shape, *placed), placed[1]
    raise CompileError(
        f"{op.label}: result shape {list(op.shape)} is not supported; tensors of rank 1 to 4 with a batch of 1 are"
    )


def lower_transpose(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A permutation of dimensions is another view of the same tiles."""
    source = lowering.feature_map(op, op.operands[0])
    perm = attr.values(cast(onnx.TransposeOp, op).perm)
    lowering.alias(op, source, tuple(source.layout[dim] for dim in perm))


def lower_concat(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Along the channels the tiles are listed one after another; along the image they are copied."""
    axis = cast(onnx.ConcatOp, op).axis.value.data
    wanted = channel_first(len(op.shape)) or channel_last(len(op.shape))
    placed = place_shape(op.shape, wanted) if wanted is not None else None
    if wanted is None or placed is None:
        raise CompileError(
            f"{op.label}: result shape {list(op.shape)} is not supported; rank 1 to 4 with a batch of 1 is"
        )
    sources = [_placed(lowering, op, lowering.feature_map(op, value), wanted) for value in op.operands]
    extent, layout = placed
    result, epilogue = lowering.result(op, extent, layout)
    if wanted[axis] == "C" and not epilogue:
        lowering.context.fates.lost(op.tensor.data, JOINED)
        lowering.defer(lambda: _join(op, sources, result))
    else:
        lowering.defer(lambda: _copy(lowering, op, sources, result, wanted[axis], epilogue))


def _placed(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap, wanted: Layout) -> FeatureMap:
    placed = place_shape(source.shape, wanted)
    if placed is None:
        raise CompileError(f"{op.label}: operand shape {list(source.shape)} has a batch larger than 1")
    return lowering.relayout(op, source, source.shape, *placed)


def _join(op: onnx.OnnxOp, sources: list[FeatureMap], result: FeatureMap) -> None:
    count, first = sum(len(source.tiles) for source in sources), 0
    if count > MAX_TILES:
        raise CompileError(f"{op.label}: joins {count} channel tiles, more than the {MAX_TILES} that a tensor may have")
    for source in sources:
        result.tiles.extend(Tile(tile.low + first, tile.high + first, tile.value, tile.core) for tile in source.tiles)
        first += source.extent[0]


def _copy(
    lowering: Lowering,
    op: onnx.OnnxOp,
    sources: list[FeatureMap],
    result: FeatureMap,
    axis: str,
    epilogue: attr.Epilogue,
) -> None:
    builder = ComputeBuilder(lowering.into, lowering.core_of(*sources), op.node.data)
    channels, height, width = result.extent
    origins: list[int] = []
    at = {"C": 0, "H": 0, "W": 0}
    for source in sources:
        origins += [at["H"], at["W"], at["C"]]
        at[axis] += source.extent["CHW".index(axis)]
    wholes = [builder.channels(source, 0, source.extent[0]) for source in sources]
    sizes = [source.extent[0] for source in sources]
    out = builder.concat(wholes, origins, [0] * len(sources), sizes, (height, width, channels))
    if epilogue:
        (out,) = builder.kernel(ActivationOp, [out], [(height, width, channels)], {}, epilogue)
    result.tiles.extend(builder.finish([(result, 0, channels, out)]))
