"""How to draw nodes that work on elements: operator -> what adds one to a random graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto

if TYPE_CHECKING:
    from random_graphs import Graph

Row = Callable[["Graph", str], None]
FLOATS = ("float32", "float32", "float32", "float16")  # float32 the most often
SIGNED = (*FLOATS, "int32", "int64", "int8")
NUMBERS = (*SIGNED, "uint8")
ALL = (*NUMBERS, "bool")
CODES = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "int64": TensorProto.INT64,
    "int32": TensorProto.INT32,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "bool": TensorProto.BOOL,
}


def unary(dtypes: tuple[str, ...], exact: bool = False, smooth: bool = True, **choices: tuple[object, ...]) -> Row:
    """One operand, an exact one for a function that jumps or is steep; `choices` of each attribute, None for none."""

    def row(g: Graph, kind: str) -> None:
        drawn = {name: g.choice(*values) for name, values in choices.items()}
        attributes = {name: value for name, value in drawn.items() if value is not None}
        g.add(kind, [g.pick(dtypes, exact=not smooth)], exact=exact, **attributes)

    return row


def binary(dtypes: tuple[str, ...], exact: bool = True, smooth: bool = True) -> Row:
    """Two operands that broadcast, in either order."""

    def row(g: Graph, kind: str) -> None:
        a = g.pick(dtypes, exact=not smooth)
        b = g.partner(a, exact=not smooth)
        g.add(kind, [a, b] if g.choice(True, False) else [b, a], exact=exact)

    return row


def divided(g: Graph, kind: str) -> None:
    """A divisor that is not 0."""
    a = g.pick(NUMBERS, exact=kind == "Mod")
    dtype = g.array(a).dtype
    shape = [g.choice(1, dim) for dim in g.array(a).shape[g.integer(0, g.array(a).ndim) :]]
    array = np.asarray(g.random.integers(1, 7, tuple(shape))).astype(dtype)
    if dtype != np.uint8 and g.choice(True, False):
        array = -array
    b = g.constant(array) if g.choice(True, False) else g.input(array)
    fmod = {"fmod": 1 if dtype.kind == "f" else g.choice(0, 1)} if kind == "Mod" else {}
    g.add(kind, [a, b], exact=dtype == np.float32, **fmod)


def power(g: Graph, kind: str) -> None:
    """Exponents that are small numbers, of the type of the base or another one."""
    a = g.pick(("float32", "int32", "int64"))
    dtype = str(g.choice("float32", "int32", "int64")) if g.array(a).dtype == np.float32 else str(g.array(a).dtype)
    g.add(kind, [a, g.constant(g.choice(0, 1, 2, 3), dtype)], exact=False)


def shifted(g: Graph, kind: str) -> None:
    """Shifts of unsigned bytes by less than their width."""
    a = g.pick(("uint8",))
    amount = np.asarray(g.random.integers(0, 8, g.array(a).shape)).astype(np.uint8)
    g.add(kind, [a, g.constant(amount)], direction=g.choice("LEFT", "RIGHT"))


def variadic(g: Graph, kind: str) -> None:
    """One to four operands."""
    a = g.pick(FLOATS if kind in ("Sum", "Mean") else NUMBERS)
    g.add(kind, [a, *(g.partner(a) for _ in range(g.integer(0, 3)))], exact=kind in ("Max", "Min"))


def special(g: Graph, kind: str) -> None:
    """An input that holds NaN and infinities."""
    array = g.content("float32", g.shape())
    flat = array.reshape(-1)
    for value in (np.nan, np.inf, -np.inf):
        flat[g.random.integers(0, flat.size)] = value
    signs = {name: g.choice(0, 1) for name in ("detect_negative", "detect_positive")} if kind == "IsInf" else {}
    g.add(kind, [g.input(array.copy())], **signs)


def where(g: Graph, kind: str) -> None:
    """A condition and two operands that broadcast."""
    a = g.pick(ALL)
    shape = g.array(a).shape
    mask = g.pick(("bool",), len(shape), len(shape))
    if g.array(mask).shape != shape:
        mask = g.fresh("bool", [g.choice(1, dim) for dim in shape])
    g.add(kind, [mask, a, g.partner(a)] if g.choice(True, False) else [mask, g.partner(a), a])


def clip(g: Graph, kind: str) -> None:
    """Both bounds, one or none."""
    a = g.pick(NUMBERS)
    dtype = str(g.array(a).dtype)
    bounds = [g.constant(value, dtype) if g.integer(0, 3) else "" for value in (1, 5)]
    g.add(kind, [a, *bounds])


def cast(g: Graph, kind: str) -> None:
    """To any type; floats become integers only where they are exact, and negative ones never become unsigned."""
    target = str(g.choice(*CODES))
    a = g.pick(ALL, exact=target not in ("float32", "float16"))
    array = g.array(a)
    if array.dtype.kind == "f" and target == "uint8" and array.size and array.min() <= -1:
        target = "int32"
    if array.dtype.kind == "f" and array.size and np.abs(array).max() > 100:
        target = "float32"
    g.add(kind, [a], to=CODES[target], exact=target == "float32" or array.dtype.kind != "f")


_JUMPS = unary(FLOATS, exact=True, smooth=False)
_SLOPE = (None, 0.1, 1.5)
ROWS: Mapping[str, Row] = {
    **dict.fromkeys(("Abs", "Neg"), unary(SIGNED, exact=True)),
    "Relu": unary(("float32", "float16", "int32", "int8"), exact=True),
    **dict.fromkeys(
        (
            *("Exp", "Erf", "Sigmoid", "Tanh", "Softplus", "Softsign", "Mish", "HardSwish", "Sin", "Cos", "Atan"),
            *("Sinh", "Cosh", "Asinh"),
        ),
        unary(FLOATS),
    ),
    **dict.fromkeys(
        ("Log", "Reciprocal", "Sqrt", "Tan", "Acosh", "Asin", "Acos", "Atanh"), unary(FLOATS, smooth=False)
    ),
    **dict.fromkeys(("Floor", "Ceil", "Round"), _JUMPS),
    "Sign": unary(NUMBERS, exact=True, smooth=False),
    "Not": unary(("bool",), exact=True),
    "BitwiseNot": unary(("int32", "int64", "int8", "uint8"), exact=True),
    "Gelu": unary(FLOATS, approximate=(None, "tanh")),
    **dict.fromkeys(("Swish", "Elu", "Celu", "LeakyRelu"), unary(FLOATS, alpha=_SLOPE)),
    "ThresholdedRelu": unary(FLOATS, smooth=False, alpha=_SLOPE),
    "HardSigmoid": unary(FLOATS, alpha=_SLOPE, beta=(None, 0.3)),
    "Selu": unary(FLOATS, alpha=_SLOPE, gamma=_SLOPE),
    "Shrink": unary(FLOATS, smooth=False, bias=_SLOPE, lambd=_SLOPE),
    **dict.fromkeys(("Identity", "Dropout"), unary(ALL, exact=True)),
    **dict.fromkeys(("IsNaN", "IsInf"), special),
    **dict.fromkeys(("Add", "Sub", "Mul"), binary(NUMBERS)),
    "PRelu": binary(("float32", "int32")),
    **dict.fromkeys(("Div", "Mod"), divided),
    "Pow": power,
    "BitShift": shifted,
    **dict.fromkeys(("Max", "Min", "Sum", "Mean"), variadic),
    **dict.fromkeys(("And", "Or", "Xor"), binary(("bool",))),
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseXor"), binary(("int32", "int64", "int8", "uint8"))),
    "Equal": binary(ALL, smooth=False),
    **dict.fromkeys(("Less", "LessOrEqual", "Greater", "GreaterOrEqual"), binary(NUMBERS, smooth=False)),
    "Where": where,
    "Clip": clip,
    "Cast": cast,
}
