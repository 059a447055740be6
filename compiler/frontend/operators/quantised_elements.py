"""Imports the operators on quantised elements that onnxruntime's quantiser writes (com.microsoft), by its formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.quantisation import bytes_type, number, quantised, requantise, scale, zero_point
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pooling import average_pool
from compiler.frontend.operators.shaping import concat
from compiler.frontend.operators.windows import pixels_of
from compiler.nests.expression import Value, call, cast, select
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class Quantity:
    """How elements of `dtype` stand for numbers: (element - zero) scale."""

    dtype: DType
    scale: np.float32
    zero: int

    def real(self, x: Value) -> Value:
        """What an element stands for, as a float32."""
        return float(self.scale) * (cast(x, DType.f32) - self.zero if self.zero else cast(x, DType.f32))

    def quantised(self, x: Value) -> Value:
        """The element that stands for a float32: the zero point is added after rounding."""
        return quantised(x / float(self.scale), self.zero, self.dtype)


def quantity(node: Node, scope: Scope, place: int, dtype: DType) -> Quantity:
    """Constant scale and zero point at inputs `place` and the next."""
    parts = [scale(node, scope, place), zero_point(node, scope, place + 1, dtype)]
    for index, part in enumerate(parts):
        number(node, part, ("its scale", "its zero point")[index])
        if isinstance(part, SSAValue):
            node.refuse(f"computes '{node.inputs[place + index]}' at run time, but the compiler needs it constant")
    factor, zero = (part.reshape(-1)[0] for part in parts if not isinstance(part, SSAValue))
    return Quantity(dtype, np.float32(factor), int(zero))


def _operand(node: Node, scope: Scope, place: int) -> tuple[SSAValue, Quantity]:
    """A quantised operand at input `place`, its scale and zero point behind it."""
    x = scope.value(node, place)
    return x, quantity(node, scope, place + 1, bytes_type(node, x, "an operand"))


def _two(node: Node, scope: Scope) -> tuple[list[SSAValue], Quantity, Quantity, Quantity]:
    (a, first), (b, second) = (_operand(node, scope, place) for place in (0, 3))
    if first.dtype != second.dtype:
        node.refuse("has operands of int8 and of uint8: quantise the model again")
    return [a, b], first, second, quantity(node, scope, 6, first.dtype)


def add(node: Node, scope: Scope) -> SSAValue:
    """QLinearAdd: zero points are one number, to which the scaled operands are added before rounding."""
    operands, a, b, c = _two(node, scope)
    left, right = a.scale / c.scale, b.scale / c.scale
    fixed = np.float32(c.zero) - (left * np.float32(a.zero) + right * np.float32(b.zero))

    def write(x: Value, y: Value) -> Value:
        return cast(cast(x, DType.f32) * float(left) + (cast(y, DType.f32) * float(right) + float(fixed)), c.dtype)

    return elementwise(node, scope, operands, write)


def multiply(node: Node, scope: Scope) -> SSAValue:
    """QLinearMul: the exact product of integers, scaled; the zero point is added before rounding."""
    operands, a, b, c = _two(node, scope)
    ratio = a.scale * b.scale / c.scale

    def write(x: Value, y: Value) -> Value:
        exact = (cast(x, DType.f32) - a.zero) * (cast(y, DType.f32) - b.zero)
        return cast(exact * float(ratio) + c.zero, c.dtype)

    return elementwise(node, scope, operands, write)


def _function(write: Callable[[Node], Callable[[Value], Value]]) -> Callable[[Node, Scope], SSAValue]:
    """A function of what each element stands for."""

    def convert(node: Node, scope: Scope) -> SSAValue:
        x, source = _operand(node, scope, 0)
        made, function = quantity(node, scope, 3, source.dtype), write(node)
        return elementwise(node, scope, [x], lambda v: made.quantised(function(source.real(v))))

    return convert


def _leaky(node: Node) -> Callable[[Value], Value]:
    alpha = node.real("alpha", 0.01)
    return lambda x: select(x < 0, alpha * x, x)


def _refuse_channels_last(node: Node) -> None:
    if node.integer("channels_last", 0):
        node.refuse("has channels_last, which is not supported: quantise the model as it was exported")


def average(node: Node, scope: Scope) -> SSAValue:
    """QLinearAveragePool: the mean of what the elements stand for; the zero point is added before rounding.

    Where padding counts, onnxruntime divides by the size of the whole kernel, also where ceil mode goes beyond it.
    """
    _refuse_channels_last(node)
    x, source = _operand(node, scope, 0)
    made, tensor = quantity(node, scope, 3, source.dtype), node.outputs[0]
    scope.define(f"{tensor}/real", elementwise(node, scope, [x], source.real, "real"))
    pool = replace(node, name=f"{node.name}/pool", inputs=(f"{tensor}/real",), outputs=(f"{tensor}/pool",))
    mean = average_pool(pool, scope, whole=True)
    return elementwise(node, scope, [mean], lambda v: cast(v / float(made.scale) + made.zero, made.dtype))


def global_average(node: Node, scope: Scope) -> SSAValue:
    """QLinearGlobalAveragePool: exact sums, scaled by x / (y pixels)."""
    _refuse_channels_last(node)
    x, (_, source) = pixels_of(node, scope), _operand(node, scope, 0)
    made, shape = quantity(node, scope, 3, source.dtype), shape_of(x)
    pixels = math.prod(shape[2:])
    sums = reduce(node, scope, x, range(2, len(shape)), "add", lambda v: cast(v, DType.i32) - source.zero, part="sums")
    factor = np.asarray(source.scale / (made.scale * np.float32(pixels)))
    return requantise(node, scope, sums, factor, np.asarray(made.zero, made.dtype.numpy), made.dtype)


def join(node: Node, scope: Scope) -> SSAValue:
    """QLinearConcat: every operand as elements of the result's scale and zero point, then joined."""
    if len(node.inputs) < 5 or (len(node.inputs) - 2) % 3:
        node.refuse("must have scale and zero point of its result, then operands with scale and zero point each")
    made, names = quantity(node, scope, 0, bytes_type(node, scope.value(node, 1), "a zero point")), list[str]()
    for place in range(2, len(node.inputs), 3):
        x, source = _operand(node, scope, place)
        name = node.inputs[place]
        if source != made:
            name, part = f"{node.outputs[0]}/operand{place}", f"operand{place}"
            scope.define(name, _converted(node, scope, x, source, made, part))
        names.append(name)
    return concat(replace(node, inputs=tuple(names)), scope)


def _converted(node: Node, scope: Scope, x: SSAValue, source: Quantity, made: Quantity, part: str) -> SSAValue:
    if source.dtype != made.dtype:
        node.refuse("has operands of int8 and of uint8: quantise the model again")
    return elementwise(node, scope, [x], lambda v: made.quantised(source.real(v)), part)


def where(node: Node, scope: Scope) -> SSAValue:
    """QLinearWhere: the chosen operand as an element of the result's scale and zero point."""
    condition = scope.value(node)
    if dtype_of(condition) != DType.bool:
        node.refuse("has a condition that is no bool")
    (x, first), (y, second) = (_operand(node, scope, place) for place in (1, 4))
    made = quantity(node, scope, 7, first.dtype)
    if second.dtype != first.dtype:
        node.refuse("has operands of int8 and of uint8: quantise the model again")

    def write(chosen: Value, a: Value, b: Value) -> Value:
        left, right = (
            v if source == made else made.quantised(source.real(v)) for v, source in ((a, first), (b, second))
        )
        return select(chosen, left, right)

    return elementwise(node, scope, [condition, x, y], write)


def softmax(node: Node, scope: Scope) -> SSAValue:
    """QLinearSoftmax: exp of the distances to the largest element, as parts of their sum, times floor(1 / scale)."""
    x, source = _operand(node, scope, 0)
    made, rank = quantity(node, scope, 3, source.dtype), len(shape_of(x))
    recent = node.integer("opset", 13) >= 13
    axis = node.axis(node.integer("axis", -1 if recent else 1), rank)
    axes, steps = [axis] if recent else range(axis, rank), math.floor(np.float32(1) / made.scale)
    top = reduce(node, scope, x, axes, "max", part="largest")

    def power(v: Value, m: Value) -> Value:
        return call("exp", (cast(v, DType.f32) - cast(m, DType.f32)) * float(source.scale))

    powers = elementwise(node, scope, [x, top], power, "powers")
    total = reduce(node, scope, powers, axes, "add", part="total")
    return elementwise(
        node, scope, [powers, total], lambda p, s: quantised(p * float(steps) / s, made.zero, made.dtype)
    )


def refuse_attention(node: Node, scope: Scope) -> SSAValue:
    """QAttention multiplies two results of a run."""
    node.refuse(
        "multiplies quantised results with each other, which is not supported: leave attention out of quantising"
    )


OPERATORS = {
    "QLinearAdd": add,
    "QLinearMul": multiply,
    "QLinearLeakyRelu": _function(_leaky),
    "QLinearSigmoid": _function(lambda _: lambda x: call("sigmoid", x)),
    "QLinearAveragePool": average,
    "QLinearGlobalAveragePool": global_average,
    "QLinearConcat": join,
    "QLinearWhere": where,
    "QLinearSoftmax": softmax,
    "QAttention": refuse_attention,
}
