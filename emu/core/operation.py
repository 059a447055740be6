"""An instruction made ready to run: operand extents, kernel, and what may go wrong, independent of loop counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from struct import pack

import numpy as np

from emu.core.crossbars.crossbar import Crossbar
from emu.core.crossbars.fault import Fault
from emu.core.crossbars.origin import Origin
from emu.core.kernels.spec import Kernel, KernelSpec, storage
from emu.core.kernels.table import KERNELS
from emu.core.scalar import Scalar, make_scalar
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, CrossbarUse, Operand
from emu.operands.pattern import Pattern, distances, pattern_fields
from emu.program.extents import counts
from emu.program.section import Instr

RAW = np.dtype(np.uint8)
MAX_FORMS = 4096


@dataclass(frozen=True, slots=True)
class Slot(Pattern):
    """One address operand: elements of `dtype`."""

    role: str
    read: bool
    write: bool
    dtype: np.dtype
    address: Address
    is_global: bool

    def at(self, address: Address) -> Slot:
        """The same elements from another address on."""
        elements = self.size, self.count, self.shape, self.steps, self.low, self.high, self.width, self.axes
        return Slot(*elements, self.role, self.read, self.write, self.dtype, address, self.is_global)


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
    fixed: tuple[int, ...] | None  # the addresses of the operands, unless counters or registers change them


# What instructions without array groups have in common that differ in addresses alone; the oldest are dropped first.
_forms: dict[tuple[object, ...], Operation] = {}


def make_operation(instr: Instr, groups: Sequence[Crossbar], origin: Origin) -> Operation:
    """Prepare `instr`, which stands at `origin`; what is wrong with it becomes `fault`, raised when it runs."""
    if instr.spec.crossbar is not None:
        return _make_operation(instr, groups, origin.instruction, origin)
    fields = instr.types, instr.flags, instr.n, instr.arg0, instr.arg1, instr.arg2, pack("d", instr.imm)
    key = instr.spec.code, *fields, *[(address.stride, address.pitch) for address in instr.operands]
    form = _forms.get(key)
    if form is None:
        form = _make_operation(instr, groups, origin.instruction)
        if form.fault is None:
            while len(_forms) >= MAX_FORMS:
                del _forms[next(iter(_forms))]
            _forms[key] = form
        return form
    slots = tuple([slot.at(address) for slot, address in zip(form.slots, instr.operands, strict=True)])
    rest = form.pairs, form.kernel, form.scalar, form.may_trap, None, _fixed(instr.operands)
    return Operation(origin.instruction, instr, slots, *rest)


def _make_operation(instr: Instr, groups: Sequence[Crossbar], index: int, origin: Origin | None = None) -> Operation:
    spec = instr.spec
    try:
        group = _group(instr, groups)
        slots = tuple(
            _slot(form, address, instr, group) for form, address in zip(spec.operands, instr.operands, strict=True)
        )
        kernel = make_kernel(instr, slots, group, origin)
    except Fault as fault:
        return Operation(index, instr, (), (), None, None, False, fault, None)
    traps = spec.may_trap(instr.types, instr.flags, instr.n)
    fixed = _fixed(instr.operands)
    return Operation(index, instr, slots, _pairs(instr, slots), kernel, make_scalar(instr), traps, None, fixed)


def _fixed(addresses: Sequence[Address]) -> tuple[int, ...] | None:
    moves = [address for address in addresses if address.terms or address.reg >= 0]
    return None if moves else tuple([address.base for address in addresses])


def make_kernel(instr: Instr, slots: Sequence[Slot], group: Crossbar | None, origin: Origin | None) -> Kernel | None:
    """What computes `instr`, if a kernel does; on array groups: with `group`, and vectors from `origin`."""
    name, flags = instr.spec.name, _flags(instr.flags)
    if not instr.spec.kernel:
        return None
    spec = KernelSpec(name, instr.types, flags, instr.imm, instr.n, instr.arg0, instr.arg1, group, origin)
    kernel = KERNELS[instr.spec.kernel](spec)
    together = [k for k, slot in enumerate(slots) if slot.write and slot.steps[-1] == 0 and slot.count > 1]
    return _last_element_stays(kernel, together) if together else kernel


@cache
def _flags(bits: int) -> frozenset[str]:
    return frozenset(name for name, bit in FLAG_BITS.items() if bits & bit)


def _group(instr: Instr, groups: Sequence[Crossbar]) -> Crossbar | None:
    reason = instr.spec.refusal(instr.types, instr.flags)
    if reason:
        raise Fault(reason)
    for field, bound in instr.spec.at_most:
        if instr.field(field) > instr.field(bound):
            raise Fault(f"{field} is larger than {bound}", field, int(instr.field(field)), int(instr.field(bound)))
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


def _slot(form: Operand, address: Address, instr: Instr, group: Crossbar | None) -> Slot:
    def factor(name: str) -> int:
        number = int(instr.field(name)) if name in instr.spec.fields else int(getattr(group and group.spec, name))
        if number < 0:
            raise Fault("negative length", form.count, number, 0)
        return number

    (rows, count), stride = counts(form, factor), address.stride if form.strided else 1
    kind = None if form.type is None else DType.bool if form.type < 0 else instr.types[form.type]
    dtype = RAW if kind is None else storage(kind)
    shape, steps = (rows, count), distances(stride, address.pitch, rows, count, dtype.itemsize, _pick)
    if not form.pitched:
        shape, steps = shape[1:], steps[1:]
    read = form.read or (form.write and bool(instr.flags & FLAG_BITS["acc"]))
    elements = pattern_fields(dtype.itemsize, shape, steps)
    slot = Slot(*elements, form.role, read, form.write, dtype, address, form.space == "g")
    if form.pitched and form.write and slot.folded:
        raise Fault("elements of a destination overlap", form.role)
    return slot


def _pick(first: bool, one: int, other: int) -> int:
    return one if first else other


def _pairs(instr: Instr, slots: tuple[Slot, ...]) -> tuple[tuple[int, int], ...]:
    if instr.spec.moves:
        return ()
    local = [(k, slot) for k, slot in enumerate(slots) if slot.count and not slot.is_global]
    return tuple(
        (d, s)
        for d, dst in local
        for s, src in local
        if dst.write and (src.read or src.write) and (d < s or (d > s and src.read))
    )


def _last_element_stays(kernel: Kernel, together: Sequence[int]) -> Kernel:
    """All elements of the operands `together` go to one place: compute them apart, keep the last."""

    def last(*operands: np.ndarray) -> None:
        apart = [np.empty(view.shape, view.dtype) if k in together else view for k, view in enumerate(operands)]
        kernel(*apart)
        for k in together:
            operands[k][..., -1] = apart[k][..., -1]

    return last
