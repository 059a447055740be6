"""An image whose run does not end by itself."""

from pathlib import Path

from images import byte_tensor, write_image
from stepper import program

from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program, Source


def write_endless(path: Path) -> Path:
    """Core 0 computes (nearly) for ever in a loop of node `spin`, if it goes step by step; core 1 waits for it."""
    builder = SectionBuilder()
    builder.source = 0
    builder.emit("lldi", operands=[Address(0)], byte=1, size=4)
    builder.emit("st", operands=[Address(100), Address(0)], size=4)
    with builder.loop(1 << 30), builder.loop(1 << 30):
        builder.emit("sadd", rd=0, rs1=0, rs2=1)
    builder.emit("send", operands=[Address(0)], core=1, size=4)
    programs = {
        0: Program(0, main=builder.finish(), sources=(Source("spin"),)),
        1: program(1, ("recv", 0, 0, 4), ("st", 0, 0, 4)),
    }
    return write_image(path, programs, (), (byte_tensor("y", 4, 0),))
