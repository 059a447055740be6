"""The bodies of named operations as operations of `arith` and `math`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue

from compiler.dialects.linalg import casts

Write = Callable[..., SSAValue]  # of the values of operands, the last one that of the result: the value to yield


def region_of(types: Sequence[Attribute], body: str, *, unsigned: bool = False) -> Region:
    """The region of a row of `BODIES` for elements of these types; `unsigned`: how integers are widened."""

    @Builder.implicit_region(types)
    def region(args: tuple[BlockArgument, ...]) -> None:
        YieldOp(BODIES[body](args, unsigned))

    return region


def cast(value: SSAValue, to: Attribute, *, unsigned: bool = False) -> SSAValue:
    """`value` as a number of another type, as named operations promote their operands."""
    kind = value.type
    if kind == to:
        return value
    if isinstance(kind, AnyFloat) and isinstance(to, AnyFloat):
        made: Operation = (arith.ExtFOp if to.bitwidth > kind.bitwidth else arith.TruncFOp)(value, to)
    elif isinstance(kind, IndexType) or isinstance(to, IndexType):
        made = casts.IndexCastOp(value, to)
    elif isinstance(kind, IntegerType) and isinstance(to, IntegerType):
        wider = casts.ExtUIOp if unsigned else casts.ExtSIOp
        made = wider(value, to) if to.width.data > kind.width.data else casts.TruncIOp(value, to)
    elif isinstance(to, AnyFloat):
        made = (casts.UIToFPOp if unsigned else casts.SIToFPOp)(value, to)
    else:
        assert isinstance(to, IntegerType)
        made = (casts.FPToUIOp if unsigned else casts.FPToSIOp)(value, to)
    return made.results[0]


def is_float(value: SSAValue) -> bool:
    """Whether a scalar is a floating-point number."""
    return isinstance(value.type, AnyFloat)


def _pick(of_floats: type[Operation], of_integers: type[Operation], *args: SSAValue) -> SSAValue:
    kind = of_floats if is_float(args[0]) else of_integers
    return kind(*args).results[0]  # pyright: ignore[reportCallIssue]


def add(a: SSAValue, b: SSAValue) -> SSAValue:
    """a + b; of truth values `or`."""
    return _pick(arith.AddfOp, arith.OrIOp if a.type == IntegerType(1) else arith.AddiOp, a, b)


def multiply(a: SSAValue, b: SSAValue) -> SSAValue:
    """a * b; of truth values `and`."""
    return _pick(arith.MulfOp, arith.AndIOp if a.type == IntegerType(1) else arith.MuliOp, a, b)


def _subtract(a: SSAValue, b: SSAValue) -> SSAValue:
    return _pick(arith.SubfOp, arith.SubiOp, a, b)


def _product(args: Sequence[SSAValue], unsigned: bool) -> SSAValue:
    a, b, total = args
    factors = [cast(value, total.type, unsigned=unsigned) for value in (a, b)]
    return add(total, multiply(*factors))


def _quantised(args: Sequence[SSAValue], unsigned: bool) -> SSAValue:
    """(a - zero point of a) times (b - zero point of b)."""
    a, b, zero_a, zero_b, total = (cast(value, args[-1].type, unsigned=unsigned) for value in args)
    return add(total, multiply(_subtract(a, zero_a), _subtract(b, zero_b)))


def _pool(write: Write) -> Callable[[Sequence[SSAValue], bool], SSAValue]:
    return lambda args, unsigned: write(args[-1], cast(args[0], args[-1].type, unsigned=unsigned))


def _largest(a: SSAValue, b: SSAValue) -> SSAValue:
    return _pick(arith.MaximumfOp, arith.MaxSIOp, a, b)


def _smallest(a: SSAValue, b: SSAValue) -> SSAValue:
    return _pick(arith.MinimumfOp, arith.MinSIOp, a, b)


def _unsigned(of_floats: type[Operation], of_integers: type[Operation]) -> Write:
    return lambda a, b: _pick(of_floats, of_integers, a, b)


def _function(write: Write) -> Callable[[Sequence[SSAValue], bool], SSAValue]:
    """Of the elements of the inputs, in the type of the result."""

    def body(args: Sequence[SSAValue], unsigned: bool) -> SSAValue:
        *inputs, result = args
        return write(*(cast(value, result.type, unsigned=unsigned) for value in inputs))

    return body


def _select(args: Sequence[SSAValue], unsigned: bool) -> SSAValue:
    condition, yes, no, result = args
    return casts.SelectOp(condition, cast(yes, result.type), cast(no, result.type)).result


def constant(number: float, kind: Attribute) -> SSAValue:
    """A number of a type."""
    value = FloatAttr(number, kind) if isinstance(kind, AnyFloat) else IntegerAttr(int(number), kind)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return arith.ConstantOp(value).result  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]


def _of_math(kind: type[Operation]) -> Write:
    return lambda a: kind(a).results[0]  # pyright: ignore[reportCallIssue]


UNARY: Mapping[str, Write] = {
    "exp": _of_math(math.ExpOp),
    "log": _of_math(math.LogOp),
    "abs": lambda a: _pick(math.AbsFOp, math.AbsIOp, a),
    "ceil": _of_math(math.CeilOp),
    "floor": _of_math(math.FloorOp),
    "negf": lambda a: arith.NegfOp(a).result,
    "reciprocal": lambda a: arith.DivfOp(constant(1, a.type), a).result,
    "round": _of_math(math.RoundOp),
    "sqrt": _of_math(math.SqrtOp),
    "rsqrt": _of_math(math.RsqrtOp),
    "square": lambda a: multiply(a, a),
    "tanh": _of_math(math.TanhOp),
    "erf": _of_math(math.ErfOp),
    "copy": lambda a: a,
}
BINARY: Mapping[str, Write] = {
    "add": add,
    "sub": _subtract,
    "mul": multiply,
    "div": lambda a, b: _pick(arith.DivfOp, arith.DivSIOp, a, b),
    "div_unsigned": lambda a, b: arith.DivUIOp(a, b).result,
    "max": _largest,
    "min": _smallest,
    "max_unsigned": _unsigned(arith.MaximumfOp, arith.MaxUIOp),
    "min_unsigned": _unsigned(arith.MinimumfOp, arith.MinUIOp),
    "powf": lambda a, b: math.PowFOp(a, b).result,
}
ELEMENTWISE: Mapping[str, int] = {**dict.fromkeys(UNARY, 1), **dict.fromkeys(BINARY, 2), "select": 3}  # operands

BODIES: Mapping[str, Callable[[Sequence[SSAValue], bool], SSAValue]] = {
    "multiply": _product,
    "quantised": _quantised,
    **{f"elementwise {name}": _function(write) for name, write in {**UNARY, **BINARY}.items()},
    "elementwise select": _select,
    "sum": _pool(add),
    "max": _pool(_largest),
    "min": _pool(_smallest),
    "max_unsigned": _pool(BINARY["max_unsigned"]),
    "min_unsigned": _pool(BINARY["min_unsigned"]),
}
