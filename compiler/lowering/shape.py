"""Reshape, Flatten, Squeeze, Unsqueeze, Transpose and Concat: views where possible, copies where not."""

from __future__ import annotations

from typing import cast

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.activation import ActivationOp
from compiler.kernels.concat import ConcatOp
from compiler.lowering.feature_map import FeatureMap, Layout, channel_first, channel_last, place_shape, regroup
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import Lowering, Target
from compiler.session.fates import JOINED
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
    """Along the channels the tensors are joined as they stand; along the image they are copied."""
    axis = cast(onnx.ConcatOp, op).axis.value.data
    wanted = channel_first(len(op.shape)) or channel_last(len(op.shape))
    placed = place_shape(op.shape, wanted) if wanted is not None else None
    if wanted is None or placed is None:
        raise CompileError(
            f"{op.label}: result shape {list(op.shape)} is not supported; rank 1 to 4 with a batch of 1 is"
        )
    sources = [_placed(lowering, op, lowering.feature_map(op, value), wanted) for value in op.operands]
    target = lowering.target(op, *placed)
    if wanted[axis] == "C" and not target.epilogue:
        lowering.context.fates.lost(op.tensor.data, JOINED)
        lowering.join(target, [source.value for source in sources])
    else:
        _copy(lowering, op, sources, target, wanted[axis])


def _placed(lowering: Lowering, op: onnx.OnnxOp, source: FeatureMap, wanted: Layout) -> FeatureMap:
    placed = place_shape(source.shape, wanted)
    if placed is None:
        raise CompileError(f"{op.label}: operand shape {list(source.shape)} has a batch larger than 1")
    return lowering.relayout(op, source, source.shape, *placed)


def _copy(lowering: Lowering, op: onnx.OnnxOp, sources: list[FeatureMap], target: Target, axis: str) -> None:
    builder = LayerBuilder(lowering.into, op.node.data)
    origins: list[int] = []
    at = {"C": 0, "H": 0, "W": 0}
    for source in sources:
        origins += [at["H"], at["W"], at["C"]]
        at[axis] += source.extent["CHW".index(axis)]
    properties = {
        "origins": attr.ints(origins),
        "starts": attr.ints([0] * len(sources)),
        "sizes": attr.ints(source.extent[0] for source in sources),
    }
    made = builder.kernel(ConcatOp, [builder.argument(source) for source in sources], target.tile, properties)
    if target.epilogue:
        made = builder.kernel(ActivationOp, [made], target.tile, {}, target.epilogue)
    lowering.finish(builder, target, made)
