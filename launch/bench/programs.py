"""Images of programs that rows about messages, starts and idle cores run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.image.manifest import Manifest, TensorSpec, TensorTile
from emu.image.writer import ImageWriter
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.form import Form
from emu.program.program import Program

RESULT = "y"
SLOT, MOST = 8, 251  # bytes of a message; numbers that bytes hold, none of which falls on a power of two


def halting(count: int) -> Iterator[Program]:
    """Programs of the cores from 0 on that only halt."""
    for core in range(count):
        builder = SectionBuilder()
        builder.emit("halt")
        yield Program(core, main=builder.finish())


def ring(count: int) -> Iterator[Program]:
    """Programs of which each sends `SLOT` bytes of its own number to the next, and stores those that it takes."""
    for core in range(count):
        builder = SectionBuilder()
        builder.emit("lldi", operands=[Address(0)], byte=core % MOST, size=SLOT)
        steps = [("send", (core + 1) % count, 0), ("recv", (core - 1) % count, SLOT)]
        for name, peer, at in steps if core % 2 == 0 else reversed(steps):
            builder.emit(name, operands=[Address(at)], core=peer, size=SLOT)
        builder.emit("st", operands=[Address(core * SLOT), Address(SLOT)], size=SLOT)
        builder.emit("halt")
        yield Program(core, main=builder.finish())


def handed_on(count: int, size: int, rounds: int) -> Iterator[Program]:
    """Programs that hand `size` bytes on from each to the next, from core 0 back to it, `rounds` times."""
    for core in range(count):
        builder = SectionBuilder()
        builder.emit("lldi", operands=[Address(0)], byte=core % MOST, size=size)
        steps = [("send", (core + 1) % count), ("recv", (core - 1) % count)]
        with builder.loop(rounds):
            for name, peer in steps if core == 0 else reversed(steps):
                builder.emit(name, operands=[Address(0)], core=peer, size=size)
        builder.emit("halt")
        yield Program(core, init=SectionBuilder().finish(), main=builder.finish())


def recurrence(count: int, trips: int, length: int) -> Iterator[Program]:
    """Programs that all compute x = x * y + z over `length` float32 elements, `trips` times: two instructions each."""
    x, y, z = (Address(place * 4 * length) for place in range(3))
    kind = [DType.f32]
    for core in range(count):
        builder = SectionBuilder()
        builder.emit("lldi", operands=[x], byte=0, size=3 * 4 * length)
        with builder.loop(trips):
            builder.emit("vvmul", kind, [x, x, y], n=length)
            builder.emit("vvadd", kind, [x, x, z], n=length)
        builder.emit("halt")
        yield Program(core, init=SectionBuilder().finish(), main=builder.finish())


def write_ring(folder: Path | str, count: int) -> Path:
    """An image of `ring`, whose output `RESULT` is that of `went_round`."""
    size = count * SLOT
    form = Form((1, size), (size, 1, 1), ("", "C"))
    result = TensorSpec(RESULT, form, DType.u8, (TensorTile(form.whole, 0),))
    return write_programs(folder, ring(count), count, (result,), size)


def went_round(count: int) -> np.ndarray:
    """What a ring of so many cores gives: uint8 [1, count * SLOT]."""
    return np.repeat(np.roll(np.arange(count) % MOST, 1), SLOT).astype(np.uint8)[None]


def write_programs(
    folder: Path | str, programs: Iterable[Program], cores: int, outputs: tuple[TensorSpec, ...] = (), size: int = 0
) -> Path:
    """An image of `programs` for a chip of `cores` cores, in `folder`, with `size` bytes of global memory."""
    image = Path(folder) / "image"
    with ImageWriter(image) as writer:
        for program in programs:
            writer.add_core(program, [])
        writer.finish(Manifest(Arch(name="benchmark", cores=cores), (), (), outputs, size))
    return image
