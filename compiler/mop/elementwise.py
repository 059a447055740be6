"""Nests over elements, and activations, as digital operators of flows: what has none is refused by its node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from compiler.mop.memory import ElementMemory, NamedArrays
from compiler.mop.steps import Elementwise, TensorPlace
from compiler.nests.body import CONSTANT, BodyStep, NestBody
from emu.errors import CompileError
from emu.interop.mop.flow import Named
from emu.isa.dtypes import SIGNED, DType

_SCALED = ("cast", "mul", "cast")  # the steps that scale sums, and those that do with a zero point
_SHIFTED = ("cast", "mul", "round", CONSTANT, "add", "cast")
KINDS = frozenset({DType.i8, DType.u8, DType.i16, DType.u16, DType.i32, DType.f32})  # that an element can be


class BodyNumber(NamedTuple):
    """A number of a body, as an operand."""

    value: float


Value = int | Named | BodyNumber  # an address, an array, a number


def refuse(node: str, what: str) -> NoReturn:
    """Raise CompileError: a node that flows have no operators for."""
    raise CompileError(
        f"node '{node}': meta-operator flows have no operator for {what}; they have products, Relu, add, sub, mul, div,"
        " max, min, clip, casts and requantisation of integers, poolings, and moves"
    )


@dataclass(frozen=True, slots=True)
class Digital:
    """Makes operators on elements of `node`; values between them get memory of their own."""

    node: str
    memory: ElementMemory
    arrays: NamedArrays

    def activations(
        self, source: int, target: TensorPlace, epilogue: Sequence[tuple[str, tuple[float, ...]]]
    ) -> list[Elementwise]:
        """Activations one after the other, the last one into `target`."""
        made, at = list[Elementwise](), source
        for place, (name, args) in enumerate(epilogue):
            if name not in _ACTIVATIONS:
                refuse(self.node, f"the activation {name}")
            to = target.address if place == len(epilogue) - 1 else self.memory.take(target.size)
            made.append(_ACTIVATIONS[name](at, to, args))
            at = to
        return made

    def body(
        self, body: NestBody, sources: Sequence[Value], types: Sequence[DType], target: TensorPlace
    ) -> list[Elementwise]:
        """The steps of a body on elements at the same places; `sources` are its operands, of `types`."""
        for recognise in (_requantised, _wrapped):
            if (found := recognise(body.steps, sources, types, target.address)) is not None:
                return [found]
        values, kinds, made = [*sources], [*types], list[Elementwise]()
        for step in body.steps:
            if step.fn == CONSTANT:
                values.append(BodyNumber(step.number))
            else:
                to = self.memory.take(target.size) if step is not body.steps[-1] else target.address
                args = [values[arg] for arg in step.args]
                found = self._step(step, args, [kinds[arg] for arg in step.args], to)
                values.append(to if found else args[0])
                made += found
            kinds.append(step.dtype)
        last = values[-1]
        if last != target.address:  # a copy, or casts that change no number
            made.append(Elementwise("mov", (self._source(last, kinds[-1]),), target.address))
        return made

    def _source(self, value: Value, dtype: DType) -> int | Named:
        """A value as a source: a number becomes an array of one element."""
        if not isinstance(value, BodyNumber):
            return value
        kind = np.float32 if dtype.is_float else np.int32
        return self.arrays.put(f"number_{value.value:g}", np.full(1, value.value, kind))

    def _step(self, step: BodyStep, args: Sequence[Value], kinds: Sequence[DType], to: int) -> list[Elementwise]:
        """The operators of one step; none for a cast that changes no number."""
        if step.fn == "cast":
            return self._cast(step.dtype, args[0], kinds[0], to)
        if step.fn not in _STEPS:
            refuse(self.node, step.fn)
        if not KINDS.issuperset((*kinds, step.dtype)):
            refuse(self.node, f"{step.fn} of {kinds[0].name}")
        sources = tuple(self._source(arg, kind) for arg, kind in zip(args, kinds, strict=True))
        made = Elementwise(_STEPS[step.fn], sources, to)
        narrow = step.fn in _WRAPPING and step.dtype not in (DType.f32, DType.i32)
        return [made, Elementwise("cast", (to,), to, (step.dtype.name,))] if narrow else [made]

    def _cast(self, dtype: DType, value: Value, kind: DType, to: int) -> list[Elementwise]:
        if not KINDS.issuperset((kind, dtype)) or (kind != dtype and (kind.is_float or dtype.is_float)):
            refuse(self.node, f"a cast from {kind.name} to {dtype.name}")
        if kind == dtype or _within(kind, dtype):
            return []
        return [Elementwise("cast", (self._source(value, kind),), to, (dtype.name,))]


def _within(kind: DType, dtype: DType) -> bool:
    """Whether an integer type holds all numbers of another."""
    inner, outer = np.iinfo(kind.numpy), np.iinfo(dtype.numpy)
    return outer.min <= inner.min and inner.max <= outer.max


def _requantised(
    steps: Sequence[BodyStep], sources: Sequence[Value], types: Sequence[DType], to: int
) -> Elementwise | None:
    """Sums of int32 times scales, rounded, plus a zero point, saturated to int8 or uint8; None for anything else."""
    names = tuple(step.fn for step in steps)
    if names not in (_SCALED, _SHIFTED) or types[0] != DType.i32 or steps[0].dtype != DType.f32:
        return None
    if len(sources) != 2 or not isinstance(sources[0], int) or not isinstance(sources[1], Named):
        return None
    if steps[0].args != (0,) or sorted(steps[1].args) != [1, 2] or steps[-1].dtype not in (DType.i8, DType.u8):
        return None
    zero = int(steps[3].number) if names == _SHIFTED else 0
    return Elementwise("requantize", (sources[0], sources[1]), to, (zero, steps[-1].dtype.name))


def _wrapped(
    steps: Sequence[BodyStep], sources: Sequence[Value], types: Sequence[DType], to: int
) -> Elementwise | None:
    """An integer cut to the lower bits of a smaller type, as the front end writes a Cast; None for anything else."""
    names = [step.fn for step in steps if step.fn not in (CONSTANT, "cast")]
    if (
        names not in (["bit_and"], ["bit_and", "bit_xor", "sub"])
        or len(sources) != 1
        or isinstance(sources[0], BodyNumber)
    ):
        return None
    bits, dtype = 8 * steps[-1].dtype.size, steps[-1].dtype
    masks = [(1 << bits) - 1, 1 << (bits - 1), 1 << (bits - 1)][: len(names)]
    numbers = [step.number for step in steps if step.fn == CONSTANT]
    signed = dtype in SIGNED
    if (
        sorted(set(numbers)) != sorted(set(masks))
        or signed != (len(names) > 1)
        or not KINDS.issuperset((*types, dtype))
    ):
        return None
    return Elementwise("cast", (sources[0],), to, (dtype.name,))


def _relu(source: int, target: int, args: Sequence[float]) -> Elementwise:
    return Elementwise("Relu", (source,), target)


def _clip(source: int, target: int, args: Sequence[float]) -> Elementwise:
    return Elementwise("clip", (source,), target, tuple(args))


_ACTIVATIONS: Mapping[str, Callable[[int, int, Sequence[float]], Elementwise]] = {"relu": _relu, "clip": _clip}
_STEPS = {
    "relu": "Relu",
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "max": "max",
    "min": "min",
}  # functions of bodies -> operators
_WRAPPING = ("add", "sub", "mul", "div")
