"""Loops that no one unrolls: rings, scratch, streams, huge trips; registers; and what cannot be known."""

from contextlib import ExitStack

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH as WILD
from strategies_programs import programs as wild_programs

from emu.arch import Arch, Core
from emu.check import Outcome, check_programs
from emu.check.written_before import AccessedIntervals, written_before
from emu.intervals import EMPTY, Spans, merge
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Data, Program, Source

ARCH = Arch(name="test", core=Core(local_memory=1 << 20))
F32 = (DType.f32,)


def one(build, **rest):
    """The report of a single core."""
    return check_programs({0: Program(0, main=build.finish(), **rest)}, ARCH)


def builder():
    build = SectionBuilder()
    build.source = 0
    return build


def ring(build, rows, prologue):
    """Rows of a ring are filled one ahead of the one that is read with its two predecessors."""
    for row in range(prologue):
        build.emit("lldi", (), (Address(64 * row),), byte=0, size=64)
    with build.loop(rows) as y:
        build.emit("lldi", (), (Address(0, (Term(y, 64, 2, 3),)),), byte=0, size=64)
        with build.loop(16) as x:
            for back in range(3):
                build.emit(
                    "vrelu", F32, (Address(4096 + 4 * back), Address(0, (Term(y, 64, back, 3), Term(x, 4)))), n=1
                )


@pytest.mark.parametrize("rows", [5, 1 << 30])
def test_a_ring_of_rows(rows):
    build = builder()
    ring(build, rows, 2)
    assert one(build).proved
    build = builder()
    ring(build, rows, 1)
    finding = one(build, sources=(Source("conv"),)).of("bytes").result.finding
    assert (finding.place.index, finding.place.counters, finding.place.node) == (5, (0, 0), "conv")
    assert (finding.operand, finding.value) == ("src", 64)


def test_scratch_that_each_iteration_writes_anew():
    build = builder()
    with build.loop(1 << 30):
        build.emit("lldi", (), (Address(0),), byte=0, size=16)
        build.emit("vvadd", F32, (Address(64), Address(0), Address(0)), n=4)
        build.emit("vvadd", F32, (Address(128), Address(64), Address(0)), n=4)
    assert one(build).proved


def test_streams_that_move_on():
    for gap, outcome in ((0, Outcome.PROVED), (4, Outcome.REFUTED)):
        build = builder()
        with build.loop(100) as y, build.loop(100) as x:
            terms = (Term(y, 6400), Term(x, 64))
            build.emit("lldi", (), (Address(gap, terms),), byte=0, size=64 - gap)
            build.emit("lmv", (), (Address(700_000, (Term(x, 64),)), Address(0, terms)), size=64)
        assert one(build).of("bytes").outcome is outcome


def test_gaps_of_strided_operands_count():
    build = builder()
    build.emit("lldi", (), (Address(0),), byte=0, size=4)
    build.emit("vmv", F32, (Address(8, (), -1, 2), Address(0, (), -1, 0)), n=5)
    build.emit("vmv", F32, (Address(64), Address(8, (), -1, 2)), n=5)
    assert one(build).proved
    build.emit("vmv", F32, (Address(128), Address(8)), n=9)
    assert one(build).of("bytes").result.finding.value == 12


def test_bounds_in_huge_loops_are_exact():
    for trips, outcome in ((1 << 14, Outcome.PROVED), ((1 << 14) + 1, Outcome.REFUTED)):
        build = builder()
        with build.loop(1 << 20), build.loop(trips) as x:
            build.emit("lldi", (), (Address(0, (Term(x, 64),)),), byte=0, size=64)
        bounds = one(build).of("bounds")
        assert bounds.outcome is outcome
    finding = bounds.result.finding
    assert finding.place.counters == (0, 1 << 14) and (finding.value, finding.limit) == (1 << 20, 1 << 20)


def test_terms_of_one_counter_that_cancel():
    build = builder()
    with build.loop(1 << 16) as x:
        build.emit("lldi", (), (Address(0, (Term(x, 64), Term(x, -64))),), byte=0, size=64)
    assert one(build).proved


def test_registers():
    build = builder()
    build.emit("sldi", rd=1, imm=1 << 19)
    with build.loop(8):
        build.emit("lldi", (), (Address(0, (), 1),), byte=0, size=1 << 16)
        build.emit("saddi", rd=1, rs1=1, imm=1 << 16)
    assert one(build).proved
    build.emit("lldi", (), (Address(0, (), 1),), byte=0, size=1)
    finding = one(build).of("bounds").result.finding
    assert (finding.place.index, finding.value) == (4, 1 << 20)
    build = builder()
    build.emit("lldi", (), (Address(0, (), 2),), byte=0, size=1)
    build.emit("sldi", rd=2, imm=4)
    registers = one(build).of("registers")
    assert registers.outcome is Outcome.REFUTED and "main[0] lldi" in registers.detail and "r2" in registers.detail


def test_addresses_from_global_memory_are_not_known():
    build = builder()
    build.emit("sld", (), (Address(0),), rd=1)
    build.emit("lldi", (), (Address(0, (), 1),), byte=0, size=8)
    build.emit("lmv", (), (Address(64), Address(0)), size=8)
    report = one(build)
    for key in ("bounds", "bytes"):
        assert report.of(key).outcome is Outcome.UNPROVED
        assert "global memory" in report.of(key).detail and "main[1] lldi" in report.of(key).detail


def test_main_begins_with_data_init_and_state():
    def program(**rest):
        build = builder()
        build.emit("lmv", (), (Address(100), Address(0)), size=24)
        return check_programs({0: Program(0, main=build.finish(), **rest)}, ARCH).of("bytes").outcome

    init = builder()
    init.emit("lldi", (), (Address(8),), byte=0, size=8)
    parts = {"data": (Data(0, bytes(8)),), "init": init.finish(), "state": ((16, 8),)}
    assert program(**parts) is Outcome.PROVED
    for left_out in parts:
        assert program(**{name: part for name, part in parts.items() if name != left_out}) is Outcome.REFUTED


def test_endless_programs_are_given_up_at_once():
    """What would be listed is bounded, whatever the programs say."""
    build, stack = builder(), ExitStack()
    with stack:
        for _ in range(40):
            stack.enter_context(build.loop((1 << 31) - 1))
        build.emit("lldi", (), (Address(0, tuple(Term(k, 1 << 20) for k in range(20))),), byte=0, size=8)
    assert {v.key for v in one(build).verdicts if v.outcome is not Outcome.UNPROVED} == {"weights"}  # it has none
    build = builder()
    with build.loop(1 << 30):
        build.emit("sync", core=1, event=0)
    report = check_programs({0: Program(0, main=build.finish()), 1: Program(1)}, ARCH)
    assert {v.key for v in report.unproved} == {"messages", "races", "rendezvous", "credits"}
    assert "more than 4000000 messages of one core" in report.unproved[0].detail
    build = builder()
    for base in range(50):  # strided by more than memory can be listed
        with build.loop(1 << 15) as x, build.loop(1 << 15) as y:
            build.emit("lldi", (), (Address(base, (Term(x, 1 << 20), Term(y, -3), Term(y, 5))),), byte=0, size=1)
    assert one(build).of("bounds").outcome is not Outcome.PROVED
    build = builder()
    build.emit("vmv", F32, (Address(0, (), -1, 3), Address(0, (), -1, 2)), n=1 << 38)
    report = one(build)
    assert report.of("bounds").outcome is Outcome.REFUTED and report.of("bytes").outcome is not Outcome.PROVED


@given(wild_programs())
@settings(max_examples=examples(30, 100))
def test_every_valid_program_has_verdicts(program):
    report = check_programs({program.core: program}, WILD)
    assert len(report.verdicts) == 10
    assert all(verdict.outcome is Outcome.PROVED or verdict.detail for verdict in report.verdicts)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(0, 20)), max_size=12),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12), st.integers(0, 20)), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 6)), max_size=3),
)
def test_written_before_is_byte_by_byte(writes, reads, before):
    known = (
        merge(*(np.array(part, np.int64) for part in zip(*((b, b + n) for b, n in before), strict=True)))
        if before
        else EMPTY
    )
    found = written_before(known, accessed(writes), accessed(reads))
    for ok, (begin, size, time) in zip(found.tolist(), reads, strict=True):
        defined = {byte for b, n in before for byte in range(b, b + n)}
        defined |= {byte for b, n, t in writes if t < time for byte in range(b, b + n)}
        assert ok == (set(range(begin, begin + size)) <= defined)
    assert isinstance(known, Spans)


def accessed(entries):
    columns = np.array(entries, np.int64).reshape(-1, 3)
    return AccessedIntervals(columns[:, 0], columns[:, 0] + columns[:, 1], columns[:, 2], np.arange(len(columns)))
