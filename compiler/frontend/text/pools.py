"""Maxima of windows, in any layout: as `onnx.MaxPool`, which streams rows."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from compiler.dialects.names import POOLED
from compiler.dialects.onnx import MaxPoolOp, ReshapeOp, TransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.bodies import OPERAND, WantedResult
from compiler.frontend.text.reductions import TextReduction
from compiler.frontend.text.windows import folded_pads, single, slides_of
from compiler.nests.functions import extreme


def pooled(wanted: WantedResult, reduction: TextReduction) -> SSAValue | None:
    """The maximum of windows that a reduction is; None if it is none."""
    reader, node, traced = wanted.reader, wanted.node, wanted.traced
    value, sizes = reduction.value, traced.sizes
    if reduction.combine != "max" or value.fn != OPERAND or value.dtype not in POOLED:
        return None
    read = traced.operands[int(value.number)]
    slides = (
        []
        if not isinstance(read.found, SSAValue)
        else slides_of(read.map, shape_of(read.found), sizes, traced.parallel)
    )
    if not isinstance(read.found, SSAValue) or not slides or any(slide.out < 0 or slide.tap < 0 for slide in slides):
        return None
    windows = {slide.axis for slide in slides}
    inner = shape_of(read.found)
    plain = [(axis, single(index, inner[axis], sizes)) for axis, index in enumerate(read.map) if axis not in windows]
    taps = {slide.tap for slide in slides}
    if any(dim is None or (dim >= 0 and not traced.parallel[dim]) for _, dim in plain) or len(taps) != len(slides):
        return None
    if any(not each and dim not in taps and sizes[dim] > 1 for dim, each in enumerate(traced.parallel)):
        return None
    x, low, high = folded_pads(reader, read.found, slides, extreme(value.dtype, largest=False))
    own, ends = shape_of(x), list[int]()
    for place, slide in enumerate(slides):
        end = slide.span(sizes) - low[place] - own[slide.axis]
        if slide.offset or end < 0 - slide.stride + 1 or end > high[place]:
            return None
        ends.append(max(0, end))
    order = [*(axis for axis, _ in plain), *(slide.axis for slide in slides)]
    scope, kind = reader.scope, dtype_of(x)
    if order != sorted(order):
        x = scope.emit(
            TransposeOp, node, [x], [own[axis] for axis in order], {"perm": order}, wanted.named("order"), kind
        )
    image, outs = [own[slide.axis] for slide in slides], [sizes[slide.out] for slide in slides]
    batch = [own[axis] for axis, _ in plain]
    lead = [prod(batch[:-1]), *(batch[-1:] or [1])]
    if [*batch, *image] != [*lead, *image]:
        x = scope.emit(ReshapeOp, node, [x], [*lead, *image], part=wanted.named("image"), dtype=kind)
    properties = {
        "kernel_shape": [sizes[slide.tap] for slide in slides],
        "strides": [slide.stride for slide in slides],
        "dilations": [slide.dilation for slide in slides],
        "pads": [*low, *ends],
    }
    loops = [*(dim for _, dim in plain), *(slide.out for slide in slides)]
    kept = [index.only for index in wanted.target if index.factors]
    if sorted(dim for dim in loops if dim is not None and dim >= 0) != sorted(dim for dim in kept if dim is not None):
        return None
    made = scope.emit(MaxPoolOp, node, [x], [*lead, *outs], properties, wanted.named("pool"), kind)
    if lead != batch:
        made = scope.emit(ReshapeOp, node, [made], [*batch, *outs], part=wanted.named("split"), dtype=kind)
    perm = [*(place for place, dim in enumerate(loops) if dim == -1), *(loops.index(dim) for dim in kept)]
    if perm != sorted(perm):
        turned = [[*batch, *outs][place] for place in perm]
        made = scope.emit(TransposeOp, node, [made], turned, {"perm": perm}, wanted.named("turned"), kind)
    if shape_of(made) != tuple(wanted.shape):
        made = scope.emit(ReshapeOp, node, [made], wanted.shape, part=wanted.named("shaped"), dtype=kind)
    return made
