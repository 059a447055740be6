"""An instruction made ready to run: operand extents, kernel, and what may go wrong, independent of loop counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np

from emu.core.crossbar import CrossbarGroup
from emu.core.fault import Fault
from emu.core.kernels.arithmetic import may_trap
from emu.core.kernels.spec import Kernel, KernelSpec, storage
from emu.core.kernels.table import KERNELS
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.legal import illegal_types
from emu.isa.table import FIELD_COLUMNS, FLAG_BITS, Operand
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
    kernel: Kernel | None  # None: control, scalar, request or crossbar write
    may_trap: bool
    fault: Fault | None  # what is wrong with the instruction wherever it runs

    @property
    def name(self) -> str:
        """The mnemonic without types."""
        return self.instr.spec.name

    @property
    def text(self) -> str:
        """The mnemonic with types and suffixes, as in assembly."""
        return instruction_name(self.instr)


def instruction_name(instr: Instr) -> str:
    """The mnemonic of `instr` with types and suffixes."""
    suffixes = [suffix for suffix in instr.spec.suffixes if instr.flags & FLAG_BITS[suffix]]
    return ".".join([instr.spec.name, *(kind.name for kind in instr.types), *suffixes])


def make_operation(index: int, instr: Instr, groups: Sequence[CrossbarGroup]) -> Operation:
    """Prepare `instr`; what is wrong with it becomes `fault`, raised when it runs."""
    flags = _flags(instr.flags)
    try:
        group = _group(instr, groups)
        slots = tuple(
            _slot(form, address, instr, group, "acc" in flags)
            for form, address in zip(instr.spec.operands, instr.operands, strict=True)
        )
        kernel = _kernel(instr, flags, group, slots)
    except Fault as fault:
        return Operation(index, instr, (), (), None, False, fault)
    traps = may_trap(instr.spec.name, instr.types, flags, instr.n)
    return Operation(index, instr, slots, _pairs(instr, slots), kernel, traps, None)


def kernel_for(op: Operation, group: CrossbarGroup) -> Kernel:
    """The kernel of `op`, an operation on a group, for another group of the same specification."""
    kernel = _kernel(op.instr, _flags(op.instr.flags), group, op.slots)
    assert kernel is not None  # the operation has one
    return kernel


@cache
def _flags(bits: int) -> frozenset[str]:
    return frozenset(name for name, bit in FLAG_BITS.items() if bits & bit)


@cache
def _columns(text: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """For each factor of a product such as "m*k": digits, a column of the instruction, or an extent of its group."""
    return tuple(FIELD_COLUMNS[name] if name in fields else name for name in text.split("*"))


def _group(instr: Instr, groups: Sequence[CrossbarGroup]) -> CrossbarGroup | None:
    reason = illegal_types(instr.spec.name, instr.types, instr.flags)
    if reason:
        raise Fault(reason)
    if "group" not in instr.spec.fields:
        return None
    if not 0 <= instr.arg0 < len(groups):
        raise Fault("unknown group", "group", instr.arg0, len(groups))
    group = groups[instr.arg0]
    spec = group.spec
    expected = (spec.input, spec.output) if instr.spec.name == "mvmul" else (spec.weight,)
    if instr.types != expected:
        names = ".".join(kind.name for kind in expected)
        raise Fault(f"types differ from those of the group ({names})", "group", instr.arg0)
    if instr.spec.name == "xbwrite" and not 0 <= instr.arg1 <= instr.arg1 + instr.n <= spec.rows:
        raise Fault("rows outside the group", "row", instr.arg1 + instr.n, spec.rows)
    return group


def _count(text: str, instr: Instr, group: CrossbarGroup | None) -> int:
    """Evaluate a product of fields, digits and group extents such as "m*k"."""

    factors = [
        int(name) if name.isdigit() else int(getattr(instr if hasattr(instr, name) else group and group.spec, name))
        for name in _columns(text, instr.spec.fields)
    ]
    if min(factors) < 0:
        raise Fault("negative length", text, min(factors), 0)
    return prod(factors)


def _slot(form: Operand, address: Address, instr: Instr, group: CrossbarGroup | None, accumulate: bool) -> Slot:
    count = _count(form.count, instr, group)
    kind = None if form.type is None else DType.bool if form.type < 0 else instr.types[form.type]
    dtype = RAW if kind is None else storage(kind)
    stride = address.stride if form.strided else 1
    step = stride * dtype.itemsize if count > 1 else dtype.itemsize
    reach = (count - 1) * step
    low, high = (min(0, reach), max(0, reach) + dtype.itemsize) if count else (0, 0)
    read = form.read or (accumulate and form.write)
    return Slot(form.role, read, form.write, dtype, count, step, low, high, address, form.space == "g")


def _pairs(instr: Instr, slots: tuple[Slot, ...]) -> tuple[tuple[int, int], ...]:
    if instr.spec.name == "lmv":
        return ()
    local = [(k, slot) for k, slot in enumerate(slots) if slot.count and not slot.is_global]
    return tuple((d, s) for d, dst in local for s, src in local if d != s and dst.write and src.read)


def _kernel(instr: Instr, flags: frozenset[str], group: CrossbarGroup | None, slots: tuple[Slot, ...]) -> Kernel | None:
    maker = KERNELS.get(instr.spec.name)
    if maker is None:
        return None
    kernel = maker(KernelSpec(instr.spec.name, instr.types, flags, instr.imm, instr.n, instr.arg0, instr.arg1, group))
    broadcast_destination = slots[0].step == 0 and slots[0].count > 1
    return _last_element_stays(kernel) if broadcast_destination else kernel


def _last_element_stays(kernel: Kernel) -> Kernel:
    """All elements go to one place: compute them apart, keep the last."""

    def last(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        apart = np.empty(dst.shape, dst.dtype)
        kernel(apart, *sources)
        dst[..., -1] = apart[..., -1]

    return last
