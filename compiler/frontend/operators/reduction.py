"""Imports reductions: one row per operator, what it makes of each element, and of what is put together of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import ReduceMeanOp, ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, call, cast, largest, select
from compiler.nests.functions import COMBINES, extreme
from emu.isa.dtypes import ALL, NUMBERS, DType

_AXES_INPUT = 18  # operator set since which reductions take their axes as an input
_SUM_AXES_INPUT = 13  # that of ReduceSum
_IMAGE_AXES = (2, 3)  # rows and columns of [1,C,H,W]
_BITS = {"max": "bit_or", "min": "bit_and"}  # the same of bools


@dataclass(frozen=True, slots=True)
class Reduction:
    """`combine`, a row of `COMBINES`, of `element` of each element; `result` of that and the number of elements.

    `wide`: float16 is put together in float32.
    """

    combine: str
    element: Callable[[Value], Value] | None = None
    result: Callable[[Value, int], Value] | None = None
    takes: frozenset[DType] = NUMBERS
    wide: bool = True


def _whole(fn: str, x: Value) -> Value:
    """A function of floating-point numbers; of integers without its fraction, as onnxruntime has it."""
    return call(fn, x) if x.dtype.is_float else cast(call("floor", call(fn, cast(x, DType.f32))), x.dtype)


def _root(x: Value, _: int) -> Value:
    """The square root; of an integer the largest one whose square is not larger."""
    if x.dtype.is_float:
        return call("sqrt", x)
    near = largest(_whole("sqrt", x), 1)  # to the 24 bits of float32
    near = largest((near + x / near) / 2, 1)  # a step of Newton's: misses by one at most
    low = select(near > x / near, near - 1, near)
    above = low + 1
    return select(above <= x / above, above, low)


ROWS: Mapping[str, Reduction] = {
    "ReduceSum": Reduction("add"),
    "ReduceMean": Reduction("add", None, lambda total, count: total / count),
    "ReduceProd": Reduction("mul"),
    "ReduceMax": Reduction("max", takes=ALL, wide=False),
    "ReduceMin": Reduction("min", takes=ALL, wide=False),
    "ReduceL1": Reduction("add", lambda x: call("abs", x)),
    "ReduceL2": Reduction("add", lambda x: x * x, _root),
    "ReduceSumSquare": Reduction("add", lambda x: x * x),
    "ReduceLogSum": Reduction("add", None, lambda total, _: _whole("log", total)),
}


def reduction(node: Node, scope: Scope) -> SSAValue:
    """An operator of `ROWS`."""
    x, row = scope.value(node), ROWS[node.kind]
    check_types(node, [x], row.takes)
    axes, keep, dtype = axes_of(node, scope), bool(node.integer("keepdims", 1)), dtype_of(x)
    if node.kind == "ReduceMean" and _is_pool(x, axes):
        shape = reduced(shape_of(x), axes, keep)
        return scope.emit(ReduceMeanOp, node, [x], shape, {"axes": axes, "keepdims": int(keep)})
    if _of_nothing(shape_of(x), axes):
        return _nothing(node, scope, row.combine, x, axes)
    count = math.prod(shape_of(x)[axis] for axis in axes)
    inner = DType.f32 if row.wide and dtype == DType.f16 else dtype

    def element(value: Value) -> Value:
        wide = cast(value, inner)
        return row.element(wide) if row.element is not None else wide

    def result(value: Value) -> Value:
        return cast(row.result(value, count) if row.result is not None else value, dtype)

    combine = _BITS[row.combine] if dtype == DType.bool else row.combine
    first = element if row.element is not None or inner != dtype else None
    if row.result is None and inner == dtype:
        return reduce(node, scope, x, axes, combine, first, keep=keep)
    value = reduce(node, scope, x, axes, combine, first, keep=keep, part="combined")
    return elementwise(node, scope, [value], result)


def log_sum_exp(node: Node, scope: Scope) -> SSAValue:
    """log(sum(exp(x))), shifted by the maximum unless that is infinite."""
    x = scope.value(node)
    check_types(node, [x], NUMBERS)
    axes, keep, dtype = axes_of(node, scope), bool(node.integer("keepdims", 1)), dtype_of(x)
    if _of_nothing(shape_of(x), axes):
        return _nothing(node, scope, "add", x, axes)
    inner = DType.f32 if dtype == DType.f16 else dtype
    shift = reduce(node, scope, x, axes, "max", part="max")
    if dtype.is_float:
        shift = elementwise(node, scope, [shift], lambda y: select(call("abs", y) < math.inf, y, 0), part="shift")

    def exponential(value: Value, most: Value) -> Value:
        return _whole("exp", cast(value, inner) - cast(most, inner))

    def logarithm(total: Value, most: Value) -> Value:
        return cast(_whole("log", total) + cast(most, inner), dtype)

    total = reduce(node, scope, [x, shift], axes, "add", exponential, part="sum")
    if keep:
        return elementwise(node, scope, [total, shift], logarithm)
    kept = elementwise(node, scope, [total, shift], logarithm, part="kept")
    return scope.emit(ReshapeOp, node, [kept], reduced(shape_of(x), axes, keep), dtype=dtype)


def axes_of(node: Node, scope: Scope) -> tuple[int, ...]:
    """The axes of the first input that are reduced, ascending: all of them unless the node says otherwise."""
    rank = len(scope.shape(node.inputs[0]))
    given = node.integers("axes", ())
    if scope.opset >= (_SUM_AXES_INPUT if node.kind == "ReduceSum" else _AXES_INPUT):
        given = tuple(int(axis) for axis in scope.constant(node, 1, "axes").reshape(-1)) if node.has_input(1) else ()
    if not given and not node.integer("noop_with_empty_axes", 0):
        return tuple(range(rank))
    return node.axes(given, rank)


def reduced(shape: Shape, axes: Sequence[int], keep: bool) -> Shape:
    """A shape without the axes, or with size 1 in their places."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape) if keep or axis not in axes)


def _of_nothing(shape: Shape, axes: Sequence[int]) -> bool:
    """Whether there are results, and none has an element that it is made of."""
    return 0 in shape and 0 not in reduced(shape, axes, keep=True)


def _nothing(node: Node, scope: Scope, combine: str, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """What the standard says of no elements: a constant."""
    dtype, shape = dtype_of(x), reduced(shape_of(x), axes, bool(node.integer("keepdims", 1)))
    if node.kind == "ReduceMean":
        node.refuse(f"takes the mean of no elements: its operand has shape {list(shape_of(x))}")
    logarithm = node.kind in ("ReduceLogSum", "ReduceLogSumExp")
    value = extreme(dtype, largest=False) if logarithm else COMBINES[combine].start(dtype)
    return scope.weights(node.outputs[0], np.full(shape, value, dtype.numpy))


def _is_pool(x: SSAValue, axes: Sequence[int]) -> bool:
    """Whether a mean is one over rows and columns of an image, which a pass makes a pooling."""
    shape = shape_of(x)
    image = dtype_of(x) == DType.f32 and len(shape) == 4 and shape[0] == 1 and 0 not in shape
    return image and tuple(axes) == _IMAGE_AXES


OPERATORS = {**dict.fromkeys(ROWS, reduction), "ReduceLogSumExp": log_sum_exp}
