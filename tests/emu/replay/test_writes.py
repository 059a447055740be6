"""The one count of writes: events, rows and cells of groups and crossbars, against a walk through the program."""

from collections import Counter
from dataclasses import replace

import pytest
from core_programs import Seeded
from hypothesis import given
from hypothesis import strategies as st
from timed_sets import ARCH as TIMED
from timed_sets import Sets

from emu.arch import Arch, Core, Crossbar
from emu.core.sequencer import Sequencer
from emu.isa.address import Address
from emu.isa.codes import WRITES_GROUP
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import OWN, GroupSpec
from emu.program.program import Program, Source
from emu.replay.writes import writes_of, written_cells

I8 = DType.i8
ARCH = Arch(core=Core(crossbars=64), crossbar=Crossbar(8, 4, cell_bits=2))
GROUPS = (
    GroupSpec(I8, I8, DType.i32, (8, 4), (3,), bank=0),
    GroupSpec(I8, I8, DType.i32, (8,), (4, 2), bank=1),
    GroupSpec(I8, I8, DType.i32, (8,), (4,)),
)
SLICES = 4  # of a sign and 7 bits


def program(*writes, init=()):
    """A program of writes (group, row, rows, times)."""
    sections = []
    for part in (init, writes):
        build = SectionBuilder()
        build.source = 0
        for group, row, rows, times in part:
            with build.loop(times):
                build.emit("xbwrite", (I8,), (Address(0),), group=group, row=row, rows=rows)
        sections.append(build.finish())
    return Program(0, GROUPS, init=sections[0], main=sections[1], sources=(Source("conv"),))


def crossbars(found):
    return {(one.group, one.place): (one.events, one.rows, one.cells) for one in found.crossbars}


def test_a_write_counts_in_each_crossbar_that_it_reaches():
    found = writes_of({0: program((0, 6, 4, 5))}, ARCH)
    (group,) = found.groups
    assert (group.core, group.group, group.bank, group.crossbars, group.nodes) == (0, 0, 0, 2, ("conv",))
    assert (group.events, group.rows, group.cells) == (5, 20, 20 * 3 * SLICES)
    assert crossbars(found) == {(OWN, 0): (5, 10, 10 * 3 * SLICES), (OWN, 1): (5, 10, 10 * 3 * SLICES)}
    assert [one.arrays for one in found.crossbars] == [SLICES, SLICES] and found.size == 2 * SLICES * 8 * 4


def test_crossbars_of_the_bank_gather_what_rivals_write():
    found = writes_of({0: program((0, 8, 4, 1), (1, 0, 8, 2), (2, 0, 1, 1))}, ARCH)
    assert crossbars(found) == {
        (OWN, 1): (3, 4 + 16, (4 * 3 + 16 * 4) * SLICES),
        (OWN, 2): (2, 16, 16 * 2 * SLICES),
        (2, 0): (1, 1, 4 * SLICES),
    }
    worst = found.most_worn
    assert (worst.group, worst.place, worst.name) == (OWN, 1, "core 0, crossbar 1 of the bank")
    assert worst.writes_per_cell == (4 * 3 + 16 * 4) * SLICES / (SLICES * 32)


def test_what_never_runs_and_init_write_nothing_per_sample():
    found = writes_of({0: program((0, 0, 8, 0), (1, 0, 0, 3), init=[(0, 0, 8, 1)])}, ARCH)
    assert found.groups == () and found.crossbars == () and found.most_worn is None and found.size == 0


@pytest.mark.parametrize(("binding", "arrays"), [("crossbars", 2 * SLICES), ("columns", 2)])
def test_a_differential_pair_takes_twice_the_crossbars_and_cells(binding, arrays):
    pair = replace(ARCH, crossbar=replace(ARCH.crossbar, cols=16, weight_binding=binding, differential=True))
    (one,) = writes_of({0: program((2, 0, 8, 1))}, pair).crossbars
    assert (one.rows, one.cells, one.arrays, one.size) == (8, 8 * 4 * SLICES * 2, arrays, arrays * 8 * 16)


@given(st.integers(0, 1 << 32))
def test_it_is_what_a_walk_through_the_program_counts(seed):
    for number, one in Sets(Seeded(seed), cores=1).programs().items():
        walked = Counter()
        at = Sequencer(one.main)
        while not at.at_end:
            if at.at_loop:
                at.enter()
                continue
            instr = one.main.instr(at.pc)
            if WRITES_GROUP[instr.spec.code] and instr.n:
                walked[instr.arg0, "events"] += 1
                walked[instr.arg0, "rows"] += instr.n
                walked[instr.arg0, "cells"] += int(written_cells(one.main, one.groups, TIMED)[at.pc])
            at.next()
        found = writes_of({number: one}, TIMED)
        told = {(g.group, key): getattr(g, key) for g in found.groups for key in ("events", "rows", "cells")}
        assert told == dict(walked)
        assert sum(one.cells for one in found.crossbars) == found.total("cells")
