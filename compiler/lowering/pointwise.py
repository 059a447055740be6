"""Activations that no operator before them could take in, and LRN and Softmax."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.kernels.activation import ActivationOp
from compiler.kernels.lrn import LRNOp
from compiler.kernels.softmax import SoftmaxOp
from compiler.lowering.activations import activation_of
from compiler.lowering.feature_map import FeatureMap
from compiler.lowering.lowering import Lowering
from emu.program.form import CHANNEL, OTHERS


def lower_activation(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """An activation that the layer before it could not take in."""
    source = lowering.feature_map(op, op.operands[0])
    target = lowering.target(op, replace(source.form, shape=op.shape))
    epilogue = (activation_of(op), *target.epilogue)
    lowering.layer(op, replace(target, epilogue=epilogue), ActivationOp, [source], {})


def lower_softmax(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Softmax over the channels; the operand is copied if its axis is another one."""
    source = _softmax_source(lowering, cast(onnx.SoftmaxOp, op))
    lowering.layer(op, lowering.target(op, source.form), SoftmaxOp, [source], {})


def _softmax_source(lowering: Lowering, op: onnx.SoftmaxOp) -> FeatureMap:
    """The operand with the softmax axis as channels."""
    source, axis = lowering.feature_map(op, op.x), op.axis.value.data
    if source.layout[axis] == "C":
        return source
    others = [dim for dim, size in enumerate(source.shape) if dim != axis and size > 1]
    wanted = [""] * len(source.shape)
    wanted[axis] = CHANNEL
    for dim, name in zip(reversed(others), reversed(OTHERS), strict=False):
        wanted[dim] = name
    layout = tuple(wanted) if len(others) <= len(OTHERS) else None
    return lowering.relayout(op, source, lowering.form(op, source.shape, layout))


def lower_lrn(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """Local response normalisation across channels (Krizhevsky et al. 2012, section 3.3)."""
    lrn = cast(onnx.LRNOp, op)
    source = lowering.spatial(op, lrn.x)
    properties: dict[str, Attribute] = {
        "size": lrn.size,
        "alpha": attr.real(lrn.alpha.value.data),
        "beta": attr.real(lrn.beta.value.data),
        "bias": attr.real(lrn.bias.value.data),
        "halo": attr.integer(0),
    }
    lowering.layer(op, lowering.target(op, source.form), LRNOp, [source], properties)
