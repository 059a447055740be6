"""Operators on elements as vector instructions: each is a row of `LOWERED`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from emu.interop.mop.accesses import SHIFTED
from emu.interop.mop.arrays import Arrays
from emu.interop.mop.chip import ELEMENT_BYTES
from emu.interop.mop.emitter import Emit, Loops, SectionEmitter, at
from emu.interop.mop.flow import Named, Operand
from emu.interop.mop.operators import OPERATORS
from emu.isa.address import Address
from emu.isa.dtypes import DType

DIVIDES = "vvdiv"  # the instruction that traps if an integer is divided by 0


@dataclass(frozen=True, slots=True)
class ElementVector:
    """Elements from a place on, `step` bytes farther in every round; `stride` 0: one is there for all."""

    place: Address
    dtype: DType
    step: int = 0
    stride: int = 1


@dataclass(frozen=True, slots=True)
class Round:
    """What an operator works on in each round of the loop around it: `n` elements."""

    emitter: SectionEmitter
    loops: Loops
    n: int
    target: ElementVector

    def emit(
        self, name: str, target: ElementVector, *sources: ElementVector, types: Sequence[DType] = (), **fields: float
    ) -> ElementVector:
        """An instruction of the type of the target, if no others are given; returns the target."""
        operands = [at(v.place, (self.loops, (v.step,)), stride=v.stride) for v in (target, *sources)]
        self.emitter.vector(name, types or (target.dtype,), *operands, n=self.n, **fields)
        return target

    def scratch(self, use: str, dtype: DType) -> ElementVector:
        """Elements for what is between two instructions."""
        return ElementVector(self.emitter.memory.scratch(use, self.n * dtype.size), dtype)


class ElementLowering:
    """Lowers operators that work element by element."""

    def __init__(self, emitter: SectionEmitter, arrays: Arrays) -> None:
        self._emitter, self._arrays = emitter, arrays

    def prepare(self, name: str, overlap: int, *args: Operand | None) -> Emit:
        """What an operator does with these operands; raises ValueError for an array that does not fit."""
        emitter, kinds = self._emitter, OPERATORS[name].operands
        given = {operand: arg for operand, arg in zip(kinds, args, strict=True) if operand != "dst"}
        length, element = cast(int, given.pop("len")), emitter.element
        arrays = {
            operand: self._arrays.vector(value, self._type(operand), length)
            for operand, value in given.items()
            if kinds[operand] == "source" and isinstance(value, Named)
        }
        n = _round([len(array) for array in arrays.values()], length)

        def emit(target: Address, *places: Address) -> None:
            sources, left = list[Any](), list(places)
            for operand, value in given.items():
                if kinds[operand] == "number":
                    sources.append(float(cast(str, value)))
                elif kinds[operand] != "source":
                    sources.append(value)
                elif operand in arrays:
                    one = len(arrays[operand]) == 1
                    array = arrays[operand] if one else np.tile(arrays[operand], n // len(arrays[operand]))
                    sources.append(
                        ElementVector(emitter.memory.constant(array), self._type(operand), 0, 0 if one else 1)
                    )
                else:
                    sources.append(ElementVector(left.pop(0), element, n * ELEMENT_BYTES))
            apart = overlap == SHIFTED  # what is written overlaps what is read
            place = emitter.memory.scratch("made", length * ELEMENT_BYTES) if apart else target
            with emitter.axes((length // n,)) as loops:
                LOWERED[name](Round(emitter, loops, n, ElementVector(place, element, n * ELEMENT_BYTES)), *sources)
            if apart:
                emitter.copy(target, place, length)

        return emit

    def _type(self, operand: str) -> DType:
        """The type of the elements of an array: those of a scale are floats."""
        return DType.f32 if operand == "scale" else self._emitter.element


def _round(sizes: Sequence[int], length: int) -> int:
    """Elements per round: those of the one array that is repeated, or all."""
    repeated = {size for size in sizes if size > 1}
    return repeated.pop() if len(repeated) == 1 else length


def _one(name: str, here: Round, source: ElementVector) -> None:
    here.emit(name, here.target, source)


def _two(name: str, here: Round, left: ElementVector, right: ElementVector) -> None:
    here.emit(name, here.target, left, right)


def _fill(here: Round, value: float) -> None:
    dtype = here.target.dtype
    place = here.emitter.memory.constant(np.array([value], dtype.numpy))
    here.emit("vmv", here.target, ElementVector(place, dtype, 0, 0))


def _clip(here: Round, source: ElementVector, low: float, high: float) -> None:
    if not here.target.dtype.is_float:  # a bound beyond all numbers bounds nothing
        limits = np.iinfo(here.target.dtype.numpy)
        low, high = max(low, limits.min), min(high, limits.max)
    here.emit("vsmax", here.target, source, imm=low)
    here.emit("vsmin", here.target, here.target, imm=high)


def _cast(here: Round, source: ElementVector, name: str) -> None:
    """The lowest bytes of each element, which a narrower type has in front."""
    dtype = DType[name]
    if dtype.size >= ELEMENT_BYTES:
        here.emit("vmv", here.target, source)
        return
    low = here.scratch("low", dtype)
    width = ELEMENT_BYTES // dtype.size
    here.emit("vmv", low, ElementVector(source.place, dtype, source.step, source.stride * width))
    _widen(here, low)


def _widen(here: Round, values: ElementVector) -> None:
    """Integers of any type as elements, modulo 2^32."""
    if values.dtype.size < ELEMENT_BYTES:
        here.emit("vcvt", here.target, values, types=(values.dtype, here.target.dtype))
    else:
        here.emit(
            "vmv", here.target, ElementVector(values.place, here.target.dtype, 0, values.dtype.size // ELEMENT_BYTES)
        )


def _requantize(here: Round, values: ElementVector, scale: ElementVector, zero: float, name: str) -> None:
    """As onnxruntime's MlasRequantizeOutput: in float32, rounded half to even, saturated."""
    floats, dtype = here.scratch("scaled", DType.f32), DType[name]
    here.emit("vcvt", floats, values, types=(values.dtype, DType.f32))
    if not scale.dtype.is_float:
        scale = here.emit("vcvt", here.scratch("scale", DType.f32), scale, types=(scale.dtype, DType.f32))
    here.emit("vvmul", floats, floats, scale)
    here.emit("vround", floats, floats)
    here.emit("vsadd", floats, floats, imm=zero)
    _widen(here, here.emit("vcvt", here.scratch("integers", dtype), floats, types=(DType.f32, dtype)))


# Per operator, what appends its instructions: of a round, then of its operands but for dst and len.
LOWERED: Mapping[str, Callable[..., None]] = {
    "Relu": partial(_one, "vrelu"),
    "add": partial(_two, "vvadd"),
    "sub": partial(_two, "vvsub"),
    "mul": partial(_two, "vvmul"),
    "div": partial(_two, DIVIDES),
    "max": partial(_two, "vvmax"),
    "min": partial(_two, "vvmin"),
    "mov": partial(_one, "vmv"),
    "fill": _fill,
    "clip": _clip,
    "cast": _cast,
    "requantize": _requantize,
}
