"""Flows: blocks of operators, their operands, and what a flow says of itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, isinf
from typing import NamedTuple, TypeAlias

import numpy as np

from emu.interop.mop.chip import MopChip
from emu.isa.dtypes import DType
from emu.program.form import Form

MAX_NUMBER = 1 << 48  # of an address, a length or a size


class WrittenNumber(int):
    """A number that is written as a sum of products, such as `3072+32*32*32`."""

    text: str

    def __new__(cls, text: str) -> WrittenNumber:
        """The number that `text`, numbers with `+` and `*` between them, is."""
        total = 0
        for term in text.split("+"):
            product = 1
            for factor in term.split("*"):
                product *= int(factor)
            total += product
        number = super().__new__(cls, total)
        number.text = text
        return number


class Register(NamedTuple):
    """An element of the registers of a crossbar, or one of its rows: `xb3+16`.

    As a destination it is the input register, which feeds the word lines; as a source the output register.
    """

    crossbar: int
    offset: int = 0


class CoreTag(NamedTuple):
    """A core: `core0`."""

    number: int


class Named(NamedTuple):
    """An array of the weights file, or a box of it: `conv1[0:27,0:32]`."""

    name: str
    box: tuple[tuple[int, int], ...] = ()


class AxisSizes(NamedTuple):
    """Sizes of axes, in the order of memory: `17x32x3`."""

    numbers: tuple[int, ...]


class Range(NamedTuple):
    """A half-open range: `0:16`."""

    low: int
    high: int


Param: TypeAlias = int | AxisSizes | Range | Named
Params: TypeAlias = tuple[tuple[str, Param], ...]  # in brackets: `[in=17x32x3 kernel=3x3 ...]`
Operand: TypeAlias = int | float | str | Register | CoreTag | Named | Params


class Operator(NamedTuple):
    """One operator: its name, its operands, and where it stands in the text (from 1; 0: nowhere)."""

    name: str
    args: tuple[Operand, ...]
    line: int = 0
    column: int = 0


class OperatorBlock(NamedTuple):
    """Operators that are executed one after the other or, `parallel`, at once.

    `comment` is printed above it; it has no meaning, and is not read back.
    """

    operators: tuple[Operator, ...]
    parallel: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class FlowTensor:
    """An input or output of a flow: how it stands in the memory of the chip from element `address` on."""

    name: str
    dtype: DType
    form: Form
    address: int

    @property
    def size(self) -> int:
        """Number of elements."""
        total = 1
        for size in self.form.extent:
            total *= size
        return total


@dataclass(frozen=True, slots=True)
class NumberFormats:
    """What a flow computes with: elements of memory and registers, weights, and the bits of a weight."""

    name: str
    element: DType
    weight: DType
    inputs: tuple[int, int] | None  # the least and the largest number that a word line takes

    @property
    def weight_bits(self) -> int:
        """Bits of a weight."""
        return self.weight.size * 8

    def position(self, number: float) -> int:
        """Whether elements hold `number` (0), or it lies below (-1) or above (1) them; ValueError for a fraction."""
        if self.element.is_float:
            most = float(np.finfo(self.element.numpy).max)
            return 0 if abs(number) <= most or isinf(number) else -1 if number < 0 else 1
        if isfinite(number) and number != int(number):
            raise ValueError(f"{number} is no whole number, as all of the flow are")
        limits = np.iinfo(self.element.numpy)
        return -1 if number < limits.min else 1 if number > limits.max else 0


NUMBERS = {
    "int8": NumberFormats("int8", DType.i32, DType.i8, (-128, 255)),  # int8 or uint8 activations
    "float32": NumberFormats("float32", DType.f32, DType.f32, None),
}


@dataclass(frozen=True, slots=True)
class FlowHeader:
    """What a flow says of itself before its operators; `chip` None: it is for any."""

    chip: MopChip | None = None
    numbers: NumberFormats = NUMBERS["int8"]
    inputs: tuple[FlowTensor, ...] = ()
    outputs: tuple[FlowTensor, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow: its blocks may be made one by one, while they are used."""

    header: FlowHeader
    blocks: Iterable[OperatorBlock]
