"""An instruction made ready to run: operand extents, kernel, and what may go wrong, independent of loop counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from struct import pack

import numpy as np

from emu.core.crossbars.crossbar import Crossbar
from emu.core.crossbars.fault import Fault
from emu.core.crossbars.origin import Origin
from emu.core.kernels.spec import Kernel, KernelSpec, storage
from emu.core.kernels.table import KERNELS
from emu.core.runs import Axis, coalesce
from emu.core.scalar import Scalar, make_scalar
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.instruction import FIELD_COLUMNS, FLAG_BITS, CrossbarUse, Operand
from emu.program.section import Instr

RAW = np.dtype(np.uint8)
MAX_FORMS = 4096


@dataclass(frozen=True, slots=True)
class Slot:
    """One address operand: elements of `dtype` that span [low, high) from the address.

    They are an array of `shape`, [elements] or [rows, elements], whose axes advance by `steps` bytes; `count` of them.
    The bytes are runs of `width`, repeated along `axes`.
    """

    role: str
    read: bool
    write: bool
    dtype: np.dtype
    count: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    low: int
    high: int
    width: int
    axes: tuple[Axis, ...]
    address: Address
    is_global: bool

    def at(self, address: Address) -> Slot:
        """The same elements from another address on."""
        shape, extent = (self.dtype, self.count, self.shape, self.steps), (self.low, self.high, self.width, self.axes)
        return Slot(self.role, self.read, self.write, *shape, *extent, address, self.is_global)

    @property
    def form(self) -> tuple[int, ...]:
        """Element size, then number and distance per axis: equal for equal elements in equal order."""
        axes: list[tuple[int, int]] = []
        for count, step in zip(self.shape, self.steps, strict=True):
            if axes and axes[-1][1] == step * count:
                axes[-1] = (axes[-1][0] * count, step)
            elif count > 1:
                axes.append((count, step))
        return self.dtype.itemsize, *[number for axis in axes for number in axis]


def make_slot(
    role: str,
    access: tuple[bool, bool],
    dtype: np.dtype,
    shape: tuple[int, ...],
    steps: tuple[int, ...],
    address: Address,
    is_global: bool,
) -> Slot:
    """A slot with what follows from its fields; `access`: whether it is read, and written."""
    if len(shape) == 1:  # by far most of them
        (count,), (step,), size = shape, steps, dtype.itemsize
        reach = step * (count - 1)
        low, high = (min(0, reach), max(0, reach) + size) if count else (0, 0)
        dense = abs(step) <= size or count <= 1
        width, axes = (high - low, ()) if dense else (size, ((abs(step), count),))
        return Slot(role, *access, dtype, count, shape, steps, low, high, width, axes, address, is_global)
    count, reach = prod(shape), [step * (extent - 1) for step, extent in zip(steps, shape, strict=True)]
    low, high = (sum(min(0, x) for x in reach), sum(max(0, x) for x in reach) + dtype.itemsize) if count else (0, 0)
    width, axes = coalesce(dtype.itemsize, zip(steps, shape, strict=True)) if count else (0, ())
    return Slot(role, *access, dtype, count, shape, steps, low, high, width, axes, address, is_global)


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


@cache
def _columns(text: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """For each factor of a product such as "m*k": digits, a column of the instruction, or an extent of its group."""
    return tuple(FIELD_COLUMNS[name] if name in fields else name for name in text.split("*"))


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


def _factors(text: str, instr: Instr, group: Crossbar | None) -> list[int]:
    """Evaluate a product of fields, digits and group extents such as "m*k"."""

    factors = [
        int(name) if name.isdigit() else int(getattr(instr if hasattr(instr, name) else group and group.spec, name))
        for name in _columns(text, instr.spec.fields)
    ]
    if min(factors) < 0:
        raise Fault("negative length", text, min(factors), 0)
    return factors


def _slot(form: Operand, address: Address, instr: Instr, group: Crossbar | None) -> Slot:
    *outer, inner = _factors(form.count, instr, group)
    kind = None if form.type is None else DType.bool if form.type < 0 else instr.types[form.type]
    dtype = RAW if kind is None else storage(kind)
    stride = address.stride if form.strided else 1
    count = inner if form.pitched or not outer else inner * prod(outer)
    shape, steps = (count,), (stride * dtype.itemsize if count > 1 else dtype.itemsize,)
    if form.pitched:
        rows = prod(outer)
        pitch = (address.pitch or count * stride) * dtype.itemsize
        shape, steps = (rows, *shape), (pitch if rows > 1 else dtype.itemsize, *steps)
    read = form.read or (form.write and bool(instr.flags & FLAG_BITS["acc"]))
    if form.pitched and form.write and _overlap(shape, steps, dtype.itemsize):
        raise Fault("elements of a destination overlap", form.role)
    return make_slot(form.role, (read, form.write), dtype, shape, steps, address, form.space == "g")


def _overlap(shape: tuple[int, ...], steps: tuple[int, ...], size: int) -> bool:
    """Whether elements may share bytes: rows are not behind each other, nor each in the gaps of the one before."""
    reach = size
    for step, count in sorted((abs(step), count) for step, count in zip(steps, shape, strict=True)):
        if count > 1 and step < reach:
            return True
        reach += step * (count - 1)
    return False


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
