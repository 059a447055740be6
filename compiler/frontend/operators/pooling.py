"""Imports pooling over any number of spatial dimensions: explicit pads, ceil mode as larger end pads."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from xdsl.ir import SSAValue

from compiler.dialects.onnx import AveragePoolOp, GlobalAveragePoolOp, GlobalMaxPoolOp, MaxPoolOp, PadOp
from compiler.dialects.onnx_op import OnnxOp, PropertyValue
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import mapped, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.windows import OperatorWindow, pixels_of, window
from compiler.nests.expression import Value, constant, index, select
from compiler.nests.functions import extreme
from compiler.nests.linear import Linear, identity
from emu.isa.dtypes import DType

_GLOBAL: dict[str, type[OnnxOp]] = {"GlobalAveragePool": GlobalAveragePoolOp, "GlobalMaxPool": GlobalMaxPoolOp}


def max_pool(node: Node, scope: Scope) -> SSAValue | tuple[SSAValue, SSAValue]:
    """MaxPool: padding never is the maximum, so ceil mode is the same as larger end pads; and where the maxima are."""
    x, view = _pool(node, scope)
    made = scope.emit(MaxPoolOp, node, [x], (*shape_of(x)[:2], *view.output), view.properties)
    if len(node.outputs) < 2 or node.outputs[1] not in scope.used:
        return made
    return made, _places(node, scope, x, made, view)


def _places(node: Node, scope: Scope, x: SSAValue, most: SSAValue, view: OperatorWindow) -> SSAValue:
    """The index of each maximum in the whole tensor, as int64: of equal ones that of the first in row-major order."""
    samples, channels, *image = shape_of(x)
    rank, pixels, padded = len(image), prod(image), x
    outputs, taps = range(2, 2 + rank), range(2 + rank, 2 + 2 * rank)
    if any(view.pads):
        shape = [size + sum(view.pads[dim::rank]) for dim, size in enumerate(image)]
        pads = (0, 0, *view.pads[:rank], 0, 0, *view.pads[rank:])
        properties = {"pads": pads, "value": extreme(dtype_of(x), largest=False)}
        padded = scope.emit(PadOp, node, [x], (samples, channels, *shape), properties, "padded")
    source = tuple(
        Linear.of(0, {out: stride, tap: step})
        for out, tap, stride, step in zip(outputs, taps, view.strides, view.dilations, strict=True)
    )

    def place(element: Value, largest: Value) -> Value:
        """The pixel of a tap that has the maximum; any other tap, and padding, is beyond all pixels."""
        found, total = element.same(largest), constant(0, DType.i64)
        for dim, (out, tap) in enumerate(zip(outputs, taps, strict=True)):
            before, after = view.pads[dim], view.pads[dim + rank]
            at = index(out) * view.strides[dim] + index(tap) * view.dilations[dim] - before
            if before:
                found &= at >= 0
            if after:
                found &= at < image[dim]
            total += at * prod(image[dim + 1 :])
        return select(found, total, pixels)

    shape = shape_of(most)
    maps = [(Linear.dim(0), Linear.dim(1), *source), identity(2 + rank)]
    sizes = (*shape, *view.kernel)
    first = mapped(node, scope, [padded, most], maps, place, (shape, identity(2 + rank)), sizes, "min", "first")

    def whole(pixel: Value) -> Value:
        """The index in the whole tensor, of a pixel of a sample's channel."""
        if node.integer("storage_order", 0):
            pixel = _column_major(pixel, image)
        return (index(0) * channels + index(1)) * pixels + pixel

    named = replace(node, name=f"{node.name}/places", outputs=(node.outputs[1],))
    return written(named, scope, [first], whole, shape)


def _column_major(pixel: Value, image: list[int]) -> Value:
    """The number of a pixel where the first dimension of the image is the fastest, of that where the last one is."""
    rest, total = pixel, constant(0, DType.i64)
    for dim, size in reversed(list(enumerate(image))):
        above = rest / size
        total += (rest - above * size) * prod(image[:dim])
        rest = above
    return total


def average_pool(node: Node, scope: Scope, whole: bool = False) -> SSAValue:
    """AveragePool: what ceil mode adds is never counted, so where padding is, ceil mode stays one.

    `whole`: it is counted as padding is, so that with the padding all windows count alike.
    """
    x, view = _pool(node, scope)
    counted = bool(node.integer("count_include_pad", 0)) and any(view.pads if whole else view.given)
    properties: dict[str, PropertyValue] = {**view.properties, "count_include_pad": int(counted)}
    if counted and not whole and view.pads != view.given:
        properties |= {"pads": view.given, "ceil_mode": 1}
    return scope.emit(AveragePoolOp, node, [x], (*shape_of(x)[:2], *view.output), properties)


def global_pool(node: Node, scope: Scope) -> SSAValue:
    """GlobalAveragePool and GlobalMaxPool: [N,C,...,H,W] -> [N,C,...,1,1]."""
    x = pixels_of(node, scope)
    samples, channels, *sizes = shape_of(x)
    return scope.emit(_GLOBAL[node.kind], node, [x], (samples, channels, *(1 for _ in sizes)))


def _pool(node: Node, scope: Scope) -> tuple[SSAValue, OperatorWindow]:
    """The image to pool and the window over it."""
    x, kernel = pixels_of(node, scope), node.integers("kernel_shape", ())
    if len(kernel) + 2 != len(shape_of(x)):
        node.refuse(f"has kernel {list(kernel)} for an input of shape {list(shape_of(x))}")
    return x, window(node, shape_of(x)[2:], kernel)


OPERATORS = {"MaxPool": max_pool, "AveragePool": average_pool, **dict.fromkeys(_GLOBAL, global_pool)}
