"""Images of hand-built programs: plain bytes of global memory in and out, and one whose run does not end by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stepper import program
from tensors import tensor

from emu.arch import Arch
from emu.image.manifest import Manifest, TensorSpec
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Program, Source

ARCH = Arch(name="test")


def byte_tensor(name: str, size: int, address: int) -> TensorSpec:
    """`size` bytes at `address`, as uint8[1, size]."""
    return tensor(name, (1, size), DType.u8, (size, 1, 1), ("", "C"), ((0, size), address))


def write_image(
    out: Path,
    programs: Mapping[int, Program],
    inputs: tuple[TensorSpec, ...] = (),
    outputs: tuple[TensorSpec, ...] = (),
    global_size: int = 1 << 24,
    arch: Arch = ARCH,
) -> Path:
    with ImageWriter(out) as writer:
        for program in programs.values():
            writer.add_core(program, [])
        writer.finish(Manifest(arch, (), inputs, outputs, global_size))
    return out


def write_relay(path: Path) -> Path:
    """Core 0 hands `x` of 100 bytes to core 1, which stores it as `y`."""
    programs = {
        0: program(0, ("ld", 0, 1000, 100), ("send", 1, 0, 100)),
        1: program(1, ("recv", 0, 0, 100), ("st", 0, 0, 100)),
    }
    return write_image(path, programs, (byte_tensor("x", 100, 1000),), (byte_tensor("y", 100, 0),))


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
