"""Writes PIM-ISA for one core: addresses into registers, widths by `setbw`, constants fetched before all else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from emu.interop.pim_isa.exporting.crossbars import CoreCrossbars
from emu.interop.pim_isa.exporting.memory import Constants, LocalAreas, rounded
from emu.interop.pim_isa.exporting.refusal import ExportRefusal
from emu.interop.pim_isa.exporting.registers import HIGH, LOW, RegisterRing
from emu.interop.pim_isa.exporting.template import RegisterTerms, TemplateBuilder, Types
from emu.interop.pim_isa.format.checks import MAX_BYTES
from emu.interop.pim_isa.isa import BY_NAME
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class Hull:
    """The bytes [low, high) of local memory that an operand touches in all iterations."""

    low: int
    high: int

    def meets(self, other: Hull) -> bool:
        """Whether both have a byte in common."""
        return self.low < other.high and other.low < self.high


class _Rows:
    """Rows under way, and what registers hold there."""

    def __init__(self) -> None:
        self.builder, self.ring = TemplateBuilder(), RegisterRing()


class CoreWriter:
    """What lowerings write with: `emit` and `loop`, and places for what passes between instructions.

    `prologue` fetches constants and clears areas, and runs before `body`.
    """

    def __init__(self, crossbars: CoreCrossbars, areas: LocalAreas, constants: Constants) -> None:
        self.crossbars = crossbars
        self._areas, self._constants = areas, constants
        self._prologue, self._body = _Rows(), _Rows()
        self._rows = self._body

    @property
    def parts(self) -> tuple[TemplateBuilder, TemplateBuilder]:
        """Prologue and body."""
        return self._prologue.builder, self._body.builder

    def emit(
        self, name: str, *operands: Address | int, types: Types | None = None, width: int = 0, **fields: int
    ) -> None:
        """Append instruction `name`, after what puts its operands into registers.

        `operands`: the addresses that it has, in the order of its row in the table, then its stride or bound, if it has
        one. `types` or, for what moves elements of any type, their `width` in bytes, are set before.
        """
        for field in ("len", "size"):
            if fields.get(field, 0) * max([width, *(kind.size for kind in types or ())]) > MAX_BYTES:
                raise ExportRefusal(f"{fields[field]} elements or bytes are more than 2^31 bytes at once")
        rows, named, op = self._rows, dict[str, int](), BY_NAME[name]
        places = [place for place in op.operands if place is not None]
        given = list(zip(places, operands, strict=False))
        numbers = [(op.extra, number) for number in operands[len(places) :]]
        near = [(register, at) for place, at in given if not place.pair for register in (place.register, place.also)]
        for register, operand in (*near, *numbers):
            if register:
                value = _value(operand)
                named[register] = rows.ring.place(value, named.values())
                rows.builder.row("sldi", None, value, rd=named[register])
        for place, operand in given:
            if place.pair:
                for register, high in ((HIGH, True), (LOW, False)):
                    rows.builder.row("sldi", None, replace(_value(operand, far=True), high=high), rd=register)
                named[place.register] = HIGH
        if types or width:
            sizes = [kind.size for kind in types] if types else [width, width]
            rows.builder.row("setbw", ibiw=8 * sizes[0], obiw=8 * sizes[1])
        rows.builder.row(name, types, None, **fields, **named)

    @contextmanager
    def loop(self, trips: int) -> Generator[int]:
        """What is emitted inside runs `trips` times; gives the number of the counter."""
        with self._rows.builder.loop(trips) as counter:
            yield counter

    def area(self, role: str, nbytes: int) -> Address:
        """Some bytes for what the instruction at hand needs in between; the next one may take them for the same."""
        size = rounded(nbytes)
        return Address(self._areas.area((role, size), size))

    def cleared(self, used: int, nbytes: int) -> Address:
        """An area of `nbytes` bytes that are 0 from `used` on, where nothing else is ever written."""
        key = ("cleared", used, nbytes)
        known = key in self._areas
        address = Address(self._areas.area(key, nbytes))
        if not known:
            self.clear_first(address.base, nbytes)
        return address

    def constant(self, element: np.generic, count: int, role: str = "") -> Address:
        """Local memory that holds `element` `count` times (or more often); not written to by others of this `role`."""
        content, size, most = element.tobytes(), element.itemsize, rounded(count)
        key = ("constant", role, content, most)
        known = key in self._areas
        address = Address(self._areas.area(key, most * size))
        if not known:
            with self._before():
                self.load(address, content)
                self.emit("vmv", address, address, 0, width=size, len=most)
        return address

    def load(self, address: Address, content: bytes) -> None:
        """Fetch `content` from global memory, where it stands from the beginning."""
        source = Address(self._constants.place(content))
        self.emit("ld", address, source, size=len(content))

    @contextmanager
    def _before(self) -> Generator[None]:
        now, self._rows = self._rows, self._prologue
        yield
        self._rows = now

    def clear_first(self, address: int, nbytes: int) -> None:
        """Let `nbytes` bytes of local memory be 0 when the program begins."""
        with self._before():
            self.emit("lldi", Address(address), len=nbytes)

    def at_first(self, address: int, content: bytes) -> None:
        """Put `content` into local memory before the program begins."""
        with self._before():
            self.load(Address(address), content)


def plus(address: Address, nbytes: int, *terms: Term) -> Address:
    """An address some bytes further, with further terms; its elements are neighbours."""
    return Address(address.base + nbytes, (*address.terms, *terms), address.reg)


def whole(value: float) -> int | None:
    """A number as what a register holds; None if none does."""
    return int(value) if float(value).is_integer() and -(1 << 31) <= value < 1 << 31 else None


def same(kind: DType) -> Types:
    """One type for what is read and for what is written."""
    return kind, kind


def _value(operand: Address | int, far: bool = False) -> RegisterTerms:
    if isinstance(operand, int):
        return RegisterTerms(operand)
    if operand.reg >= 0:
        raise ExportRefusal("its address is in a register: programs that compute addresses are not exported")
    if not far and not 0 <= operand.base < 1 << 31:
        raise ExportRefusal(f"local address {operand.base} does not fit into a register of 32 bits")
    return RegisterTerms(operand.base, operand.terms)
