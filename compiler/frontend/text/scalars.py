"""Operations of `arith` and `math` as functions of bodies; what the vector unit lacks is made of what it has."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Mapping
from typing import cast as as_type

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation

from compiler.dialects.linalg import casts, others
from compiler.interpreter.host.values import numpy_type
from compiler.nests.expression import Value, call, cast, constant, largest, select, smallest
from emu.isa.dtypes import DType

Write = Callable[..., Value]  # of an operation and the values of its operands
_BIT = DType.bool


class NoFunction(ValueError):
    """What the vector unit cannot compute; the text ends the sentence "linalg.generic ..."."""


def machine_type(kind: Attribute) -> DType:
    """The machine's type of elements; doubles are computed as f32. Raises CompileError for one that it lacks."""
    found = numpy_type(kind)
    return DType.of(np.dtype(np.float32) if found == np.float64 else found)


def _made(op: Operation) -> DType:
    return machine_type(op.results[0].type)


# integers -----------------------------------------------------------------------------------------------------------


def _bits(dtype: DType) -> int:
    return 8 * dtype.size


def signed(value: Value, dtype: DType) -> Value:
    """An integer as a wider one; a truth value is 0 or -1."""
    return -cast(value, dtype) if value.dtype == _BIT else cast(value, dtype)


def unsigned(value: Value, dtype: DType) -> Value:
    """An integer as a wider one, its bits as a number without sign."""
    if value.dtype == _BIT or value.dtype == dtype:
        return cast(value, dtype)
    return cast(value, dtype) & ((1 << _bits(value.dtype)) - 1)


def truncated(value: Value, dtype: DType) -> Value:
    """The last bits of an integer: a cast would saturate."""
    if value.dtype == dtype:
        return value
    if dtype == _BIT:
        return (value & 1).differs(0)
    places = _bits(value.dtype) - _bits(dtype)
    return cast(call("shift_right", call("shift_left", value, places), places), dtype)


def _resized(value: Value, dtype: DType, wider: Callable[[Value, DType], Value]) -> Value:
    return wider(value, dtype) if value.dtype == _BIT or value.dtype.size < dtype.size else truncated(value, dtype)


def _of_bits(function: str, of_bools: str) -> Write:
    """A function of integers, which is another one of truth values."""
    return lambda op, a, b: call(of_bools if a.dtype == _BIT else function, a, b)


def negated(value: Value) -> Value:
    """The other truth value."""
    return call("complement", value)


def _ordered(value: Value, *, signs: bool) -> Value:
    """A number whose signed order is that of the operand, with or without its sign."""
    if value.dtype == _BIT:
        return signed(value, DType.i8) if signs else cast(value, DType.i8)
    return value if signs else turned(value)


def turned(value: Value) -> Value:
    """A number without sign as one with it, in the same order; and the other way round."""
    return value ^ -(1 << (_bits(value.dtype) - 1))


def _without_sign(function: str, of_bools: str) -> Write:
    """A larger or smaller number, of those without sign."""

    def write(op: Operation, a: Value, b: Value) -> Value:
        return call(of_bools, a, b) if a.dtype == _BIT else turned(call(function, turned(a), turned(b)))

    return write


def _widely(function: str) -> Write:
    """Of numbers without sign, as wide ones with it."""

    def write(op: Operation, a: Value, b: Value) -> Value:
        if a.dtype == DType.i64:
            raise NoFunction(f"has {op.name} of i64, which the vector unit lacks: use i32")
        wide = call(function, unsigned(a, DType.i64), unsigned(b, DType.i64))
        return truncated(wide, a.dtype)

    return write


def _shift_right_unsigned(op: Operation, a: Value, places: Value) -> Value:
    kept = call("shift_left", a.constant(1), a.constant(_bits(a.dtype)) - places) - 1
    return call("shift_right", a, places) & kept


_SIGNED: Mapping[int, Callable[[Value, Value], Value]] = {
    0: Value.same, 1: Value.differs, 2: Value.__lt__, 3: Value.__le__, 4: Value.__gt__, 5: Value.__ge__,
}  # fmt: skip


def _compare_i(op: Operation, a: Value, b: Value) -> Value:
    predicate = as_type(arith.CmpiOp, op).predicate.value.data
    if predicate in (0, 1):
        return _SIGNED[predicate](a, b)
    signs = predicate <= 5
    return _SIGNED[predicate if signs else predicate - 4](_ordered(a, signs=signs), _ordered(b, signs=signs))


# floats -------------------------------------------------------------------------------------------------------------

_FLOAT: Mapping[int, Callable[[Value, Value], Value]] = {
    1: Value.same, 2: Value.__gt__, 3: Value.__ge__, 4: Value.__lt__, 5: Value.__le__,
    6: lambda a, b: (a < b) | (a > b),
    7: lambda a, b: a.same(a) & b.same(b),
    8: lambda a, b: negated((a < b) | (a > b)),
    9: lambda a, b: negated(a <= b),
    10: lambda a, b: negated(a < b),
    11: lambda a, b: negated(a >= b),
    12: lambda a, b: negated(a > b),
    13: Value.differs,
    14: lambda a, b: a.differs(a) | b.differs(b),
}  # fmt: skip


def _compare_f(op: Operation, a: Value, b: Value) -> Value:
    predicate = as_type(arith.CmpfOp, op).predicate.value.data
    return _FLOAT[predicate](a, b) if predicate in _FLOAT else constant(predicate == 15, _BIT)


def towards_zero(x: Value) -> Value:
    """Without its fraction."""
    return select(x < 0, call("ceil", x), call("floor", x))


def _half_away(x: Value) -> Value:
    size = call("abs", x)
    whole = call("floor", size)
    return call("sign", x) * select(size - whole >= 0.5, whole + 1, whole)


def _to_signed(op: Operation, x: Value) -> Value:
    kind = _made(op)
    return truncated(cast(towards_zero(x), DType.i32), kind) if kind == _BIT else cast(towards_zero(x), kind)


def _to_unsigned(op: Operation, x: Value) -> Value:
    return truncated(cast(towards_zero(x), DType.i64), _made(op))


def _from_unsigned(op: Operation, value: Value) -> Value:
    if value.dtype == DType.i64:
        raise NoFunction("has arith.uitofp of i64, which the vector unit lacks: use arith.sitofp")
    return cast(unsigned(value, DType.i64), _made(op))


def _angle(y: Value, x: Value) -> Value:
    """Of the vector (x, y)."""
    turn = select(y < 0, y.constant(-python_math.pi), y.constant(python_math.pi))
    plain = call("atan", y / x)
    upright = select(y.same(0), y, turn * 0.5)
    return select(x.same(0), upright, select(x < 0, plain + turn, plain))


def _calls(function: str) -> Write:
    return lambda op, *args: call(function, *args)


def _leaves(a: Value, b: Value, signs: Callable[[Value, Value], Value]) -> Value:
    """1 where a division of integers leaves something, and the signs of its operands compare so; else 0."""
    return cast(call("rem", a, b).differs(0) & signs(a < 0, b < 0), a.dtype)


_INTEGERS: Mapping[type[Operation], Write] = {
    arith.AddiOp: _of_bits("add", "bit_xor"),
    arith.SubiOp: _of_bits("sub", "bit_xor"),
    arith.MuliOp: _of_bits("mul", "bit_and"),
    arith.DivSIOp: _calls("div"),
    arith.DivUIOp: _widely("div"),
    arith.RemSIOp: _calls("rem"),
    arith.RemUIOp: _widely("rem"),
    arith.FloorDivSIOp: lambda op, a, b: call("div", a, b) - _leaves(a, b, Value.differs),
    arith.CeilDivSIOp: lambda op, a, b: call("div", a, b) + _leaves(a, b, Value.same),
    arith.MaxSIOp: _of_bits("max", "bit_and"),
    arith.MinSIOp: _of_bits("min", "bit_or"),
    arith.MaxUIOp: _without_sign("max", "bit_or"),
    arith.MinUIOp: _without_sign("min", "bit_and"),
    arith.AndIOp: _calls("bit_and"),
    arith.OrIOp: _calls("bit_or"),
    arith.XOrIOp: _calls("bit_xor"),
    arith.ShLIOp: _calls("shift_left"),
    arith.ShRSIOp: _calls("shift_right"),
    arith.ShRUIOp: _shift_right_unsigned,
    arith.CmpiOp: _compare_i,
    casts.SelectOp: lambda op, condition, yes, no: select(condition, yes, no),
    casts.ExtSIOp: lambda op, a: signed(a, _made(op)),
    casts.ExtUIOp: lambda op, a: unsigned(a, _made(op)),
    casts.TruncIOp: lambda op, a: truncated(a, _made(op)),
    casts.IndexCastOp: lambda op, a: _resized(a, _made(op), signed),
    casts.IndexCastUIOp: lambda op, a: _resized(a, _made(op), unsigned),
    casts.SIToFPOp: lambda op, a: signed(a, _made(op)),
    casts.UIToFPOp: _from_unsigned,
    math.AbsIOp: _calls("abs"),
    math.IPowIOp: _calls("pow"),
}
_FLOATS: Mapping[type[Operation], Write] = {
    arith.AddfOp: _calls("add"),
    arith.SubfOp: _calls("sub"),
    arith.MulfOp: _calls("mul"),
    arith.DivfOp: _calls("div"),
    arith.NegfOp: _calls("neg"),
    arith.MaximumfOp: lambda op, a, b: largest(a, b),
    arith.MaxnumfOp: lambda op, a, b: largest(a, b),  # but for what is no number, alike
    arith.MinimumfOp: lambda op, a, b: smallest(a, b),
    arith.MinnumfOp: lambda op, a, b: smallest(a, b),
    arith.CmpfOp: _compare_f,
    arith.ExtFOp: lambda op, a: cast(a, _made(op)),
    arith.TruncFOp: lambda op, a: cast(a, _made(op)),
    casts.FPToSIOp: _to_signed,
    casts.FPToUIOp: _to_unsigned,
    others.RemFOp: _calls("rem"),
    others.IsNanOp: lambda op, a: a.differs(a),
    others.IsInfOp: lambda op, a: call("abs", a).same(python_math.inf),
    others.IsFiniteOp: lambda op, a: call("abs", a) < python_math.inf,
    math.AbsFOp: _calls("abs"),
    math.RoundEvenOp: _calls("round"),
    math.RoundOp: lambda op, a: _half_away(a),
    math.TruncOp: lambda op, a: towards_zero(a),
    math.RsqrtOp: lambda op, a: 1 / call("sqrt", a),
    math.CopySignOp: lambda op, a, b: select(b < 0, -call("abs", a), call("abs", a)),
    math.FPowIOp: lambda op, a, b: call("pow", a, cast(b, a.dtype)),
    math.PowFOp: _calls("pow"),
    math.Atan2Op: lambda op, y, x: _angle(y, x),
    math.FmaOp: lambda op, a, b, c: a * b + c,
    math.Exp2Op: lambda op, a: call("exp", a * python_math.log(2)),
    math.ExpM1Op: lambda op, a: call("exp", a) - 1,
    math.Log1pOp: lambda op, a: call("log", a + 1),
    math.Log2Op: lambda op, a: call("log", a) * (1 / python_math.log(2)),
    math.Log10Op: lambda op, a: call("log", a) * (1 / python_math.log(10)),
    math.CbrtOp: lambda op, a: call("sign", a) * call("pow", call("abs", a), 1 / 3),
}
_SAME_NAME = ("exp", "log", "sqrt", "erf", "ceil", "floor", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos")
_MORE = ("atan", "asinh", "acosh", "atanh")
_CLASSES: Mapping[str, type[Operation]] = {op.name.removeprefix("math."): op for op in math.Math.operations}

FUNCTIONS: Mapping[type[Operation], Write] = {
    **_INTEGERS,
    **_FLOATS,
    **{_CLASSES[name]: _calls(name) for name in (*_SAME_NAME, *_MORE)},
}
