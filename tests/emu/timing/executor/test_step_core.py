"""One core by hand: front end, window, units, ports of local memory, operands."""

import pytest
from stepper import program
from timed_programs import setup

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program
from emu.timing.basis.result import Cause
from emu.timing.executor.step import step

I8 = (DType.i8,)


def timed(write, costs, groups=(), **changes):
    """The time of `main` of core 0, that `write` fills."""
    builder = SectionBuilder()
    write(builder)
    return step(setup({0: Program(0, tuple(groups), main=builder.finish())}, costs, **changes)).main


def group():
    return GroupSpec(DType.i8, DType.i8, DType.i32, (4,), (4,))


def add(build, dst, a, b):
    build.emit("vvadd", I8, (Address(dst), Address(a), Address(b)), n=4)


def product(build, dst, src, number=0):
    build.emit("mvmul", (DType.i8, DType.i32), (Address(dst), Address(src)), group=number)


def test_one_after_the_other():
    def write(build):
        with build.loop(5):
            add(build, 0, 10, 20)
        build.emit("halt")

    costs = {"vvadd": {"issue": 3, "read": 4, "compute": 10, "write": 2}, "halt": {"issue": 1}}
    main = timed(write, costs, fill=7)
    assert main.end == 7 + 3 + 5 * 16  # the front end is hidden but for the first
    assert main.busy[0].tolist() == [0, 5 * 16, 0]
    assert main.blocked[0][Cause.WINDOW] == 4 * (16 - 3) + (16 - 1) and main.blocked.sum() == 67
    assert main.executions[0].tolist() == [0, 5, 1]


def test_a_slow_front_end():
    def write(build):
        with build.loop(5):
            add(build, 0, 10, 20)

    assert timed(write, {"vvadd": {"issue": 30, "compute": 10}}).end == 5 * 30 + 10


def test_a_loop_without_iterations_takes_nothing():
    def write(build):
        with build.loop(0):
            add(build, 0, 10, 20)

    assert timed(write, {"vvadd": {"issue": 30, "compute": 10}}).end == 0


def test_different_units_overlap_within_the_window():
    def write(build):
        for k in range(3):
            product(build, 100 + 16 * k, 0)
            add(build, 20, 30, 40)

    costs = {"mvmul": {"compute": 100}, "vvadd": {"compute": 60}}
    assert timed(write, costs, [group()]).end == 3 * 160
    # window 2: the pair overlaps, the next product waits for the last one to leave the window
    assert timed(write, costs, [group()], window=2).end == 3 * 100
    main = timed(write, costs, [group()], window=4)
    assert main.end == 300 and main.busy[0].tolist() == [0, 180, 0, 300]


def test_operations_leave_the_window_in_order():
    def write(build):
        product(build, 100, 0)  # until 100
        add(build, 20, 30, 40)  # until 10, yet it leaves with the product
        product(build, 120, 0, 1)  # from 100

    main = timed(write, {"mvmul": {"compute": 100}, "vvadd": {"compute": 10}}, [group(), group()], window=2)
    assert main.end == 200 and main.blocked[0][Cause.WINDOW] == 100


def test_a_pipelined_group():
    def write(build):
        for k in range(10):
            product(build, 100 + 16 * k, 0)

    costs = {"mvmul": {"read": 5, "compute": 100, "write": 5, "interval": 70}}
    assert timed(write, costs, [group()], window=16, local_ports=0).end == 9 * 75 + 110
    assert timed(write, costs, [group()], window=1).end == 10 * 110
    main = timed(write, costs, [group()], window=16, local_ports=0)
    assert main.busy[0][3] == 10 * 75 and main.blocked[0][Cause.UNIT] == 9 * 75


@pytest.mark.parametrize(
    ("second", "waits"),
    [
        ((50, 0, 60), True),  # reads what is written
        ((50, 3, 60), True),
        ((50, 4, 60), False),  # touching is not overlapping
        ((20, 70, 60), False),
        ((2, 70, 60), True),  # writes what is written
        ((-4, 70, 60), False),
    ],
)
def test_overlapping_operands(second, waits):
    """An addition l[0..3] = l[10..13] + l[10..13] on the vector unit, then a product: its operands decide."""

    reads = second[0] == 50
    name, address = ("send", second[1]) if reads else ("recv", second[0])
    builder = SectionBuilder()
    add(builder, 0, 10, 10)
    builder.emit(name, (), (Address(address),), core=1, size=4)
    other = program(1, ("recv" if reads else "send", 0, 0, 4))
    main = step(setup({0: Program(0, main=builder.finish()), 1: other}, {"vvadd": {"compute": 100}}, window=4)).main
    assert main.blocked[0][Cause.OPERAND] == (100 if waits else 0)


@pytest.mark.parametrize(("destination", "waits"), [(10, True), (12, True), (14, False), (6, False)])
def test_what_is_read_may_be_written_as_soon_as_it_has_been_read(destination, waits):
    def write(build):
        product(build, 100, 10)  # reads 10-13 until 30, computes until 130
        add(build, destination, 50, 50)

    costs = {"mvmul": {"read": 30, "compute": 100}, "vvadd": {"compute": 200}}
    main = timed(write, costs, [group()], window=2)
    assert main.end == (230 if waits else 200) and main.blocked[0][Cause.OPERAND] == (30 if waits else 0)


def test_registers_wait_for_loads():
    def write(build):
        build.emit("sld", (), (Address(0),), rd=1)
        build.emit("sldi", rd=2, imm=5)  # another register
        build.emit("saddi", rd=3, rs1=1, imm=4)
        build.emit("vvadd", I8, (Address(0), Address(8, reg=1), Address(16)), n=4)

    costs = {"sld": {"service": 80}, "sldi": {"compute": 1}, "saddi": {"compute": 1}, "vvadd": {"compute": 7}}
    main = timed(write, costs, window=8)
    # the global memory is one hop away: 10 + 80 + 10, then the sum of the loaded register, and the addition at once
    assert main.end == 107 and main.blocked[0][Cause.OPERAND] == 100


def test_an_unknown_address_overlaps_everything():
    def write(build):
        build.emit("sld", (), (Address(0),), rd=1)
        product(build, 1000, 2000)
        build.emit("vvadd", I8, (Address(0, reg=1), Address(8), Address(16)), n=4)
        build.emit("lldi", (), (Address(3000),), byte=0, size=4)

    costs = {"mvmul": {"compute": 500}, "vvadd": {"compute": 100}, "lldi": {"compute": 1}}
    assert timed(write, costs, [group()], window=8).end == 601


@pytest.mark.parametrize(("ports", "end", "waited"), [(1, 42, 12), (2, 36, 0), (0, 36, 0)])
def test_ports_serve_in_order_of_time(ports, end, waited):
    def write(build):
        product(build, 100, 0)  # reads 0-6, computes until 26, writes 10
        add(build, 200, 210, 220)  # one port: reads 6-12, computes until 22, writes 22-32

    costs = {
        "mvmul": {"read": 6, "compute": 20, "write": 10},
        "vvadd": {"read": 6, "compute": 10, "write": 10},
    }
    main = timed(write, costs, [group()], window=2, local_ports=ports)
    assert main.end == end and main.blocked[0][Cause.PORT] == waited


def test_of_requests_at_the_same_time_the_older_operation_comes_first():
    def write(build):
        product(build, 100, 0)  # computes until 10, writes 10-17
        build.emit("nop")  # until 10
        add(build, 200, 210, 220)  # starts at 10, when the scalar unit leaves the window

    costs = {"mvmul": {"compute": 10, "write": 7}, "nop": {"compute": 10}, "vvadd": {"issue": 10, "read": 5}}
    main = timed(write, costs, [group()], window=3)
    assert main.end == 22 and main.blocked[0][Cause.PORT] == 7
