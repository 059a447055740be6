"""Images of hand-built programs whose inputs and outputs are plain bytes of global memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tensors import tensor

from emu.arch import Arch
from emu.image.manifest import Manifest, TensorSpec
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType
from emu.program.program import Program

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
