"""Array groups that share the crossbars of a bank: what a write destroys, what traps, and what `check` says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch, Core, Crossbar
from emu.check import check_programs
from emu.core.engines.core import Core as RunningCore
from emu.core.progress import Progress
from emu.core.trap import CoreTrap
from emu.image.groups import map_groups
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import NOT_WRITTEN, GroupSpec, physical_crossbars, rivals
from emu.program.program import Data, Program

ARCH = Arch(core=Core(local_memory=1024, crossbars=4), crossbar=Crossbar(4, 16))
I8, I32 = DType.i8, DType.i32
SAMPLES = 4
VALUES = np.random.default_rng(5).integers(-9, 9, (8, 16), np.int8)


def group(bank, rows=2, tiles=1):
    """A group of 16 columns at crossbar `bank` of the bank."""
    return GroupSpec(I8, I8, I32, (rows,) * tiles, (16,), bank=bank)


GROUPS = (group(0), group(0), group(0, 2, 2), group(1), group(2))


def write(build, number, row, rows):
    build.emit("xbwrite", (I8,), (Address(16 * (number + row)),), group=number, row=row, rows=rows)


def multiply(build, number, *terms):
    build.emit("mvmul", (I8, I32), (Address(256, terms), Address(128)), group=number)


def program(build, init=None, groups=GROUPS):
    init = init or SectionBuilder()
    data = Data(0, VALUES.tobytes()), Data(128, bytes([1, 2, 3, 4])), Data(256, bytes(512))
    return Program(0, groups, data, init=init.finish(), main=build.finish())


def run(made, engine, samples=SAMPLES):
    """The outputs of each sample, and the record of the trap that ended them or None."""
    core = RunningCore(made, ARCH, map_groups(None, made.groups, "test"), engine)
    outputs = []
    try:
        for section, sample in (("init", 0), *(("main", number) for number in range(samples))):
            core.begin(section, sample)
            while core.advance() is not Progress.HALTED:
                pass
            outputs.append(core.memory.data[256:768].tobytes())
    except CoreTrap as trap:
        return outputs, trap.record
    return outputs, None


def both(made):
    """What both engines do, which is what `check` says."""
    stepped, batched = run(made, "step"), run(made, "batch")
    assert stepped == batched
    outputs, trap = stepped
    verdict = check_programs({0: made}, ARCH).of("weights").result
    if trap is None:
        assert verdict.outcome.value == "proved"
    else:
        where = verdict.finding.place
        assert (where.section, where.index, where.counters, where.sample) == (
            trap.section, trap.index, trap.counters, trap.sample
        )  # fmt: skip
        assert (trap.reason, trap.operand, trap.value) == (NOT_WRITTEN, "group", verdict.finding.value)
    return outputs, trap


def test_groups_of_a_bank_exclude_each_other_where_their_crossbars_overlap():
    assert rivals(GROUPS) == [(1, 2), (0, 2), (0, 1, 3), (2,), ()]
    assert physical_crossbars(GROUPS, ARCH) == 3
    own = GroupSpec(I8, I8, I32, (2,), (16,))
    assert rivals((own, own, group(0))) == [(), (), ()]
    assert physical_crossbars((own, own, group(1)), ARCH) == 4


def test_a_product_multiplies_with_what_was_written_last():
    build = SectionBuilder()
    for number in (0, 1, 0):
        write(build, number, 0, 2)
        multiply(build, number)
    outputs, trap = both(program(build))
    assert trap is None
    made = np.frombuffer(outputs[-1], np.int32)[:16]
    assert made.tolist() == (np.array([1, 2]) @ VALUES[:2].astype(np.int32)).tolist()


@pytest.mark.parametrize(("rows", "number"), [(1, 0), (2, 1)])
def test_a_product_with_a_group_that_is_not_whole_traps(rows, number):
    build = SectionBuilder()
    write(build, 1, 0, 2)
    write(build, 0, 0, rows)
    multiply(build, number)
    _, trap = both(program(build))
    assert trap is not None and (trap.index, trap.value) == (2, number)


def test_at_the_begin_of_a_sample_the_bank_holds_the_end_of_the_one_before():
    init, build = SectionBuilder(), SectionBuilder()
    write(init, 0, 0, 2)
    multiply(build, 0)
    write(build, 1, 0, 2)
    outputs, trap = both(program(build, init))
    assert trap is not None and trap.sample == 1 and len(outputs) == 2


def test_a_loop_meets_what_its_last_iteration_left():
    build = SectionBuilder()
    write(build, 0, 0, 2)
    with build.loop(3) as loop:
        multiply(build, 0, Term(loop, 64))
        write(build, 2, 0, 4)
    _, trap = both(program(build))
    assert trap is not None and trap.counters == (1,)


def test_a_nest_of_products_runs_as_a_plan_only_with_its_weights():
    build = SectionBuilder()
    write(build, 0, 0, 2)
    with build.loop(3) as outer:
        write(build, 0, 0, 1)
        with build.loop(4) as loop:
            multiply(build, 0, Term(loop, 64))
        with build.loop(2):
            multiply(build, 3 if outer else 0)
    assert both(program(build))[1] is None


def test_no_row_at_all_destroys_nothing():
    build = SectionBuilder()
    write(build, 0, 0, 2)
    write(build, 1, 1, 0)
    multiply(build, 0)
    assert both(program(build))[1] is None


ITEMS = st.deferred(
    lambda: st.lists(
        st.one_of(
            st.tuples(st.just("write"), st.integers(0, 4), st.integers(0, 1), st.integers(0, 3)),
            st.tuples(st.just("whole"), st.integers(0, 4)),
            st.tuples(st.just("multiply"), st.integers(0, 4)),
            st.tuples(st.just("loop"), st.integers(0, 3), ITEMS),
        ),
        max_size=4,
    )
)


def emit(build, items):
    for kind, number, *rest in items:
        if kind == "loop":
            with build.loop(number):
                emit(build, rest[0])
        elif kind == "multiply":
            multiply(build, number)
        elif kind == "whole":
            write(build, number, 0, GROUPS[number].rows)
        else:
            row = rest[0]
            write(build, number, row, min(rest[1], GROUPS[number].rows - row))


@given(ITEMS, ITEMS)
def test_engines_and_check_agree_on_any_program(before, items):
    init, build = SectionBuilder(), SectionBuilder()
    emit(init, before)
    emit(build, items)
    both(program(build, init))
