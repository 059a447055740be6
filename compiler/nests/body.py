"""Bodies of nests: the steps that make one element of the result of one element of each operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler.nests.functions import SCALAR_FUNCTIONS
from compiler.nests.linear import Linear
from emu.isa.dtypes import DType

CONSTANT, INDEX = "constant", "index"  # steps without arguments: a number, the position along a dimension
_INDICES = (DType.i32, DType.i64)


@dataclass(frozen=True, slots=True)
class BodyStep:
    """`fn` of the values `args`, which are numbered: the operands first, then the steps.

    A `constant` is `number`; an `index` is the position along dimension `number` of the loops.
    """

    fn: str
    dtype: DType
    args: tuple[int, ...] = ()
    number: float | int = 0


@dataclass(frozen=True, slots=True)
class NestBody:
    """Steps in order; the last value, of a step or else of the only operand, is that of the element."""

    steps: tuple[BodyStep, ...] = ()

    def types(self, operands: Sequence[DType]) -> list[DType]:
        """The type of each value."""
        return [*operands, *(step.dtype for step in self.steps)]

    def dtype(self, operands: Sequence[DType]) -> DType:
        """The type of the last value."""
        return self.types(operands)[-1]

    def fault(self, operands: Sequence[DType], dimensions: int) -> str:
        """Why it is no body for operands of these types and so many loops, as the end of a sentence; else empty."""
        if not self.steps and len(operands) != 1:
            return "a body without steps, which copies one operand"
        types = list(operands)
        for step in self.steps:
            if fault := _step_fault(step, types, dimensions):
                return f"a body in which {fault}"
            types.append(step.dtype)
        return ""

    def renumbered(self, places: Sequence[int], operands: int) -> NestBody:
        """The same body where operand i is number `places[i]` of `operands` operands."""
        shift = operands - len(places)
        numbers = [*places, *(at + shift for at in range(len(places), len(places) + len(self.steps)))]
        steps = (replace(step, args=tuple(numbers[arg] for arg in step.args)) for step in self.steps)
        return NestBody(tuple(steps))

    def with_indices(self, operands: int, counters: Sequence[Linear]) -> NestBody:
        """The same body in other loops, of whose counters each old one is a function."""
        steps, numbers = list[BodyStep](), list(range(operands))
        for step in self.steps:
            if step.fn == INDEX:
                _append_index(steps, operands, step.dtype, counters[int(step.number)])
            else:
                steps.append(replace(step, args=tuple(numbers[arg] for arg in step.args)))
            numbers.append(operands + len(steps) - 1)
        return NestBody(tuple(steps))


COPY = NestBody()


def _append_index(steps: list[BodyStep], operands: int, dtype: DType, value: Linear) -> None:
    """Append the steps that compute a function of the counters."""

    def add(fn: str, *args: int, number: int = 0) -> int:
        steps.append(BodyStep(fn, dtype, args, number))
        return operands + len(steps) - 1

    total = -1
    for dim, factor in value.factors:
        term = add(INDEX, number=dim)
        term = term if factor == 1 else add("mul", term, add(CONSTANT, number=factor))
        total = term if total < 0 else add("add", total, term)
    if total < 0:
        add(CONSTANT, number=value.constant)
    elif value.constant:
        add("add", total, add(CONSTANT, number=value.constant))


def _step_fault(step: BodyStep, types: Sequence[DType], dimensions: int) -> str:
    if any(not 0 <= arg < len(types) for arg in step.args):
        return f"{step.fn} uses a value that no step before it makes"
    if step.fn == CONSTANT:
        return "a constant has arguments" if step.args else ""
    if step.fn == INDEX:
        exists = not step.args and step.number in range(dimensions)
        return "" if exists and step.dtype in _INDICES else "an index is of no dimension, or neither i32 nor i64"
    if step.fn not in SCALAR_FUNCTIONS:
        return f"the function {step.fn} does not exist"
    return SCALAR_FUNCTIONS[step.fn].fault([types[arg] for arg in step.args], step.dtype)
