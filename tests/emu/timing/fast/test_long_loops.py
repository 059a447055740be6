"""Loops and series of samples that nobody could walk: closed forms, and what short ones foretell."""

import pytest
from timed_programs import network, setup
from timed_results import everything

from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.result import Cause
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast

LONG = 10**12
I8 = (DType.i8,)
COSTS = {
    "vvadd": {"issue": 1, "read": 4, "compute": 10, "write": 2},
    "lmv": {"issue": 1, "read": 3, "compute": 0, "write": 3},
    "mvmul": {"issue": 1, "read": 2, "compute": 20, "interval": 5, "write": 1},
}


def core(write):
    """Core 0 with two array groups, whose `main` is written by `write`."""
    builder = SectionBuilder()
    write(builder)
    groups = tuple(GroupSpec(DType.i8, DType.i8, DType.i32, (4,), (4,)) for _ in range(2))
    return {0: Program(0, groups, main=builder.finish())}


def product(build, dst, src, number=0):
    build.emit("mvmul", (DType.i8, DType.i32), (dst, src), group=number)


def main_of(write, window, **changes):
    """`main` by the fast executor, without ports unless `changes` say otherwise."""
    return fast(setup(core(write), COSTS, **{"window": window, "local_ports": 0, **changes})).main


def test_one_at_a_time():
    def write(build):
        with build.loop(LONG), build.loop(3):
            build.emit("vvadd", I8, (Address(0), Address(100), Address(200)), n=4)

    main = main_of(write, 1)
    assert main.end == 1 + 3 * LONG * 16
    assert main.blocked[0][Cause.WINDOW] == (3 * LONG - 1) * 15 and main.blocked.sum() == main.blocked[0][0]
    assert main.executions[0].tolist() == [0, 0, 3 * LONG]


@pytest.mark.parametrize("window", [4, 8, 16])
def test_a_pipelined_group(window):
    """A product each 2 + 5 ps."""

    def write(build):
        with build.loop(LONG):
            product(build, Address(0, (Term(0, 16),)), Address(1 << 50, (Term(0, 4),)))

    main = main_of(write, window)
    assert main.end == 1 + (LONG - 1) * 7 + 23
    assert main.blocked[0][Cause.UNIT] == (LONG - 1) * 6


def test_operands_that_meet_once():
    """The destination overtakes the source half-way: only then does a product wait for the one before it."""

    def write(trips):
        def body(build):
            with build.loop(trips):
                product(build, Address(0, (Term(0, 16),)), Address(4 * trips, (Term(0, 8),)))

        return body

    waits = {trips: main_of(write(trips), 4).blocked[0][Cause.OPERAND] for trips in (1000, 2000, LONG)}
    assert waits[1000] == waits[2000] == waits[LONG] > 0
    short = setup(core(write(1000)), COSTS, window=4, local_ports=0)
    assert everything(fast(short)) == everything(step(short))


@pytest.mark.parametrize("modulus", [3, 50])
def test_a_ring(modulus):
    """Where the ring comes round, the product before has not been read yet."""

    def write(trips):
        def body(build):
            with build.loop(trips):
                product(build, Address(0, (Term(0, 16, 1, modulus),)), Address(1 << 40))
                build.emit("lmv", (), (Address(1 << 41), Address(0, (Term(0, 16, 1, modulus),))), size=16)
                build.emit("lmv", (), (Address(1 << 42), Address(0)), size=4)

        return body

    for ports in (0, 1):
        known = setup(core(write(6 * modulus)), COSTS, window=5, local_ports=ports)
        assert everything(fast(known)) == everything(step(known))
        turns = 1 << 10
        one, two = (main_of(write(factor * turns * modulus), 5, local_ports=ports).end for factor in (1, 2))
        more = main_of(write((2 + 7) * turns * modulus), 5, local_ports=ports).end
        assert more - two == 7 * (two - one)


def test_registers_that_move_are_walked():
    def write(build):
        with build.loop(40):
            product(build, Address(0, (), 1), Address(600))
            build.emit("saddi", rd=1, rs1=1, imm=8)
            build.emit("lmv", (), (Address(700), Address(80)), size=16)

    known = setup(core(write), COSTS, window=6, local_ports=1)
    assert everything(fast(known)) == everything(step(known))


def test_what_never_repeats_is_refused(monkeypatch):
    """A register that the loop sets, so that every iteration may be different."""

    def write(build):
        with build.loop(LONG):
            product(build, Address(0, (), 1), Address(600))
            build.emit("saddi", rd=1, rs1=1, imm=8)

    monkeypatch.setattr("emu.replay.scalars.MAX_SCALARS", 10)
    with pytest.raises(TimingRefused, match="core 0: more than 10 executions of scalar instructions"):
        main_of(write, 4)


def test_more_than_can_be_walked_is_refused(monkeypatch):
    def write(build):
        with build.loop(LONG):
            product(build, Address(0, (Term(0, 8, 0, 5000),)), Address(1 << 40, (Term(0, 8, 0, 7001),)))
            build.emit("lmv", (), (Address(0), Address(1 << 40)), size=4)

    monkeypatch.setattr("emu.timing.fast.effort.MOST", 100)
    with pytest.raises(TimingRefused, match="more than 100 operations of one sample"):
        main_of(write, 4)
    assert main_of(write, 1).end > LONG  # one operation in flight: whatever they share


def test_many_samples_may_be_walked(monkeypatch):
    """Each sample may take as much, and what is in no loop does not count."""
    known = setup(pipeline(), COSTS, window=2)
    expected = everything(fast(known, 40))
    monkeypatch.setattr("emu.timing.fast.effort.MOST", 10)
    monkeypatch.setattr("emu.timing.fast.samples.FEWEST", 1000)  # none is left out
    assert everything(fast(known, 40)) == expected


def pipeline():
    """Three cores in a row: from global memory, through two messages, to global memory."""
    first, second, third = (SectionBuilder() for _ in range(3))
    first.emit("ld", (), (Address(0), Address(0)), size=8)
    first.emit("send", (), (Address(0),), core=1, size=8)
    second.emit("recv", (), (Address(0),), core=0, size=8)
    with second.loop(100):
        second.emit("vvadd", I8, (Address(0), Address(100), Address(200)), n=4)
    second.emit("send", (), (Address(0),), core=2, size=8)
    third.emit("recv", (), (Address(0),), core=1, size=8)
    third.emit("st", (), (Address(0), Address(0)), size=8)
    return {core: Program(core, main=build.finish()) for core, build in enumerate((first, second, third))}


@pytest.mark.parametrize(("credits", "links"), [(0, False), (3, False), (2, True)])
def test_many_samples(credits, links):
    costs = {**COSTS, **{name: {"wire": 6, "service": 9, "read": 2, "write": 2} for name in ("ld", "st", "send")}}
    known = setup(pipeline(), costs, network(contended=links), window=2, credits=credits)
    assert everything(fast(known, 30)) == everything(step(known, 30))
    few, many = fast(known, 30).main, fast(known, 100_000).main
    period = few.ends[:, -1] - few.ends[:, -2]
    assert len(set(period.tolist())) == 1  # that of the slowest core
    assert (many.ends[:, -1] - few.ends[:, -1] == (100_000 - 30) * period).all()
    assert (many.ends[:, :10] == few.ends[:, :10]).all() and (many.ends[:, 1:] > many.ends[:, :-1]).all()
    assert many.executions[1].tolist() == [100_000, 0, 100 * 100_000, 100_000]
    assert many.busy[1].sum() <= many.end * 2
