"""Functions of single numbers, on whole arrays at a time: those of bodies, and activations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects.activations import ACTIVATIONS as ROWS
from compiler.dialects.epilogue import Epilogue
from compiler.dialects.types import element_dtype
from emu.isa.dtypes import DType

CONSTANT, INDEX = "constant", "index"


def divide(a: Array, b: Array) -> Array:
    """a / b; of integers towards zero."""
    if a.dtype.kind == "f":
        return a / b
    quotient = a // np.where(b == 0, 1, b)
    return quotient + ((quotient * b != a) & ((a < 0) != (b < 0)))


def power(a: Array, b: Array) -> Array:
    """a to the power b; of integers with a negative b, 1 / a^-b towards zero."""
    if a.dtype.kind != "i":
        return np.power(a, b)
    ones = np.where(np.abs(a) == 1, np.power(a, np.abs(b) & 1), 0)
    return np.where(b < 0, np.where(a == 0, np.iinfo(a.dtype).min, ones), np.power(a, np.maximum(b, 0)))


def _shift_left(a: Array, b: Array) -> Array:
    fits = (b >= 0) & (b < 8 * a.dtype.itemsize)
    return np.where(fits, a << np.where(fits, b, 0), 0)


def _shift_right(a: Array, b: Array) -> Array:
    most = 8 * a.dtype.itemsize - 1
    fits = (b >= 0) & (b <= most)
    return np.where(fits, a >> np.where(fits, b, 0), np.where(a < 0, -1, 0))


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(x.dtype)


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x).astype(x.dtype) if x.size else x


def _in_double(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: function(x.astype(np.float64)).astype(x.dtype)


_DOUBLE: Mapping[str, Callable[[Array], Array]] = {
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divide,
    "max": np.maximum,
    "min": np.minimum,
    "shift_left": _shift_left,
    "shift_right": _shift_right,
    "pow": power,
    "mod": np.mod,
    "rem": np.fmod,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "select": np.where,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "neg": np.negative,
    "erf": _erf,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "complement": np.invert,
    "sign": np.sign,
    **{name: _in_double(function) for name, function in _DOUBLE.items()},
}
ROUNDING = frozenset({"floor", "ceil", "round", "cast"})  # and what of floats to integers
# Functions whose last bits depend on who computes them; all others of floats are IEEE operations.
INEXACT = frozenset({*_DOUBLE, "sigmoid", "erf", "pow", "rem", "mod"})


def cast(x: Array, dtype: DType) -> Array:
    """`x` as another type: to integers half to even and saturated, NaN as 0; to bool what is not 0."""
    if dtype == DType.bool:
        return x != 0
    if dtype.is_float or x.dtype.kind == "b":
        return x.astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    if x.dtype.kind != "f":
        low, high = (max(limits.min, np.iinfo(x.dtype).min), min(limits.max, np.iinfo(x.dtype).max))
        return np.clip(x, low, high).astype(dtype.numpy)
    whole = np.nan_to_num(np.rint(x.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
    inside = (whole > limits.min) & (whole < limits.max)
    ends = np.where(whole <= limits.min, limits.min, limits.max)
    return np.where(inside, np.where(inside, whole, 0).astype(np.int64), ends).astype(dtype.numpy)


def run_body(
    body: ArrayAttr[DictionaryAttr], operands: Sequence[Array], positions: Callable[[int], Array], nudge: float = 1.0
) -> Array:
    """The last value of the steps of a body; `positions` are the counters along a dimension of the loops."""
    values = list(operands)
    for step in body:
        name, dtype, number = _text(step, "fn"), element_dtype(step.data["type"]), step.data.get("value")
        if name == CONSTANT:
            values.append(np.array(_number(number)).astype(dtype.numpy))
        elif name == INDEX:
            values.append(positions(int(_number(number))).astype(dtype.numpy))
        else:
            taken = [values[place] for place in attr.values(step.data["args"])]  # pyright: ignore[reportArgumentType]
            if nudge != 1.0 and name in ROUNDING and taken[0].dtype.kind == "f":
                taken[0] = taken[0] * taken[0].dtype.type(nudge)
            made = cast(taken[0], dtype) if name == "cast" else FUNCTIONS[name](*taken)
            values.append(made.astype(dtype.numpy, copy=False))
    return values[-1]


def _text(step: DictionaryAttr, name: str) -> str:
    value = step.data[name]
    return value.data if isinstance(value, StringAttr) else ""


def _number(value: Any) -> float | int:
    return value.value.data if isinstance(value, IntegerAttr | FloatAttr) else 0


ACTIVATIONS: Mapping[str, Callable[..., Array]] = {
    **{row.name: FUNCTIONS[row.name] for row in ROWS.values() if not row.parameters},
    "clip": lambda x, low, high: np.minimum(np.maximum(x, x.dtype.type(low)), x.dtype.type(high)),
    "leaky_relu": lambda x, alpha: np.where(x < 0, x * x.dtype.type(alpha), x),
}


def activate(x: Array, activations: Epilogue) -> Array:
    """The activations one after the other."""
    for name, args in activations:
        x = ACTIVATIONS[name](x, *args)
    return x
