"""Activations that no operator before them could take in, and LRN and Softmax."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.activation import ActivationOp
from compiler.kernels.lrn import LRNOp
from compiler.kernels.softmax import SoftmaxOp
from compiler.lowering.compute import ComputeBuilder
from compiler.lowering.feature_map import FeatureMap, place_shape
from compiler.lowering.lowering import Lowering, activation_of
from emu.errors import CompileError


def lower_activation(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """A stand-alone activation: tile by tile, where the tiles are."""
    source = lowering.feature_map(op, op.operands[0])
    result, fused = lowering.result(op, source.extent, source.layout)
    epilogue = (activation_of(op), *fused)

    def emit() -> None:
        for tile in list(source.tiles):
            builder = ComputeBuilder(lowering.into, lowering.core_of(source, channel=tile.low), op.node.data)
            shape = (source.extent[1], source.extent[2], tile.high - tile.low)
            (out,) = builder.kernel(ActivationOp, [builder.tile(tile.value)], [shape], {}, epilogue)
            result.tiles.extend(builder.finish([(result, tile.low, tile.high, out)]))

    lowering.defer(emit)


def lower_softmax(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Softmax over the channels: all of them are gathered on one core."""
    source = _softmax_source(lowering, cast(onnx.SoftmaxOp, op))
    result, epilogue = lowering.result(op, source.extent, source.layout)

    def emit() -> None:
        builder = ComputeBuilder(lowering.into, lowering.core_of(source), op.node.data)
        channels, height, width = source.extent
        whole = builder.channels(source, 0, channels)
        (out,) = builder.kernel(SoftmaxOp, [whole], [(height, width, channels)], {}, epilogue)
        result.tiles.extend(builder.finish([(result, 0, channels, out)]))

    lowering.defer(emit)


def _softmax_source(lowering: Lowering, op: onnx.SoftmaxOp) -> FeatureMap:
    """The operand with the softmax axis as channels."""
    source, axis = lowering.feature_map(op, op.x), op.axis.value.data
    if source.layout[axis] == "C":
        return source
    others = [dim for dim, size in enumerate(source.shape) if dim != axis and size > 1]
    if len(others) > 2:
        raise CompileError(
            f"{op.label}: shape {list(source.shape)} has more than two dimensions besides axis {axis};"
            " at most two are supported"
        )
    wanted = [""] * len(source.shape)
    wanted[axis] = "C"
    for dim, name in zip(others, ("H", "W") if len(others) == 2 else ("W",), strict=False):
        wanted[dim] = name
    placed = place_shape(source.shape, tuple(wanted))
    assert placed is not None  # every dimension larger than 1 has an axis
    return lowering.relayout(op, source, source.shape, *placed)


def lower_lrn(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Local response normalisation: each tile takes the neighbouring channels that its windows need."""
    lrn = cast(onnx.LRNOp, op)
    source = lowering.spatial(op, lrn.x)
    result, epilogue = lowering.result(op, source.extent, source.layout)
    size = lrn.size.value.data
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2

    def emit() -> None:
        for tile in list(source.tiles):
            low, high = max(0, tile.low - before), min(source.extent[0], tile.high + after)
            builder = ComputeBuilder(lowering.into, lowering.core_of(source, channel=tile.low), op.node.data)
            halo = builder.channels(source, low, high)
            properties: dict[str, Attribute] = {
                "size": lrn.size,
                "alpha": attr.real(lrn.alpha.value.data),
                "beta": attr.real(lrn.beta.value.data),
                "bias": attr.real(lrn.bias.value.data),
                "halo": attr.integer(tile.low - low),
            }
            shape = (source.extent[1], source.extent[2], tile.high - tile.low)
            (out,) = builder.kernel(LRNOp, [halo], [shape], properties, epilogue)
            result.tiles.extend(builder.finish([(result, tile.low, tile.high, out)]))

    lowering.defer(emit)
