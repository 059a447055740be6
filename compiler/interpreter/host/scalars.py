"""Operations of `arith` and `math`, on whole arrays at a time; integers wrap as their width says."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from compiler.dialects.linalg import casts, others
from compiler.interpreter.host.values import Array, constant, numpy_type, unsigned
from compiler.interpreter.host.world import HostMeaning, HostWorld
from compiler.interpreter.scalars import divide

Function = Callable[..., Array]


def _plain(function: Function) -> HostMeaning:
    """A function of operands alone, whose result is of the declared type."""

    def meaning(op: Operation, args: Sequence[Array], world: HostWorld) -> list[Array]:
        made = np.asarray(function(*args))
        return [made.astype(numpy_type(op.results[0].type), copy=False)]

    return meaning


def _without_sign(function: Function) -> Function:
    """Of the operands as unsigned numbers."""
    return lambda *args: function(*map(unsigned, args))


def _in_double(function: Function) -> Function:
    return lambda *args: function(*(arg.astype(np.float64) for arg in args)).astype(args[0].dtype)


def _shift(function: Function) -> Function:
    """By as many places as the type has, or more: nothing that is defined, here 0 or the sign."""

    def shifted(a: Array, b: Array) -> Array:
        bits = 8 * a.dtype.itemsize
        fits = (b >= 0) & (b < bits)
        return np.where(fits, function(a, np.where(fits, b, 0).astype(a.dtype)), 0).astype(a.dtype)

    return shifted


def _from_bool(array: Array) -> Array:
    """The signed value of a truth value: -1 or 0."""
    return -array.astype(np.int8) if array.dtype.kind == "b" else array


def _signed_or(function: Function, of_bools: Function) -> Function:
    return lambda a, b: of_bools(a, b) if a.dtype.kind == "b" else function(a, b)


def _remainder(a: Array, b: Array) -> Array:
    return np.fmod(a, np.where(b == 0, 1, b).astype(b.dtype))


def _floor_divide(a: Array, b: Array) -> Array:
    return a // np.where(b == 0, 1, b).astype(b.dtype)


def _ceil_divide(a: Array, b: Array) -> Array:
    whole = _floor_divide(a, b)
    return whole + (whole * b != a)


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


_ERF = np.vectorize(python_math.erf, otypes=[np.float64])


def _erf(x: Array) -> Array:
    return _ERF(x) if x.size else x


_ORDERED: Mapping[int, Function] = {
    1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal,
}  # fmt: skip
_COMPARE_I: Mapping[int, Function] = {
    0: np.equal, 1: np.not_equal, 2: np.less, 3: np.less_equal, 4: np.greater, 5: np.greater_equal,
    6: _without_sign(np.less), 7: _without_sign(np.less_equal),
    8: _without_sign(np.greater), 9: _without_sign(np.greater_equal),
}  # fmt: skip


def _compare_i(op: arith.CmpiOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    predicate = op.predicate.value.data
    signed = [_from_bool(arg) if predicate in range(2, 6) else arg for arg in args]
    return [np.asarray(_COMPARE_I[predicate](*signed))]


def _compare_f(op: arith.CmpfOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    a, b = args
    predicate, unordered = op.predicate.value.data, np.isnan(a) | np.isnan(b)
    if predicate in _ORDERED:
        return [_ORDERED[predicate](a, b)]
    if predicate in (0, 15):
        return [np.full(np.broadcast_shapes(a.shape, b.shape), predicate == 15)]
    if predicate in (7, 14):
        return [unordered if predicate == 14 else ~unordered]
    if predicate in (6, 13):
        return [(a != b) & ~unordered if predicate == 6 else a != b]
    return [_ORDERED[predicate - 7](a, b) | unordered]


def _select(op: casts.SelectOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    """Elements of one operand or the other; of memrefs, one of them."""
    if isinstance(op.result.type, MemRefType):
        return [args[1] if args[0] else args[2]]
    return [np.where(*args).astype(numpy_type(op.result.type), copy=False)]


def _constant(op: arith.ConstantOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [constant(op.value, world.blobs)]


def _truncate(op: casts.TruncIOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    kind = numpy_type(op.results[0].type)
    return [(args[0] & 1).astype(kind) if kind.kind == "b" else args[0].astype(kind)]


def _bitcast(op: arith.BitcastOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.ascontiguousarray(args[0]).view(numpy_type(op.results[0].type)).reshape(args[0].shape)]


_INTEGERS: Mapping[type[Operation], Function] = {
    arith.AddiOp: _signed_or(np.add, np.logical_xor),
    arith.SubiOp: _signed_or(np.subtract, np.logical_xor),
    arith.MuliOp: _signed_or(np.multiply, np.logical_and),
    arith.DivSIOp: divide,
    arith.DivUIOp: _without_sign(_floor_divide),
    arith.FloorDivSIOp: _floor_divide,
    arith.CeilDivSIOp: _ceil_divide,
    arith.CeilDivUIOp: _without_sign(_ceil_divide),
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _without_sign(_remainder),
    arith.MaxSIOp: _signed_or(np.maximum, np.logical_and),
    arith.MinSIOp: _signed_or(np.minimum, np.logical_or),
    arith.MaxUIOp: _without_sign(np.maximum),
    arith.MinUIOp: _without_sign(np.minimum),
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: _shift(np.left_shift),
    arith.ShRSIOp: _shift(np.right_shift),
    arith.ShRUIOp: _without_sign(_shift(np.right_shift)),
    casts.ExtSIOp: _from_bool,
    casts.ExtUIOp: unsigned,
    casts.IndexCastOp: _from_bool,
    casts.IndexCastUIOp: unsigned,
    math.AbsIOp: np.abs,
    math.IPowIOp: lambda a, b: np.power(a, np.maximum(b, 0)),
}
_CONVERSIONS: Mapping[type[Operation], Function] = {
    casts.SIToFPOp: _from_bool,
    casts.UIToFPOp: unsigned,
    casts.FPToSIOp: lambda x: np.trunc(np.nan_to_num(x.astype(np.float64))).astype(np.int64),
    casts.FPToUIOp: lambda x: np.trunc(np.nan_to_num(x.astype(np.float64))).astype(np.uint64),
    arith.ExtFOp: lambda x: x,
    arith.TruncFOp: lambda x: x,
}
_FLOATS: Mapping[type[Operation], Function] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.NegfOp: np.negative,
    arith.MaximumfOp: np.maximum,
    arith.MaxnumfOp: np.fmax,
    arith.MinimumfOp: np.minimum,
    arith.MinnumfOp: np.fmin,
    others.RemFOp: np.fmod,
    others.IsNanOp: np.isnan,
    others.IsInfOp: np.isinf,
    others.IsFiniteOp: np.isfinite,
    math.AbsFOp: np.abs,
    math.CeilOp: np.ceil,
    math.FloorOp: np.floor,
    math.TruncOp: np.trunc,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _round_away,
    math.SqrtOp: np.sqrt,
    math.CopySignOp: np.copysign,
    math.FPowIOp: np.power,
}
_OF_DOUBLES: Mapping[type[Operation], Function] = {
    math.RsqrtOp: lambda x: 1 / np.sqrt(x),
    math.ErfOp: _erf,
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.LogOp: np.log,
    math.Log2Op: np.log2,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.PowFOp: np.power,
    math.SinOp: np.sin,
    math.CosOp: np.cos,
    math.TanOp: np.tan,
    math.SinhOp: np.sinh,
    math.CoshOp: np.cosh,
    math.TanhOp: np.tanh,
    math.AsinOp: np.arcsin,
    math.AcosOp: np.arccos,
    math.AtanOp: np.arctan,
    math.AsinhOp: np.arcsinh,
    math.AcoshOp: np.arccosh,
    math.AtanhOp: np.arctanh,
    math.Atan2Op: np.arctan2,
    math.CbrtOp: np.cbrt,
    math.FmaOp: lambda a, b, c: a * b + c,
}
MEANINGS: Mapping[type[Operation], HostMeaning] = {
    arith.ConstantOp: _constant,
    casts.SelectOp: _select,
    casts.TruncIOp: _truncate,
    arith.CmpiOp: _compare_i,
    arith.CmpfOp: _compare_f,
    arith.BitcastOp: _bitcast,
    **{kind: _plain(function) for kind, function in {**_INTEGERS, **_CONVERSIONS, **_FLOATS}.items()},
    **{kind: _plain(_in_double(function)) for kind, function in _OF_DOUBLES.items()},
}
