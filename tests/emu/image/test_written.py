"""Weights that a program writes to the bank, read off its text."""

import numpy as np

from emu.image.written import reader, written_weights
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program

GROUP = GroupSpec(DType.i8, DType.i8, DType.i32, (3,), (2,), bank=0)
READ = reader([(100, memoryview(bytes(range(1, 9))))])


def written(*rows, to=0, source=100):
    """What is found of a program that loads and writes (first row, rows, bytes before them) each."""
    build = SectionBuilder()
    for first, count, before in rows:
        build.emit("ld", operands=(Address(0), Address(source + before)), size=2 * count)
        build.emit("xbwrite", (DType.i8,), (Address(to),), group=0, row=first, rows=count)
    return written_weights(Program(0, (GROUP, GroupSpec(*[DType.i32] * 3, (1,), (1,))), main=build.finish()), READ)


def test_rows_come_from_the_tensor_that_is_loaded():
    found, own = written((0, 2, 0), (2, 1, 6))
    assert own is None
    assert found[:, :2].tolist() == [[1, 2], [3, 4], [7, 8]] and not np.any(found[:, 2:])


def test_what_is_not_loaded_right_before_or_not_all_or_twice_is_not_known():
    assert written((0, 2, 0))[0] is None
    assert written((0, 3, 0), (1, 1, 0))[0] is None
    assert written((0, 3, 0), to=2)[0] is None
    assert written((0, 3, 0), source=50)[0] is None
    build = SectionBuilder()
    with build.loop(2) as loop:
        build.emit("ld", operands=(Address(0), Address(100, (Term(loop, 2),))), size=6)
        build.emit("xbwrite", (DType.i8,), (Address(0),), group=0, row=0, rows=3)
    assert written_weights(Program(0, (GROUP,), main=build.finish()), READ) == [None]
