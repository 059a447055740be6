"""Programs of a few products on published chips, to hold cost models against their papers."""

from __future__ import annotations

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program, Source


def products(count: int, rows: int = 128, cols: int = 128, dtype: DType = DType.f32, tiles: int = 1) -> Program:
    """`count` products of one group, from one place to places of their own; of integers into i32."""
    output = dtype if dtype.is_float else DType.i32
    group = GroupSpec(dtype, dtype, output, (rows,) * tiles, (cols,))
    build = SectionBuilder()
    build.source = 0
    for number in range(count):
        target = Address(8192 + number * cols * output.size)
        build.emit("mvmul", (dtype, output), (target, Address(0)), group=0)
    return Program(0, (group,), main=build.finish(), sources=(Source("fc"),))
