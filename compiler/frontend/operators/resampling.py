"""Imports Resize and Upsample: along each axis indices that are known, or a product with a matrix that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.limits import MAX_AXIS_WEIGHTS
from compiler.basis.weights import Array
from compiler.dialects.onnx import IdentityOp, MatMulOp, ReshapeOp, TransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import LIMITS, Scope, is_possible, product, shape_of
from compiler.frontend.operators.conversion import as_type
from compiler.frontend.operators.interpolation import (
    COORDINATES,
    CROP,
    ROUNDINGS,
    Axis,
    cubic,
    linear,
    nearest,
    outside,
    positions,
    weights,
)
from compiler.frontend.operators.taking import pieces, take
from compiler.nests.expression import Value, call, cast, select
from emu.isa.dtypes import NUMBERS, DType

_ROI_INPUT = 11  # operator set since which Resize has a region, sizes and all of its modes
_SCALES_INPUT = 9  # operator set since which the scales of Upsample are an input
_ENDLESS = 1 << 62
_MOST_PIECES = 32  # nests along an axis; with more, it is a product
_INEXACT = frozenset({DType.i32, DType.i64})  # types of which float32 does not hold all values
Step = Callable[[SSAValue, str], SSAValue]  # of a value and the name of the part, to the next value


@dataclass(frozen=True, slots=True)
class _Modes:
    """How elements are put together; what old operator sets leave open is what they did."""

    mode: str
    coordinates: str
    rounding: str
    cubic_a: float
    stretch: bool
    exclude: bool
    extrapolated: float

    @staticmethod
    def of(node: Node, opset: int) -> _Modes:
        new = node.kind == "Resize" and opset >= _ROI_INPUT
        mode = node.text("mode", "nearest")
        coordinates = node.text("coordinate_transformation_mode", "half_pixel") if new else "asymmetric"
        rounding = node.text("nearest_mode", "round_prefer_floor") if new else "floor"
        mode = {"bilinear": "linear", "trilinear": "linear"}.get(mode, mode)
        for name, value, known in (
            ("mode", mode, ("nearest", "linear", "cubic")),
            ("coordinate_transformation_mode", coordinates, COORDINATES),
            ("nearest_mode", rounding, ROUNDINGS),
        ):
            if value not in known:
                node.refuse(f"has {name} '{value}': known are {', '.join(known)}")
        return _Modes(
            mode,
            coordinates,
            rounding,
            node.real("cubic_coeff_a", -0.75),
            bool(node.integer("antialias", 0)),
            bool(node.integer("exclude_outside", 0)),
            node.real("extrapolation_value", 0.0),
        )

    def indices(self, axis: Axis) -> Array:
        """Which elements the nearest ones are [count]: in float32, as scales are, so that ties are onnxruntime's."""
        return nearest(axis, positions(axis, self.coordinates, np.float32), self.rounding)

    def matrix(self, axis: Axis) -> Array:
        """The weights of linear and cubic interpolation [count, size]."""
        kernel, reach = (linear, 1) if self.mode == "linear" else (partial(cubic, a=self.cubic_a), 2)
        at = positions(axis, self.coordinates)
        return weights(axis, at, kernel, reach, stretch=self.stretch, exclude=self.exclude)


def resize(node: Node, scope: Scope) -> SSAValue:
    """Resize and Upsample: axis by axis; integers are computed in float32, and the fraction is cut off."""
    x, modes = scope.value(node), _Modes.of(node, scope.opset)
    axes, dtype = _axes(node, scope, shape_of(x), modes), dtype_of(x)
    if modes.coordinates != CROP:
        axes = [Axis(axis.size, axis.count, axis.scale) for axis in axes]
    changed = sorted((place for place, axis in enumerate(axes) if not axis.still), key=lambda at: axes[at].scale)
    if any(axes[place].count and not axes[place].size for place in changed):
        node.refuse(f"has no element to make others of: shape {list(shape_of(x))}")
    steps = list[tuple[str, Step]]()
    if 0 in [axis.count for axis in axes]:
        empty = np.zeros(0, np.int64)
        steps += [(f"axis{at}", _taken(node, scope, at, empty)) for at in changed if not axes[at].count]
    elif modes.mode == "nearest":
        for place in changed:
            steps += _nearest_steps(node, scope, place, modes.indices(axes[place]), axes[place].size, dtype)
    else:
        if dtype not in NUMBERS:
            node.refuse(f"interpolates elements of {dtype.numpy}: only numbers have values between them")
        for place in changed:
            _check_weights(node, axes[place].count, axes[place].size)
        products = [_product(node, scope, place, modes.matrix(axes[place])) for place in changed]
        steps += _in_float(node, scope, dtype, products)
    if modes.coordinates == CROP and prod(axis.count for axis in axes):
        steps += _extrapolation(node, scope, axes, modes)
    for number, (name, step) in enumerate(steps):
        x = step(x, "" if number == len(steps) - 1 else name)
    return x if steps else scope.emit(IdentityOp, node, [x], shape_of(x))


# sizes --------------------------------------------------------------------------------------------------------------


def _axes(node: Node, scope: Scope, shape: Sequence[int], modes: _Modes) -> list[Axis]:
    """What becomes of each axis."""
    rank, given = len(shape), tuple(range(len(shape)))
    if "axes" in node.attributes:
        named = node.integers("axes", ())
        node.axes(named, rank)
        given = tuple(node.axis(axis, rank) for axis in named)
    new = node.kind == "Resize" and scope.opset >= _ROI_INPUT
    roi = _numbers(node, scope, 1, "roi") if new and modes.coordinates == CROP else []
    roi = roi or [0.0] * len(given) + [1.0] * len(given)
    scales = _scales(node, scope, 2 if new else 1)
    sizes = [int(size) for size in _numbers(node, scope, 3, "sizes")] if new else []
    if len(scales or sizes) != len(given) or len(roi) != 2 * len(given) or min(scales or sizes, default=1) < 0:
        node.refuse(
            f"has scales {scales}, sizes {sizes} and roi {roi}: it needs one scale or size for each of {len(given)} "
            "axes, and two numbers of the region"
        )
    if not scales:
        sizes, scales = _kept_ratio(node, [shape[axis] for axis in given], sizes)
    axes = [Axis(size, size, 1.0) for size in shape]
    for place, axis in enumerate(given):
        part = roi[place], roi[place + len(given)]
        count = sizes[place] if sizes else _length(shape[axis], scales[place], part[1] - part[0])
        axes[axis] = Axis(shape[axis], count, scales[place], part)
    made = [axis.count for axis in axes]
    if min(made, default=0) < 0 or not is_possible(made):
        node.refuse(f"has an output of {product(made)} elements: {LIMITS}")
    return axes


def _length(size: int, scale: float, part: float) -> int:
    """The length that ONNX and onnxruntime compute, in float32; of what is no number there, one that is too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.float32(size) * np.float32(scale) * np.float32(part))
    return int(length) if math.isfinite(length) else _ENDLESS


def _scales(node: Node, scope: Scope, index: int) -> list[float]:
    if node.kind == "Upsample" and scope.opset < _SCALES_INPUT:
        scales = [float(scale) for scale in node.attributes.get("scales", ())]
    else:
        scales = _numbers(node, scope, index, "scales")
    if not all(0 < scale < math.inf for scale in scales):
        node.refuse(f"has scales {scales}: they must be positive")
    return scales


def _numbers(node: Node, scope: Scope, index: int, role: str) -> list[float]:
    if not node.has_input(index):
        return []
    found = [float(value) for value in scope.constant(node, index, role).reshape(-1)]
    if not all(map(math.isfinite, found)):
        node.refuse(f"has {role} {found}: all of them must be finite numbers: export the model again")
    return found


def _kept_ratio(node: Node, before: Sequence[int], sizes: list[int]) -> tuple[list[int], list[float]]:
    """The sizes, and the scales that they are, as the policy wants it."""
    scales = [size / max(1, old) for old, size in zip(before, sizes, strict=True)]
    policy = node.text("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return sizes, scales
    if policy not in ("not_larger", "not_smaller"):
        node.refuse(f"has keep_aspect_ratio_policy '{policy}': known are stretch, not_larger, not_smaller")
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [int(scale * old + 0.5) for old in before], [scale] * len(before)


# steps --------------------------------------------------------------------------------------------------------------


def _taken(node: Node, scope: Scope, axis: int, indices: Array) -> Step:
    return lambda x, part: take(node, scope, x, axis, indices, part)


def _nearest_steps(
    node: Node, scope: Scope, axis: int, found: Array, size: int, dtype: DType
) -> list[tuple[str, Step]]:
    """Elements taken by indices; by a product with ones and zeros where that would be too many nests."""
    if pieces(found) <= _MOST_PIECES or dtype in _INEXACT:
        return [(f"axis{axis}", _taken(node, scope, axis, found))]
    _check_weights(node, len(found), size)
    matrix = np.zeros((len(found), size), np.float32)
    matrix[np.arange(len(found)), found] = 1
    return _in_float(node, scope, dtype, [_product(node, scope, axis, matrix)])


def _in_float(node: Node, scope: Scope, dtype: DType, steps: list[tuple[str, Step]]) -> list[tuple[str, Step]]:
    """`steps` in float32, between two conversions."""
    if dtype == DType.f32 or not steps:
        return steps
    name = steps[0][0]
    return [
        (f"{name}/float", lambda x, part: as_type(node, scope, x, DType.f32, part)),
        *steps,
        (f"{name}/back", lambda x, part: elementwise(node, scope, [x], lambda value: _back(value, dtype), part)),
    ]


def _back(x: Value, dtype: DType) -> Value:
    """A result as the type of the operand: the fraction is cut off, and what is too large becomes the largest."""
    return cast(x if dtype.is_float or dtype == DType.bool else select(x < 0, call("ceil", x), call("floor", x)), dtype)


def _check_weights(node: Node, count: int, size: int) -> None:
    """Refuse an axis whose weights are too many, before they are made."""
    if count * size > MAX_AXIS_WEIGHTS:
        node.refuse(
            f"makes {count} elements from {size}, a product with {count * size} weights: along an axis there may be "
            f"{MAX_AXIS_WEIGHTS}"
        )


def _product(node: Node, scope: Scope, axis: int, matrix: Array) -> tuple[str, Step]:
    """Along an axis, the product with a matrix [count, size]: on crossbars, with the axis as the last one."""

    def step(x: SSAValue, part: str) -> SSAValue:
        shape, name = shape_of(x), part or f"axis{axis}"
        order = [*(at for at in range(len(shape)) if at != axis), axis]
        moved, made = [shape[at] for at in order], [*(shape[at] for at in order[:-1]), len(matrix)]
        w = scope.weights(f"{node.name}/axis{axis}/weights", np.ascontiguousarray(matrix.T))
        x = scope.emit(TransposeOp, node, [x], moved, {"perm": order}, f"{name}/last")
        x = scope.emit(ReshapeOp, node, [x], (prod(moved[:-1]), moved[-1]), part=f"{name}/rows")
        x = scope.emit(MatMulOp, node, [x, w], (prod(moved[:-1]), len(matrix)), part=f"{name}/product")
        x = scope.emit(ReshapeOp, node, [x], made, part=f"{name}/axes")
        back = [order.index(at) for at in range(len(order))]
        return scope.emit(TransposeOp, node, [x], [made[at] for at in back], {"perm": back}, part)

    return f"axis{axis}", step


def _extrapolation(node: Node, scope: Scope, axes: Sequence[Axis], modes: _Modes) -> list[tuple[str, Step]]:
    """A number in the place of what lies outside of the operand."""
    masks = list[Array]()
    for place, axis in enumerate(axes):
        found = outside(axis, positions(axis, modes.coordinates))
        if not axis.still and found.any():
            masks.append(found.reshape(-1, *(1,) * (len(axes) - 1 - place)))

    def replace(x: SSAValue, part: str) -> SSAValue:
        constants = [scope.weights(f"{node.name}/outside{number}", mask) for number, mask in enumerate(masks)]
        number = modes.extrapolated

        def write(element: Value, *beyond: Value) -> Value:
            return select(reduce(lambda a, b: a | b, beyond), element.constant(number), element)

        return elementwise(node, scope, [x, *constants], write, part)

    return [("inside", replace)] if masks else []


OPERATORS = {"Resize": resize, "Upsample": resize}
