"""Arithmetic on vectors: instructions of the same name, and those that others can be made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import frexp, isfinite

import numpy as np

from emu.core.kernels.convert import immediate
from emu.interop.pim_isa.exporting.operands import dense, spread
from emu.interop.pim_isa.exporting.refusal import ExportRefusal
from emu.interop.pim_isa.exporting.writer import CoreWriter, Hull, plus, same, whole
from emu.interop.pim_isa.isa import BY_NAME
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.isa.instruction import OVERFLOW, OVERFLOW_BITS
from emu.program.section import Instr

MAX_DIVISOR = 1 << 12
_BIG = (1 << 31) - 1  # the highest bound that a register holds

Lowering = Callable[[CoreWriter, Instr, tuple[Hull, ...]], None]


def alike(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """An instruction that is there under the same name."""
    elementwise(to, instr, instr.spec.name, *instr.operands[1:])


def elementwise(to: CoreWriter, instr: Instr, name: str, *given: Address) -> None:
    """`name` of the elements `given` (addresses of sources), of the type of `instr`, into the target of `instr`."""
    wraps(instr)
    kind = instr.types[0]
    roles = ("first", "second")
    sources = [dense(to, source, kind, instr.n, role) for source, role in zip(given, roles, strict=False)]

    def write(target: Address) -> None:
        to.emit(name, target, *sources, types=same(kind), len=instr.n)

    spread(to, instr.operands[0], kind, 1 if BY_NAME[name].single else instr.n, write)


def wraps(instr: Instr) -> None:
    """Raise ExportRefusal for integers that saturate or trap."""
    if instr.flags & OVERFLOW_BITS:
        raise ExportRefusal(f"integers of PIM-ISA wrap: it has no .{' and no .'.join(OVERFLOW)}")


@dataclass(frozen=True, slots=True)
class WithConstant:
    """`name` of a vector and one that holds the immediate in every element."""

    name: str

    def __call__(self, to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
        """Write the instruction with the immediate as a vector."""
        elementwise(to, instr, self.name, instr.operands[1], to.constant(element_of(instr), instr.n))


def scalar(value: float | np.generic, kind: DType) -> np.generic:
    """A number as an element of a type; integers wrap."""
    return np.array([value]).astype(kind.numpy)[0]


def element_of(instr: Instr) -> np.generic:
    """The immediate as an element; raises ExportRefusal if f16 does not hold it: ours computes with it in f32."""
    kind = instr.types[0]
    value = immediate(instr.imm, kind)
    element = scalar(value, kind)
    if kind is DType.f16 and not (element == value or value != value):
        raise ExportRefusal(f"{instr.imm:g} is no f16, and PIM-ISA has no immediates of more bits")
    return element


def bound_of(instr: Instr) -> int | None:
    """The immediate as ours takes it (an element of the source) in a register; None if none holds it."""
    return whole(float(immediate(instr.imm, instr.types[0])))


def clamp(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vrsu`, `vrsl`, whose bound is in a register: a whole number."""
    bound = bound_of(instr)
    if bound is None:
        raise ExportRefusal(f"bounds of PIM-ISA are whole numbers of 32 bits, this is {instr.imm:g}")
    resize(to, instr, instr.spec.name, bound)


def minimum(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vsmin`: a clamp that keeps the type."""
    bound = bound_of(instr)
    if bound is None:
        raise ExportRefusal(f"PIM-ISA has no minimum but with whole numbers of 32 bits, this is {instr.imm:g}")
    resize(to, instr, "vrsu", bound)


def maximum(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vsmax`: a clamp that keeps the type, or the maximum with a vector of constants."""
    bound = bound_of(instr)
    if bound is None:
        WithConstant("vvmax")(to, instr, hulls)
    else:
        resize(to, instr, "vrsl", bound)


def resize(to: CoreWriter, instr: Instr, name: str, bound: int) -> None:
    """Clamp the source at `bound`, then convert from the first to the last type of `instr`."""
    given, made = instr.types[0], instr.types[-1]
    source = dense(to, instr.operands[1], given, instr.n, "first")

    def write(target: Address) -> None:
        to.emit(name, target, source, bound, types=(given, made), len=instr.n)

    spread(to, instr.operands[0], made, instr.n, write)


def convert(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vcvt`: a resize whose bound no value reaches, or none that the result can tell from it."""
    given, made = instr.types
    names = f"from {given.name} to {made.name}"
    if DType.bool in (given, made):
        raise ExportRefusal(f"PIM-ISA has no conversion {names}: its elements are numbers")
    if given is DType.f16 and made is DType.f32:  # infinities stay: a product has the wider type of both
        source = dense(to, instr.operands[1], given, instr.n, "first")
        ones = to.constant(np.float16(1), instr.n)

        def write(target: Address) -> None:
            to.emit("vvmul", target, source, ones, types=(given, made), len=instr.n)

        spread(to, instr.operands[0], made, instr.n, write)
        return
    if (given is DType.i64 or given.is_float) and (made is DType.i64 or (made.is_float and given is DType.i64)):
        raise ExportRefusal(f"PIM-ISA has no conversion {names}: its resize clamps at a bound of 32 bits")
    resize(to, instr, "vrsu", _BIG)


def divide(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vsdiv`: a product where the reciprocal is exact, else the mean of each element and of zeros."""
    kind, divisor = instr.types[0], float(instr.imm)
    if kind.is_float and isfinite(divisor) and divisor and abs(frexp(divisor)[0]) == 0.5:
        reciprocal = scalar(1 / divisor, kind)
        if reciprocal and float(reciprocal) * divisor == 1:
            elementwise(to, instr, "vvmul", instr.operands[1], to.constant(reciprocal, instr.n))
            return
    number = whole(float(immediate(divisor, kind)))
    if number is None or not 1 <= number <= MAX_DIVISOR or kind is DType.f16:
        raise ExportRefusal(f"PIM-ISA has no division: whole numbers from 1 to {MAX_DIVISOR} can be made of its mean")
    nothing = scalar(-0.0 if kind.is_float else 0, kind)  # x + -0 is x, whatever its sign
    row = to.constant(nothing, number, role="dividend")
    target, source = instr.operands
    with to.loop(instr.n) as counter:
        element = plus(source, 0, Term(counter, source.stride * kind.size))
        place = plus(target, 0, Term(counter, target.stride * kind.size))
        to.emit("lmv", row, element, len=kind.size)
        to.emit("vavg", place, row, 1, types=same(kind), len=number)


def leaky(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vlrelu` with a slope up to 1: the maximum of x and slope * x."""
    kind = instr.types[0]
    slope = element_of(instr)
    if kind is not DType.f32 or not 0 < float(slope) <= 1:
        raise ExportRefusal(f"a leaky relu of {kind.name} with slope {instr.imm:g} is no maximum of x and slope * x")
    source = dense(to, instr.operands[1], kind, instr.n, "first")
    scaled, slopes = to.area("second", instr.n * kind.size), to.constant(slope, instr.n)
    to.emit("vvmul", scaled, source, slopes, types=same(kind), len=instr.n)
    elementwise(to, instr, "vvmax", source, scaled)


def negate(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vneg`: a product with -1."""
    minus_one = scalar(-1, instr.types[0])
    elementwise(to, instr, "vvmul", instr.operands[1], to.constant(minus_one, instr.n))


def mean(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vavg`, which takes a distance of elements."""
    target, source = instr.operands
    to.emit("vavg", target, source, source.stride, types=same(instr.types[0]), len=instr.n)


def total(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vsum`: the dot product with ones."""
    one = scalar(1, instr.types[0])
    elementwise(to, instr, "vvdmul", instr.operands[1], to.constant(one, instr.n))


@dataclass(frozen=True, slots=True)
class OneByOne:
    """A reduction as `name` of what there is so far and the next element."""

    name: str

    def __call__(self, to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
        """Write one instruction per element."""
        (target, source), kind = instr.operands, instr.types[0]
        if not instr.n or (kind is DType.f16 and self.name == "vvmul"):
            raise ExportRefusal("PIM-ISA has no such reduction, and it cannot be made of its elements")
        found = to.area("result", kind.size)
        to.emit("lmv", found, source, len=kind.size)
        with to.loop(instr.n - 1) as counter:
            step = source.stride * kind.size
            element = plus(source, step, Term(counter, step))
            to.emit(self.name, found, found, element, types=same(kind), len=1)
        to.emit("lmv", target, found, len=kind.size)
