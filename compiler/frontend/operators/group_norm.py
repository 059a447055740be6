"""Imports normalisations by mean and deviation of channels, of groups of channels, or of any axes; and by a norm."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from compiler.dialects.onnx import IdentityOp
from compiler.frontend.nodes.nests import elementwise, mapped, reduce, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.layer_norm import stash_type
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, call, cast, select
from compiler.nests.linear import Linear, Map
from emu.isa.dtypes import FLOATS, DType

_EPSILON = 1e-5
_MVN_EPSILON = 1e-9  # of the standard's MeanVarianceNormalization


def instance_normalization(node: Node, scope: Scope) -> SSAValue:
    """Each channel of x [N,C,...] by its own mean and deviation (Ulyanov et al. 2016)."""
    return _by_groups(node, scope, _channels(node, scope))


def group_normalization(node: Node, scope: Scope) -> SSAValue:
    """Groups of neighbouring channels of x [N,C,...] by their mean and deviation (Wu and He 2018).

    As operator set 21 defines it: ONNX's checker refuses the older one, which has a scale per group.
    """
    channels, groups = _channels(node, scope), node.integer("num_groups", 0)
    stash_type(node)
    if groups < 1 or channels % groups:
        node.refuse(f"has num_groups {groups}, of which its {channels} channels are no multiple")
    return _by_groups(node, scope, groups)


def _channels(node: Node, scope: Scope) -> int:
    shape = scope.shape(node.inputs[0])
    if len(shape) < 2:
        node.refuse(f"has an input of shape {list(shape)}, without channels in dimension 1")
    return shape[1]


def _by_groups(node: Node, scope: Scope, groups: int) -> SSAValue:
    """In the space (batch, group, channel of the group, ...)."""
    x, scale, bias = operands = [scope.value(node, index) for index in range(3)]
    check_types(node, operands, FLOATS)
    if not shape_of(scale) == shape_of(bias) == shape_of(x)[1:2]:
        shapes = f"{list(shape_of(scale))} and {list(shape_of(bias))}"
        node.refuse(f"has scale and bias of shape {shapes}, not one number per channel of {list(shape_of(x))}")
    if 0 in shape_of(x):
        return scope.emit(IdentityOp, node, [x], shape_of(x))
    batch, channels, *others = shape_of(x)
    part = channels // groups
    sizes = (batch, groups, part, *others)
    channel = Linear.of(0, {dim: unit for dim, unit, size in ((1, part, groups), (2, 1, part)) if size > 1})
    place: Map = (Linear.dim(0), channel, *(Linear.dim(3 + dim) for dim in range(len(others))))
    group: Map = (Linear.dim(0), Linear.dim(1))
    count, epsilon = part * math.prod(others), node.real("epsilon", _EPSILON)

    def square(value: Value, mean: Value) -> Value:
        deviation = cast(value, DType.f32) - mean
        return deviation * deviation

    def normalised(value: Value, mean: Value, factor: Value, gamma: Value, beta: Value) -> Value:
        result = (cast(value, DType.f32) - mean) * factor * cast(gamma, DType.f32) + cast(beta, DType.f32)
        return cast(result, value.dtype)

    result = ((batch, groups), group)
    total = mapped(node, scope, [x], [place], lambda y: cast(y, DType.f32), result, sizes, "add", "sum")
    mean = elementwise(node, scope, [total], lambda value: value / count, "mean")
    squares = mapped(node, scope, [x, mean], [place, group], square, result, sizes, "add", "squares")
    factor = elementwise(node, scope, [squares], lambda y: 1 / call("sqrt", y / count + epsilon), "factor")
    values, maps = [x, mean, factor, scale, bias], [place, group, group, (channel,), (channel,)]
    return mapped(node, scope, values, maps, normalised, (shape_of(x), place), sizes)


def mean_variance_normalization(node: Node, scope: Scope) -> SSAValue:
    """(x - mean) / (deviation + 1e-9) over axes, by default all but the channels."""
    x = scope.value(node)
    check_types(node, [x], FLOATS)
    axes = node.axes(node.integers("axes", (0, 2, 3)), len(shape_of(x)))
    if 0 in shape_of(x):
        return scope.emit(IdentityOp, node, [x], shape_of(x))
    count = _count(x, axes)

    def square(value: Value, middle: Value) -> Value:
        deviation = cast(value, DType.f32) - middle
        return deviation * deviation

    def normalised(value: Value, middle: Value, deviation: Value) -> Value:
        return cast((cast(value, DType.f32) - middle) / deviation, value.dtype)

    total = reduce(node, scope, x, axes, "add", lambda value: cast(value, DType.f32), part="sum")
    mean = elementwise(node, scope, [total], lambda value: value / count, "mean")
    squares = reduce(node, scope, [x, mean], axes, "add", square, part="squares")
    root = elementwise(node, scope, [squares], lambda y: call("sqrt", y / count) + _MVN_EPSILON, "deviation")
    return written(node, scope, [x, mean, root], normalised, shape_of(x))


def lp_normalization(node: Node, scope: Scope) -> SSAValue:
    """x divided by its sum of absolute values (p = 1) or Euclidean norm (p = 2) along an axis; 0 where that is 0."""
    x, p = scope.value(node), node.integer("p", 2)
    check_types(node, [x], FLOATS)
    axis = node.axis(node.integer("axis", -1), len(shape_of(x)))
    if p not in (1, 2):
        node.refuse(f"has p {p}: only the norms 1 and 2 are defined")
    if 0 in shape_of(x):
        return scope.emit(IdentityOp, node, [x], shape_of(x))

    def term(value: Value) -> Value:
        wide = cast(value, DType.f32)
        return wide * wide if p == 2 else call("abs", wide)

    def divisor(total: Value) -> Value:
        norm = call("sqrt", total) if p == 2 else total
        return select(norm.same(0), 1, norm)

    total = reduce(node, scope, x, (axis,), "add", term, part="sum")
    norm = elementwise(node, scope, [total], divisor, "norm")
    return written(node, scope, [x, norm], lambda y, z: cast(cast(y, DType.f32) / z, y.dtype), shape_of(x))


def _count(x: SSAValue, axes: Sequence[int]) -> int:
    return math.prod(shape_of(x)[axis] for axis in axes)


OPERATORS = {
    "GroupNormalization": group_normalization,
    "InstanceNormalization": instance_normalization,
    "LpNormalization": lp_normalization,
    "MeanVarianceNormalization": mean_variance_normalization,
}
