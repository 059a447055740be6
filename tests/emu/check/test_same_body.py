"""Reads of what the same iteration has written: proved by the operands alone, and only where they say so."""

from contextlib import ExitStack

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch import Arch, Core
from emu.check import Outcome, check_programs, definedness
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Program

ARCH = Arch(name="test", core=Core(local_memory=1 << 20))
F32 = (DType.f32,)
TRIPS = 1 << 14
PIXEL = Term(0, 64)


def report(build):
    return check_programs({0: Program(0, main=build.finish())}, ARCH).of("bytes")


def fill(build, address, size):
    build.emit("lldi", (), (address,), byte=0, size=size)


def relu(build, address, n):
    build.emit("vrelu", F32, (address, address), n=n)


def test_a_pixel_that_is_written_and_then_read(monkeypatch):
    """However many pixels there are: nothing is listed one by one."""
    monkeypatch.setattr(definedness, "LoopReads", None)
    build = SectionBuilder()
    with build.loop(TRIPS):
        fill(build, Address(0, (PIXEL,)), 64)
        relu(build, Address(0, (PIXEL,)), 16)
        relu(build, Address(8, (PIXEL,)), 2)
    assert report(build).outcome is Outcome.PROVED


CASES = {
    "read first": lambda build: (relu(build, Address(0, (PIXEL,)), 16), fill(build, Address(0, (PIXEL,)), 64)),
    "one element more": lambda build: (fill(build, Address(0, (PIXEL,)), 60), relu(build, Address(0, (PIXEL,)), 16)),
    "one byte before": lambda build: (fill(build, Address(1, (PIXEL,)), 63), relu(build, Address(0, (PIXEL,)), 16)),
    "another pace": lambda build: (
        fill(build, Address(0, (Term(0, 32),)), 32),
        relu(build, Address(0, (PIXEL,)), 8),
    ),
    "another ring": lambda build: (
        fill(build, Address(0, (Term(0, 64, 0, 3),)), 64),
        relu(build, Address(0, (Term(0, 64, 1, 3),)), 16),
    ),
    "gaps": lambda build: (
        build.emit("vscatter", F32, (Address(0, (PIXEL,), stride=2), Address(1 << 19)), n=8),
        relu(build, Address(0, (PIXEL,)), 16),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_the_same_is_found(name):
    build = SectionBuilder()
    fill(build, Address(1 << 19), 64)
    with build.loop(4):
        CASES[name](build)
    finding = report(build).result.finding
    assert finding is not None and finding.operand == "src"


OPERATIONS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 3), st.sampled_from([0, 8, 16]), st.integers(1, 4), st.integers(0, 2)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=examples(30, 200))
@given(OPERATIONS, st.integers(1, 3))
def test_the_verdict_is_the_one_of_looking_at_every_access(operations, depth):
    """Writes and reads of few places, at few paces, in loops in each other: many are of the same iteration."""
    build = SectionBuilder()
    with ExitStack() as loops:
        counters = [loops.enter_context(build.loop(trips)) for trips in (3, 2, 4)[:depth]]
        for writes, place, pace, elements, modulus in operations:
            terms = (Term(counters[-1], pace, 1 if modulus else 0, modulus), Term(counters[0], pace))
            address = Address(8 * place, terms)
            if writes:
                fill(build, address, 4 * elements)
            else:
                build.emit("vmv", F32, (Address(1 << 19), address), n=elements)
    program = {0: Program(0, main=build.finish())}
    quick = check_programs(program, ARCH).of("bytes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definedness, "written_in_the_same_body", lambda view, reads, writers: np.zeros(len(reads), bool))
        assert quick == check_programs(program, ARCH).of("bytes")
