"""Writes bodies as expressions: `select(x < 0, exp(x) - 1, x)` on values that know their element type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from compiler.nests.body import CONSTANT, INDEX, BodyStep, NestBody
from emu.isa.dtypes import DType

_OPERAND = "operand"
Number: TypeAlias = "float | int"


class Value:
    """A value of a body that is being written; numbers in expressions with it take its type."""

    __slots__ = ("args", "dtype", "fn", "number")

    def __init__(self, fn: str, dtype: DType, args: tuple[Value, ...] = (), number: Number = 0) -> None:
        self.fn, self.dtype, self.args, self.number = fn, dtype, args, number

    def constant(self, number: Number) -> Value:
        """A number of the type of this value."""
        return constant(number, self.dtype)

    def _with(self, fn: str, other: Value | Number, *, swapped: bool = False, dtype: DType | None = None) -> Value:
        value = other if isinstance(other, Value) else self.constant(other)
        return Value(fn, dtype or self.dtype, (value, self) if swapped else (self, value))

    def __add__(self, other: Value | Number) -> Value:
        return self._with("add", other)

    def __radd__(self, other: Number) -> Value:
        return self._with("add", other, swapped=True)

    def __sub__(self, other: Value | Number) -> Value:
        return self._with("sub", other)

    def __rsub__(self, other: Number) -> Value:
        return self._with("sub", other, swapped=True)

    def __mul__(self, other: Value | Number) -> Value:
        return self._with("mul", other)

    def __rmul__(self, other: Number) -> Value:
        return self._with("mul", other, swapped=True)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._with("div", other)

    def __rtruediv__(self, other: Number) -> Value:
        return self._with("div", other, swapped=True)

    def __neg__(self) -> Value:
        return call("neg", self)

    def __lt__(self, other: Value | Number) -> Value:
        return self._with("lt", other, dtype=DType.bool)

    def __le__(self, other: Value | Number) -> Value:
        return self._with("le", other, dtype=DType.bool)

    def __gt__(self, other: Value | Number) -> Value:
        return self._with("gt", other, dtype=DType.bool)

    def __ge__(self, other: Value | Number) -> Value:
        return self._with("ge", other, dtype=DType.bool)

    def __and__(self, other: Value | Number) -> Value:
        return self._with("bit_and", other)

    def __or__(self, other: Value | Number) -> Value:
        return self._with("bit_or", other)

    def __xor__(self, other: Value | Number) -> Value:
        return self._with("bit_xor", other)

    def same(self, other: Value | Number) -> Value:
        """Whether both are equal, as a bool: `==` would compare the expressions."""
        return self._with("eq", other, dtype=DType.bool)

    def differs(self, other: Value | Number) -> Value:
        """Whether they are not equal, as a bool."""
        return self._with("ne", other, dtype=DType.bool)


def constant(number: Number, dtype: DType) -> Value:
    """A number of a type."""
    return Value(CONSTANT, dtype, (), float(number) if dtype.is_float else int(number))


def index(dimension: int, dtype: DType = DType.i64) -> Value:
    """The position along a dimension of the space."""
    return Value(INDEX, dtype, (), dimension)


def call(fn: str, first: Value, *others: Value | Number) -> Value:
    """A scalar function whose value has the type of its arguments."""
    values = (other if isinstance(other, Value) else first.constant(other) for other in others)
    return Value(fn, first.dtype, (first, *values))


def largest(a: Value, b: Value | Number) -> Value:
    """The larger one."""
    return call("max", a, b)


def smallest(a: Value, b: Value | Number) -> Value:
    """The smaller one."""
    return call("min", a, b)


def select(condition: Value, yes: Value | Number, no: Value | Number) -> Value:
    """`yes` where the condition, a bool, holds, else `no`; one of both is a value."""
    known = yes if isinstance(yes, Value) else no
    assert isinstance(known, Value)  # of one of them comes the type
    first, second = (item if isinstance(item, Value) else known.constant(item) for item in (yes, no))
    return Value("select", known.dtype, (condition, first, second))


def cast(x: Value, dtype: DType) -> Value:
    """`x` as another type: to an integer it is rounded, half to even, and saturated."""
    return x if x.dtype == dtype else Value("cast", dtype, (x,))


def body_of(types: Sequence[DType], write: Callable[..., Value]) -> tuple[NestBody, DType]:
    """The body that `write` makes of the values of operands of these types, and the type of its last value.

    Equal steps are one.
    """
    operands = [Value(_OPERAND, dtype, (), place) for place, dtype in enumerate(types)]
    last = write(*operands)
    steps, known, numbers = (
        list[BodyStep](),
        dict[BodyStep, int](),
        {id(value): at for at, value in enumerate(operands)},
    )
    waiting: list[Value] = [last]
    while waiting:
        value = waiting[-1]
        missing = [arg for arg in value.args if id(arg) not in numbers]
        if missing:
            waiting += missing[::-1]
            continue
        waiting.pop()
        if id(value) in numbers:
            continue
        step = BodyStep(value.fn, value.dtype, tuple(numbers[id(arg)] for arg in value.args), value.number)
        if step not in known:
            known[step] = len(operands) + len(steps)
            steps.append(step)
        numbers[id(value)] = known[step]
    if steps and numbers[id(last)] != len(operands) + len(steps) - 1:  # an operand, or a step before the last
        raise AssertionError("the last value of a body must be its last step")
    return NestBody(tuple(steps)), last.dtype
