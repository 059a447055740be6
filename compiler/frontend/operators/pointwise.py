"""Imports functions of elements: one row per operator, an expression of the elements of its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.ir import SSAValue

from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.expression import Number, Value, call, cast, largest, select, smallest
from emu.isa.dtypes import ALL, FLOATS, INTEGERS, NUMBERS, DType

Write = Callable[..., Value]
_BROADCASTING = 7  # operator set since which operands are aligned at their last axes
_BOOL = frozenset({DType.bool})
_SELU_ALPHA, _SELU_GAMMA = 1.67326319217681884765625, 1.05070102214813232421875  # defaults of the standard
_TRIGONOMETRIC = ("sin", "cos", "tan", "sinh", "cosh", "tanh")  # and their inverse functions
_GELU_CUBE = 0.044715  # Hendrycks and Gimpel 2016, section 2


@dataclass(frozen=True, slots=True)
class Pointwise:
    """What an operator computes: `write`, given the node, is a function of the elements of its operands.

    `takes` are the element types of its operands. What takes floating-point numbers alone is computed in float32.
    """

    write: Callable[[Node], Write]
    takes: frozenset[DType]
    least: int = 1
    most: int | None = 1  # operands; None: any number
    alike: bool = True  # whether all operands must be of one type
    known: Callable[[Number], Write | None] | None = None  # given a number as last operand: a shorter way, if any


def _plain(write: Write, takes: frozenset[DType], least: int = 1, most: int | None = 0) -> Pointwise:
    """A function without attributes."""
    return Pointwise(lambda _: write, takes, least, least if most == 0 else most)


def _unary(fn: str, takes: frozenset[DType] = FLOATS) -> Pointwise:
    return _plain(lambda x: call(fn, x), takes)


def _binary(write: Write, takes: frozenset[DType]) -> Pointwise:
    return _plain(write, takes, 2)


def _fold(fn: Callable[[Value, Value], Value], takes: frozenset[DType]) -> Pointwise:
    """A function of two that is applied from left to right."""
    return _plain(lambda *values: reduce(fn, values), takes, 1, None)


def _with(takes: frozenset[DType], **defaults: float) -> Callable[[Callable[..., Value]], Pointwise]:
    """A function of one operand whose further arguments are real attributes with these defaults."""

    def row(write: Callable[..., Value]) -> Pointwise:
        def bind(node: Node) -> Write:
            given = {name: node.real(name, value) for name, value in defaults.items()}
            return lambda x: write(x, **given)

        return Pointwise(bind, takes)

    return row


def _softplus(x: Value) -> Value:
    """log(1 + exp(x)), without overflow for large x."""
    return largest(x, 0) + call("log", 1 + call("exp", -call("abs", x)))


def _gelu(node: Node) -> Write:
    if node.text("approximate", "none") == "tanh":
        return lambda x: 0.5 * x * (1 + call("tanh", math.sqrt(2 / math.pi) * (x + _GELU_CUBE * x * x * x)))
    return lambda x: 0.5 * x * (1 + call("erf", x * math.sqrt(0.5)))


def _hard_sigmoid(x: Value, alpha: float, beta: float) -> Value:
    return largest(smallest(alpha * x + beta, 1), 0)


def _is_inf(node: Node) -> Write:
    signs = [sign for sign, name in ((1, "detect_positive"), (-1, "detect_negative")) if node.integer(name, 1)]

    def write(x: Value) -> Value:
        found = [x.same(sign * math.inf) for sign in signs] or [x.same(math.inf) & x.differs(math.inf)]
        return reduce(lambda a, b: a | b, found)

    return write


def _shrink(x: Value, bias: float, lambd: float) -> Value:
    wide = cast(x, DType.f32)
    moved = select(wide < -lambd, wide + bias, select(wide > lambd, wide - bias, 0))
    return cast(moved if x.dtype.is_float else _truncated(moved), x.dtype)


def _truncated(x: Value) -> Value:
    """Without its fraction."""
    return select(x < 0, call("ceil", x), call("floor", x))


def _power(base: Value, exponent: Value) -> Value:
    """Of the type of the base; of integers exactly, also where the exponent is a whole number of another type."""
    if base.dtype.is_float or not exponent.dtype.is_float:
        return call("pow", base, cast(exponent, base.dtype))
    whole = call("pow", base, cast(exponent, base.dtype))
    real = cast(_truncated(call("pow", cast(base, exponent.dtype), exponent)), base.dtype)
    return select(exponent.same(call("floor", exponent)), whole, real)


def _known_power(exponent: Number) -> Write | None:
    """Squares and cubes as products, as onnxruntime computes them, too; float16 is rounded once."""
    count = int(exponent) if exponent in (2, 3) else 0

    def products(base: Value) -> Value:
        wide = cast(base, DType.f32) if base.dtype.is_float else base
        return cast(reduce(lambda a, b: a * b, [wide] * count), base.dtype)

    return products if count else None


def _mean(*values: Value) -> Value:
    return reduce(lambda a, b: a + b, values) / len(values)


def _swiglu(node: Node) -> Write:
    return lambda gate, x: gate * call("sigmoid", node.real("alpha", 1.0) * gate) * x


def _modulo(node: Node) -> Write:
    return lambda a, b: call("rem" if node.integer("fmod", 0) else "mod", a, b)


def _shift(node: Node) -> Write:
    name = "shift_left" if node.text("direction", "LEFT").upper() == "LEFT" else "shift_right"
    return lambda a, b: call(name, a, b)


ROWS: Mapping[str, Pointwise] = {
    "Abs": _unary("abs", NUMBERS),
    "Neg": _unary("neg", NUMBERS),
    "Exp": _unary("exp"),
    "Log": _unary("log"),
    "Sqrt": _unary("sqrt"),
    "Erf": _unary("erf"),
    "Floor": _unary("floor"),
    "Ceil": _unary("ceil"),
    "Round": _unary("round"),
    "Relu": _unary("relu", NUMBERS),
    "Sigmoid": _unary("sigmoid"),
    "Not": _unary("complement", _BOOL),
    "BitwiseNot": _unary("complement", INTEGERS),
    "Reciprocal": _plain(lambda x: 1 / x, FLOATS),
    "Sign": _unary("sign", NUMBERS),
    **{(arc + name).capitalize(): _unary(arc + name) for arc in ("", "a") for name in _TRIGONOMETRIC},
    "IsNaN": _plain(lambda x: x.differs(x), FLOATS),
    "IsInf": Pointwise(_is_inf, FLOATS),
    "Softplus": _plain(_softplus, FLOATS),
    "Softsign": _plain(lambda x: x / (1 + call("abs", x)), FLOATS),
    "Mish": _plain(lambda x: x * call("tanh", _softplus(x)), FLOATS),
    "HardSwish": _plain(lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5), FLOATS),
    "Gelu": Pointwise(_gelu, FLOATS),
    "Swish": _with(FLOATS, alpha=1.0)(lambda x, alpha: x * call("sigmoid", alpha * x)),
    "HardSigmoid": _with(FLOATS, alpha=0.2, beta=0.5)(_hard_sigmoid),
    "Elu": _with(FLOATS, alpha=1.0)(lambda x, alpha: select(x < 0, alpha * (call("exp", smallest(x, 0)) - 1), x)),
    "Celu": _with(FLOATS, alpha=1.0)(
        lambda x, alpha: largest(x, 0) + smallest(alpha * (call("exp", x / alpha) - 1), 0)
    ),
    "Selu": _with(FLOATS, alpha=_SELU_ALPHA, gamma=_SELU_GAMMA)(
        lambda x, alpha, gamma: gamma * select(x > 0, x, alpha * (call("exp", smallest(x, 0)) - 1))
    ),
    "LeakyRelu": _with(FLOATS, alpha=0.01)(lambda x, alpha: select(x < 0, alpha * x, x)),
    "ThresholdedRelu": _with(FLOATS, alpha=1.0)(lambda x, alpha: select(x > alpha, x, 0.0)),
    "Shrink": _with(NUMBERS, bias=0.0, lambd=0.5)(_shrink),
    "Add": _binary(lambda a, b: a + b, NUMBERS),
    "Sub": _binary(lambda a, b: a - b, NUMBERS),
    "Mul": _binary(lambda a, b: a * b, NUMBERS),
    "Div": _binary(lambda a, b: a / b, NUMBERS),
    "Pow": Pointwise(lambda _: _power, NUMBERS, 2, 2, alike=False, known=_known_power),
    "SwiGLU": Pointwise(_swiglu, FLOATS, 2, 2),
    "Mod": Pointwise(_modulo, NUMBERS, 2, 2),
    "BitShift": Pointwise(_shift, INTEGERS, 2, 2),
    "PRelu": _binary(lambda x, slope: select(x < 0, slope * x, x), NUMBERS),
    "Max": _fold(largest, NUMBERS),
    "Min": _fold(smallest, NUMBERS),
    "Sum": _fold(lambda a, b: a + b, FLOATS),
    "Mean": _plain(_mean, FLOATS, 1, None),
    "And": _binary(lambda a, b: a & b, _BOOL),
    "Or": _binary(lambda a, b: a | b, _BOOL),
    "Xor": _binary(lambda a, b: a ^ b, _BOOL),
    "BitwiseAnd": _binary(lambda a, b: a & b, INTEGERS),
    "BitwiseOr": _binary(lambda a, b: a | b, INTEGERS),
    "BitwiseXor": _binary(lambda a, b: a ^ b, INTEGERS),
    "Equal": _binary(lambda a, b: a.same(b), ALL),
    "Less": _binary(lambda a, b: a < b, NUMBERS),
    "LessOrEqual": _binary(lambda a, b: a <= b, NUMBERS),
    "Greater": _binary(lambda a, b: a > b, NUMBERS),
    "GreaterOrEqual": _binary(lambda a, b: a >= b, NUMBERS),
}


def pointwise(node: Node, scope: Scope) -> SSAValue:
    """An operator of `ROWS`."""
    row = ROWS[node.kind]
    values = [scope.value(node, index) for index in range(len(node.inputs))]
    if len(values) < row.least or (row.most is not None and len(values) > row.most):
        node.refuse(f"has {len(values)} inputs, but takes {row.least}{'' if row.most == row.least else ' or more'}")
    if len(values) == 2 and ("axis" in node.attributes or _is_per_channel(node, scope, values[1])):
        values[1] = aligned(node, scope, values[1], shape_of(values[0]))
    for group in [values] if row.alike else [[value] for value in values]:
        check_types(node, group, row.takes)
    if (shorter := _shorter(row, node, scope, values)) is not None:
        return elementwise(node, scope, values[:-1], shorter)
    write = row.write(node)
    return elementwise(node, scope, values, _wide(write) if row.takes == FLOATS else write)


def _shorter(row: Pointwise, node: Node, scope: Scope, values: Sequence[SSAValue]) -> Write | None:
    """What it computes of the other operands, if the last one is a number that makes it shorter."""
    number = scope.constants.get(node.inputs[-1])
    if row.known is None or number is None or number.size != 1 or number.ndim > len(shape_of(values[0])):
        return None
    return row.known(number.item())


def _wide(write: Write) -> Write:
    """The same function, of float16 computed in float32 and rounded once."""

    def widened(*values: Value) -> Value:
        result, dtype = write(*(cast(value, DType.f32) for value in values)), values[0].dtype
        return cast(result, dtype) if result.dtype == DType.f32 else result

    return widened


def _is_per_channel(node: Node, scope: Scope, slope: SSAValue) -> bool:
    """Whether a PRelu has a slope for each channel, dimension 1, as older operator sets align it."""
    return node.kind == "PRelu" and scope.opset < _BROADCASTING and math.prod(shape_of(slope)) > 1


def aligned(node: Node, scope: Scope, b: SSAValue, shape: tuple[int, ...]) -> SSAValue:
    """`b` with its first axis at `axis` of `shape`, as operator set 6 broadcasts."""
    axis = node.axis(node.integer("axis", 1 if node.kind == "PRelu" else 0), len(shape))
    behind = len(shape) - axis - len(shape_of(b))
    if behind < 0:
        node.refuse(f"broadcasts {list(shape_of(b))} to {list(shape)} from axis {axis}: it does not fit")
    return scope.emit(ReshapeOp, node, [b], (*shape_of(b), *(1,) * behind), part="aligned") if behind else b


def check_types(node: Node, values: Sequence[SSAValue], takes: frozenset[DType]) -> None:
    """Refuse operands of different types, or of one that the operator does not take."""
    given = [dtype_of(value) for value in values]
    for dtype in given:
        if dtype not in takes:
            known = ", ".join(sorted(str(kind.numpy) for kind in takes))
            node.refuse(f"has an operand of {dtype.numpy}, but takes {known}: convert the model")
    if len(set(given)) > 1:
        names = ", ".join(sorted({str(dtype.numpy) for dtype in given}))
        node.refuse(f"has operands of several element types ({names}): export the model again")
