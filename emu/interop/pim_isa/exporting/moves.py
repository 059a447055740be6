"""Moves, global memory and messages: the same instructions, with addresses in registers."""

from __future__ import annotations

from emu.interop.pim_isa.exporting.operands import gather, spread
from emu.interop.pim_isa.exporting.refusal import ExportRefusal
from emu.interop.pim_isa.exporting.writer import CoreWriter, Hull
from emu.isa.instruction import FLAG_BITS
from emu.program.section import Instr


def move(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`vmv`, `vscatter`."""
    kind, (target, source) = instr.types[0], instr.operands
    spread(to, target, kind, instr.n, lambda place: gather(to, place, source, kind, instr.n))


def copy(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`lmv`."""
    target, source = instr.operands
    to.emit("lmv", target, source, len=instr.n)


def fill(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`lldi`."""
    to.emit("lldi", instr.operands[0], len=instr.n, imm=int(instr.field("byte")))


def load(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`ld`."""
    target, source = instr.operands
    to.emit("ld", target, source, size=instr.n)


def store(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`st`."""
    target, source = instr.operands
    to.emit("st", target, source, size=instr.n)


def send(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`send`; its source is rs1 in the published text and rd in program files: both name it."""
    source = instr.operands[0]
    to.emit("send", source, core=int(instr.field("core")), size=instr.n)


def receive(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`recv`."""
    to.emit("recv", instr.operands[0], core=int(instr.field("core")), size=instr.n)


def sync(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`sync`."""
    to.emit("sync", core=int(instr.field("core")), event_register=int(instr.field("event")))


def wait(to: CoreWriter, instr: Instr, hulls: tuple[Hull, ...]) -> None:
    """`wait`: until the event has at least the value, which is then taken off it."""
    if instr.flags & FLAG_BITS["equal"]:
        raise ExportRefusal("how PIM-ISA waits is its simulator's choice: it cannot say that the value must be equal")
    to.emit("wait", event_register=int(instr.field("event")), wait_value=int(instr.field("value")))
