"""Gather, put, arg and topk: lines of tensors [outer][entries][inner]."""

from __future__ import annotations

from typing import cast

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import indexed, onnx
from compiler.dialects.types import dtype_of
from compiler.kernels.arg import ArgOp
from compiler.kernels.gather import GatherOp
from compiler.kernels.put import PutOp
from compiler.kernels.topk import TopKOp
from compiler.lowering.feature_map import FeatureMap, place_shape
from compiler.lowering.layer import LayerBuilder
from compiler.lowering.lowering import Lowering
from emu.program.form import Form

_LINES = ("H", "W", "C")  # of the three dimensions


def _lines(lowering: Lowering, op: onnx.OnnxOp, value: SSAValue) -> FeatureMap:
    """`value` [outer, entries, inner] as a tile [outer][entries][inner], or indices [n] as [1][1][n]."""
    source = lowering.feature_map(op, value)
    form = place_shape(source.shape, _LINES if len(source.shape) == 3 else ("C",))
    return lowering.relayout(op, source, form)


def lower_gather(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """One layer; its channels, the inner dimension, may be cut."""
    gather = cast(indexed.GatherOp, op)
    sources = [_lines(lowering, op, value) for value in (gather.x, gather.indices)]
    lowering.layer(op, lowering.target(op, place_shape(op.shape, _LINES)), GatherOp, sources, {})


def lower_put(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """One layer on one core."""
    put = cast(indexed.PutOp, op)
    sources = [_lines(lowering, op, value) for value in (put.x, put.indices, put.updates)]
    target = lowering.target(op, place_shape(op.shape, _LINES))
    lowering.layer(op, target, PutOp, sources, {"combine": put.combine})


def lower_arg(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """One layer, of indices."""
    arg = cast(indexed.ArgOp, op)
    source, form = _lines(lowering, op, arg.x), place_shape(op.shape, ("H", "C"))
    target, builder = lowering.target(op, form), LayerBuilder(lowering.into, op.node.data)
    properties = {"kind": arg.kind, "last": arg.last}
    results = [(form.sizes, dtype_of(op.result))]
    (made,) = builder.typed(ArgOp, [builder.tensor(source)], results, properties, target.epilogue)
    lowering.finish(builder, target, made)


def lower_topk(lowering: Lowering, op: onnx.OnnxOp) -> None:
    """One layer of two results."""
    topk = cast(indexed.TopKOp, op)
    source, builder = _lines(lowering, op, topk.x), LayerBuilder(lowering.into, op.node.data)
    forms = [place_shape(attr.shape_of(part), _LINES) for part in topk.parts]
    results = [(form.sizes, dtype_of(part)) for form, part in zip(forms, topk.parts, strict=True)]
    made = builder.typed(TopKOp, [builder.tensor(source)], results, {"largest": topk.largest})
    named: list[tuple[SSAValue, str, Form | None]] = list(zip(made, op.tensor_names, forms, strict=True))
    values = builder.finish_all(named)
    for part, tensor, form, value in zip(topk.parts, op.tensor_names, forms, values, strict=True):
        lowering.maps[part] = FeatureMap(tensor, form, value)
