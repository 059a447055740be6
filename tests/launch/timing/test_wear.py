"""How many cells a program writes per sample, and how long they last."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from emu.arch import Arch, Core, Crossbar
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program
from launch.timing.wear import YEAR, wear_of

ARCH = Arch(core=Core(crossbars=64), crossbar=Crossbar(8, 4, cell_bits=2))
I8 = DType.i8
GROUPS = (GroupSpec(I8, I8, DType.i32, (8,), (3,), bank=0), GroupSpec(I8, I8, DType.i32, (8, 8), (4,), bank=0))
SLICES = 4  # of a sign and 7 bits


def timed(arch, build, period=10**12):
    program = Program(0, GROUPS, main=build.finish())
    return SimpleNamespace(chip=arch, programs={0: program}, period=period)


def test_writes_count_cells_and_executions():
    build = SectionBuilder()
    build.emit("xbwrite", (I8,), (Address(0),), group=0, row=0, rows=8)
    with build.loop(5):
        build.emit("xbwrite", (I8,), (Address(0),), group=1, row=2, rows=3)
    wear = wear_of(timed(replace(ARCH, crossbar=replace(ARCH.crossbar, endurance=1000)), build))
    assert wear.cell_writes == (8 * 3 + 5 * 3 * 4) * SLICES
    assert wear.cells == 2 * SLICES * 8 * 4  # both groups stand in the same two crossbars, with their slices
    assert wear.lifetime_years == pytest.approx(1000 * wear.cells / wear.cell_writes / YEAR)
    assert wear.line().startswith(f"writes {wear.cell_writes} cells per sample, in crossbars of 256 cells, which last ")


def test_without_endurance_nothing_is_said_of_years():
    build = SectionBuilder()
    build.emit("xbwrite", (I8,), (Address(0),), group=0, row=0, rows=8)
    wear = wear_of(timed(ARCH, build))
    assert wear.lifetime_years is None and wear.line().endswith("in crossbars of 128 cells")


def test_programs_that_write_nothing_wear_nothing():
    assert wear_of(timed(ARCH, SectionBuilder())) is None
