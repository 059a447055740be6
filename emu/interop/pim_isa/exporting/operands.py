"""Operands with a distance between their elements: PIM-ISA has dense ones, and a gathering move."""

from __future__ import annotations

from collections.abc import Callable

from emu.interop.pim_isa.exporting.writer import CoreWriter, plus
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType


def dense(to: CoreWriter, source: Address, kind: DType, count: int, role: str) -> Address:
    """Where the elements of `source` stand as neighbours: there, or gathered into the area `role`."""
    if source.stride == 1 or count <= 1:
        return source
    area = to.area(role, count * kind.size)
    gather(to, area, source, kind, count)
    return area


def gather(to: CoreWriter, target: Address, source: Address, kind: DType, count: int) -> None:
    """Move elements to where they are neighbours."""
    to.emit("vmv", target, source, source.stride, width=kind.size, len=count)


def spread(to: CoreWriter, target: Address, kind: DType, count: int, write: Callable[[Address], None]) -> None:
    """Let `write` make `count` neighbours: at `target`, or elsewhere if they are moved there one by one."""
    if target.stride == 1 or count <= 1:
        write(target)
        return
    area = to.area("result", count * kind.size)
    write(area)
    with to.loop(count) as counter:
        place = plus(target, 0, Term(counter, target.stride * kind.size))
        to.emit("lmv", place, plus(area, 0, Term(counter, kind.size)), len=kind.size)
