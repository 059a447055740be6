"""An instruction made ready to run: operand extents, kernel, and what may go wrong, independent of loop counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np

from emu.core.crossbars.crossbar import Crossbar
from emu.core.crossbars.origin import Origin
from emu.core.kernels.fault import Fault
from emu.core.kernels.spec import Kernel, KernelSpec, storage
from emu.core.kernels.table import KERNELS
from emu.core.scalar import Scalar, make_scalar
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.instruction import FIELD_COLUMNS, FLAG_BITS, CrossbarUse, Operand
from emu.program.section import Instr

RAW = np.dtype(np.uint8)


@dataclass(frozen=True, slots=True)
class Slot:
    """One address operand: `count` elements of `dtype`, `step` bytes apart, that span [low, high) from the address."""

    role: str
    read: bool
    write: bool
    dtype: np.dtype
    count: int
    step: int
    low: int
    high: int
    address: Address
    is_global: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One instruction: `slots` in operand order, `pairs` of (destination, source) slots that must not half overlap."""

    index: int
    instr: Instr
    slots: tuple[Slot, ...]
    pairs: tuple[tuple[int, int], ...]
    kernel: Kernel | None  # None: control, scalar or request
    scalar: Scalar | None
    may_trap: bool
    fault: Fault | None  # what is wrong with the instruction wherever it runs


def make_operation(instr: Instr, groups: Sequence[Crossbar], origin: Origin) -> Operation:
    """Prepare `instr`, which stands at `origin`; what is wrong with it becomes `fault`, raised when it runs."""
    index, spec = origin.instruction, instr.spec
    try:
        group = _group(instr, groups)
        slots = tuple(
            _slot(form, address, instr, group) for form, address in zip(spec.operands, instr.operands, strict=True)
        )
        kernel = make_kernel(instr, slots, group, origin)
    except Fault as fault:
        return Operation(index, instr, (), (), None, None, False, fault)
    traps = spec.may_trap(instr.types, instr.flags, instr.n)
    return Operation(index, instr, slots, _pairs(instr, slots), kernel, make_scalar(instr), traps, None)


def make_kernel(instr: Instr, slots: Sequence[Slot], group: Crossbar | None, origin: Origin) -> Kernel | None:
    """What computes `instr`, if a kernel does; on array groups: with `group`, and vectors from `origin`."""
    name, flags = instr.spec.name, _flags(instr.flags)
    if not instr.spec.kernel:
        return None
    spec = KernelSpec(name, instr.types, flags, instr.imm, instr.n, instr.arg0, instr.arg1, group, origin)
    kernel = KERNELS[instr.spec.kernel](spec)
    broadcast_destination = slots[0].write and slots[0].step == 0 and slots[0].count > 1
    return _last_element_stays(kernel) if broadcast_destination else kernel


@cache
def _flags(bits: int) -> frozenset[str]:
    return frozenset(name for name, bit in FLAG_BITS.items() if bits & bit)


@cache
def _columns(text: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """For each factor of a product such as "m*k": digits, a column of the instruction, or an extent of its group."""
    return tuple(FIELD_COLUMNS[name] if name in fields else name for name in text.split("*"))


def _group(instr: Instr, groups: Sequence[Crossbar]) -> Crossbar | None:
    reason = instr.spec.refusal(instr.types, instr.flags)
    if reason:
        raise Fault(reason)
    use = instr.spec.crossbar
    if use is None:
        return None
    if not 0 <= instr.arg0 < len(groups):
        raise Fault("unknown group", "group", instr.arg0, len(groups))
    group = groups[instr.arg0]
    expected = group.spec.types_for(use)
    if instr.types != expected:
        names = ".".join(kind.name for kind in expected)
        raise Fault(f"types differ from those of the group ({names})", "group", instr.arg0)
    if use is CrossbarUse.WRITE and not 0 <= instr.arg1 <= instr.arg1 + instr.n <= group.spec.rows:
        raise Fault("rows outside the group", "row", instr.arg1 + instr.n, group.spec.rows)
    return group


def _count(text: str, instr: Instr, group: Crossbar | None) -> int:
    """Evaluate a product of fields, digits and group extents such as "m*k"."""

    factors = [
        int(name) if name.isdigit() else int(getattr(instr if hasattr(instr, name) else group and group.spec, name))
        for name in _columns(text, instr.spec.fields)
    ]
    if min(factors) < 0:
        raise Fault("negative length", text, min(factors), 0)
    return prod(factors)


def _slot(form: Operand, address: Address, instr: Instr, group: Crossbar | None) -> Slot:
    count = _count(form.count, instr, group)
    kind = None if form.type is None else DType.bool if form.type < 0 else instr.types[form.type]
    dtype = RAW if kind is None else storage(kind)
    stride = address.stride if form.strided else 1
    step = stride * dtype.itemsize if count > 1 else dtype.itemsize
    reach = (count - 1) * step
    low, high = (min(0, reach), max(0, reach) + dtype.itemsize) if count else (0, 0)
    read = form.read or (form.write and bool(instr.flags & FLAG_BITS["acc"]))
    return Slot(form.role, read, form.write, dtype, count, step, low, high, address, form.space == "g")


def _pairs(instr: Instr, slots: tuple[Slot, ...]) -> tuple[tuple[int, int], ...]:
    if instr.spec.moves:
        return ()
    local = [(k, slot) for k, slot in enumerate(slots) if slot.count and not slot.is_global]
    return tuple((d, s) for d, dst in local for s, src in local if d != s and dst.write and src.read)


def _last_element_stays(kernel: Kernel) -> Kernel:
    """All elements go to one place: compute them apart, keep the last."""

    def last(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        apart = np.empty(dst.shape, dst.dtype)
        kernel(apart, *sources)
        dst[..., -1] = apart[..., -1]

    return last
