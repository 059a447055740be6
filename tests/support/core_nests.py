"""Builds a program around one nest and runs it on both engines, which must agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from core_runs import Trace, run_section, snapshot

from emu.arch import Arch
from emu.core.engines.core import Core
from emu.isa.address import Address as A
from emu.isa.address import Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Data, Program

Write = Callable[[SectionBuilder], None]
ARCH = Arch()
MEMORY = 1 << 18  # bytes
F = (DType.f32,)
RNG = np.random.default_rng(3)
H, W, C, N = 9, 10, 4, 6
IN, COL, BIAS, OUT, SCRATCH = 0, 40_000, 44_000, 48_000, 80_000


class Nest:
    """The outcome of a nest: local memory after two samples, and what `batch` did for the second one."""

    def __init__(
        self,
        write: Write,
        data: dict[int, np.ndarray],
        groups: Sequence[GroupSpec] = (),
        weights: Sequence[np.ndarray] = (),
        arch: Arch = ARCH,
        memory: int = MEMORY,
    ) -> None:
        builder = SectionBuilder()
        write(builder)
        content = tuple(Data(address, array.tobytes()) for address, array in data.items())
        program = Program(0, tuple(groups), content, main=builder.finish())
        small = replace(arch, core=replace(arch.core, local_memory=memory))
        self.batch, self.step = (Core(program, small, weights, engine) for engine in ("batch", "step"))
        for sample in range(2):
            for core in (self.batch, self.step):
                core.begin("main", sample)
                run_section(core, Trace())
            assert snapshot(self.batch) == snapshot(self.step)
        self.statistics = self.batch.statistics

    def array(self, address: int, shape: Sequence[int], dtype: type = np.float32) -> np.ndarray:
        """What stands at `address`."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return self.batch.memory.data[address : address + size].copy().view(dtype).reshape(shape)

    @property
    def whole(self) -> bool:
        """Whether everything ran as plans, nothing one instruction at a time."""
        return self.statistics.stepped == 0 and self.statistics.unplanned == 0 and self.statistics.units > 0


def at(base, y=0, x=0, stride=1):
    """An address in two loops."""
    return A(base, tuple(Term(loop, step) for loop, step in ((0, y), (1, x)) if step), stride=stride)


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def crossbars(rows, cols, tile=20):
    tiles = tuple(min(tile, rows - start) for start in range(0, rows, tile))
    spec = GroupSpec(DType.f32, DType.f32, DType.f32, tiles, (cols,))
    weights = np.zeros((rows, spec.padded_cols), np.float32)
    weights[:, :cols] = floats(rows, cols)
    return spec, weights
