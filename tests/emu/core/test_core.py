"""The interface of a core: sections, samples, requests, captures, traps, definedness, registers."""

import numpy as np
import pytest
from core_runs import Trace, run_section
from tensors import image_buffer

from emu.arch import Arch, GlobalMemory
from emu.arch import Core as CoreSpec
from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.request import Capture, Load, Recv, Send, Store, Sync, Wait
from emu.core.trap import CoreTrap
from emu.isa.address import Address as A
from emu.isa.address import Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Data, Program, Source

ARCH = Arch(core=CoreSpec(local_memory=1024, registers=4, events=2), global_memory=GlobalMemory(4096))
F = (DType.f32,)


@pytest.fixture(params=["step", "batch", "fast"])
def make(request):
    """Builds a core from a function that writes `main`."""

    def build(write, init=None, keep=(), weights=(), **fields):
        main, first = SectionBuilder(), SectionBuilder()
        main.source = 0
        write(main)
        if init:
            init(first)
        program = Program(7, main=main.finish(), init=first.finish(), sources=(Source("conv1"),), **fields)
        return Core(program, ARCH, weights, request.param, keep)

    return build


def sample(core, number=0):
    """Run one sample; its requests, with the scripted answers."""
    trace = Trace()
    core.begin("main", number)
    run_section(core, trace)
    return [request[1:] for request in trace.requests]


def next_request(core):
    while (result := core.advance()) is Progress.RUNNING:
        pass
    return result


def trap_of(core, number=0):
    with pytest.raises(CoreTrap) as trap:
        sample(core, number)
    return trap.value.record


def test_requests_in_a_loop_carry_views(make):
    def write(b):
        with b.loop(2):
            b.emit("recv", (), (A(0, (Term(0, 16),)),), core=1, size=16)
            b.emit("send", (), (A(0, (Term(0, 16),)),), core=2, size=16)
        b.emit("st", (), (A(100), A(0)), size=32)
        b.emit("ld", (), (A(64), A(200)), size=8)
        b.emit("sync", (), (), core=3, event=1)
        b.emit("wait", (), (), event=1, value=2)
        b.emit("halt")

    core = make(write)
    core.begin("main", 5)
    received = bytes(range(16))
    for turn in range(2):
        request = next_request(core)
        assert isinstance(request, Recv) and request.peer == 1
        assert core.position() == ("main", 1, (turn,), 5) and core.instruction_text() == "recv"
        request.into[:] = received
        core.complete(request)
        request = next_request(core)
        assert isinstance(request, Send) and request.peer == 2 and bytes(request.data) == received
        core.complete(request)
    request = next_request(core)
    assert isinstance(request, Store) and request.address == 100 and bytes(request.data) == received * 2
    core.complete(request)
    request = next_request(core)
    assert isinstance(request, Load) and request.address == 200 and len(request.into) == 8
    core.complete(request)
    request = next_request(core)
    assert request == Sync(3, 1)
    core.complete(request)
    request = next_request(core)
    assert request == Wait(1, 2)
    core.complete(request)
    assert next_request(core) is Progress.HALTED and core.advance() is Progress.HALTED


@pytest.mark.parametrize(
    ("engine", "told"),
    [("step", [[0, 2, 2, 2, 4], [5, 4], [5, 6]]), ("batch", [[0, 1], [5], [5]]), ("fast", [[0, 1], [5], [5]])],
)
def test_a_watched_core_tells_what_is_about_to_run(engine, told):
    main = SectionBuilder()
    main.emit("lldi", (), (A(0),), byte=1, size=64)
    with main.loop(3):
        main.emit("vvadd", F, (A(64, (Term(0, 4),)), A(0, (Term(0, 4),)), A(32)), n=1)
    with main.loop(2):
        main.emit("sync", (), (), core=3, event=1)
        main.emit("vrelu", F, (A(0), A(4)), n=1)
    main.emit("halt")
    core, found = Core(Program(7, main=main.finish()), ARCH, (), engine), []
    core.watch(found.append)
    core.begin("main", 0)
    for expected, index in zip(told, (4, 4, 7), strict=True):
        request = next_request(core)
        assert (core.index, found) == (index, expected)
        found.clear()
        if request is not Progress.HALTED:
            core.complete(request)
    assert core.program.core == 7


def test_misuse_of_requests_is_refused(make):
    core = make(lambda b: b.emit("sync", (), (), core=3, event=1))
    core.begin("main", 0)
    request = next_request(core)
    with pytest.raises(RuntimeError, match="still open"):
        core.advance()
    with pytest.raises(RuntimeError, match="not the open request"):
        core.complete(Sync(3, 1))
    core.complete(request)


def test_registers_address_and_are_cleared(make):
    def write(b):
        b.emit("saddi", (), (), rd=1, rs1=1, imm=12)
        b.emit("smuli", (), (), rd=2, rs1=1, imm=-(1 << 30))
        b.emit("sld", (), (A(40),), rd=3)
        b.emit("lldi", (), (A(0, reg=1),), byte=9, size=4)
        with b.loop(2):
            b.emit("saddi", (), (), rd=1, rs1=1, imm=4)
            b.emit("lldi", (), (A(0, reg=1),), byte=5, size=4)

    core = make(write)
    for number in range(2):
        assert sample(core, number) == [("load", 40, 4)]
        assert core.registers == [0, 20, 0, 0]  # 12 * -2^30 wraps to a multiple of 2^32
        assert bytes(core.memory.data[12:24]) == bytes([9] * 4 + [5] * 8)
        assert np.flatnonzero(core.memory.defined).tolist() == list(range(12, 24))


def test_definedness_of_samples(make):
    def write(b):
        b.emit("lmv", (), (A(100), A(0)), size=12)  # data, init, state
        b.emit("lldi", (), (A(8),), byte=7, size=4)
        b.emit("lmv", (), (A(20), A(100)), size=12)

    def init(b):
        b.emit("lldi", (), (A(4),), byte=2, size=4)

    core = make(write, init, data=(Data(0, b"\1" * 4),), state=((8, 4),))
    core.begin("init", 0)
    run_section(core, Trace())
    for number, state in enumerate((0, 7, 7)):
        sample(core, number)
        assert bytes(core.memory.data[20:32]) == bytes([1] * 4 + [2] * 4 + [state] * 4)


def test_bytes_of_the_last_sample_are_undefined(make):
    def write(b):
        b.emit("wait", (), (), event=0, value=0)
        b.emit("lldi", (), (A(0),), byte=7, size=8)
        b.emit("sld", (), (A(0),), rd=0)
        b.emit("lmv", (), (A(500), A(0, reg=0)), size=4)

    core = make(write)
    for number, value in enumerate((0, 4, 8)):
        core.begin("main", number)
        request = next_request(core)
        core.complete(request)
        request = next_request(core)
        request.into[:] = value.to_bytes(4, "little")
        core.complete(request)
        if value < 8:
            assert next_request(core) is Progress.HALTED
        else:
            with pytest.raises(CoreTrap) as trap:
                next_request(core)
            assert (trap.value.record.reason, trap.value.record.value) == ("undefined read", 8)


@pytest.mark.parametrize("complete", [0, 1, 3, 5])
def test_captures(make, complete):
    def write(b):
        b.emit("lldi", (), (A(0),), byte=1, size=8)
        with b.loop(0):
            b.emit("nop")
        with b.loop(3):
            b.emit("vsadd", (DType.u8,), (A(0), A(0)), n=8, imm=1)
        b.emit("lldi", (), (A(0),), byte=9, size=4)

    buffers = [image_buffer("x", (0, 2), 2, 2, DType.i8, 0, at) for at in (5, complete, complete)]
    core = make(write, keep=(2, 1, 0), buffers=tuple(buffers), data=(Data(0, bytes(8)),))
    early = bytes([{0: 0, 1: 1, 3: 1, 5: 4}[complete]] * 8)
    final = bytes([4] * 8)
    if complete == 5:
        expected = [("capture", k, final) for k in (0, 1, 2)]
    else:
        expected = [("capture", 1, early), ("capture", 2, early), ("capture", 0, final)]
    assert sample(core) == expected
    assert sample(core, 1)[-1] == expected[-1]
    core.begin("main", 2)
    assert isinstance(next_request(core), Capture)


TRAPS = {
    "above": (lambda b: b.emit("lldi", (), (A(1020),), byte=0, size=8), "address out of range", "dst", 1024, 1024),
    "below": (lambda b: b.emit("vrelu", F, (A(-4), A(0)), n=1), "address out of range", "dst", -4, 0),
    "global": (lambda b: b.emit("ld", (), (A(0), A(4090)), size=8), "address out of range", "src", 4096, 4096),
    "undefined": (lambda b: b.emit("vmv", F, (A(0), A(96, stride=2)), n=4), "undefined read", "src", 104, None),
    "unsent": (lambda b: b.emit("send", (), (A(90),), core=1, size=64), "undefined read", "src", 100, None),
    "overlap": (
        lambda b: b.emit("vrelu", F, (A(4), A(0)), n=2),
        "partial overlap of source and destination",
        "src",
        0,
        4,
    ),
    "group": (lambda b: b.emit("mvmul", F * 2, (A(0), A(64)), group=2), "unknown group", "group", 2, 1),
    "division": (lambda b: b.emit("vsdiv", (DType.i8,), (A(0), A(8)), n=2, imm=0), "division of an integer by zero"),
}


@pytest.mark.parametrize("case", TRAPS)
def test_trap_records(make, case):
    write, reason, *rest = TRAPS[case]

    def main(b):
        with b.loop(2):
            b.emit("nop")
        with b.loop(3):
            write(b)

    spec = GroupSpec(DType.f32, DType.f32, DType.f32, (4,), (4,))
    core = make(main, data=(Data(0, bytes(100)),), groups=(spec,), weights=[np.zeros((4, 16), np.float32)])
    record = trap_of(core, 3)
    assert (record.core, record.section, record.index, record.sample, record.node) == (7, "main", 3, 3, "conv1")
    assert record.counters == (0,) and record.reason == reason
    if rest:
        assert [record.operand, record.value, record.limit] == rest


def test_traps_write_addresses_as_programs_do_and_other_numbers_as_numbers(make):
    said = {"above": "dst, address 0x0400, limit 0x0400", "below": "dst, address -0x0004, limit 0x0000"}
    said |= {"undefined": "src, address 0x0068", "group": "group, value 2, limit 1"}
    spec = GroupSpec(DType.f32, DType.f32, DType.f32, (4,), (4,))
    for case, text in said.items():
        options = {"groups": (spec,), "weights": [np.zeros((4, 16), np.float32)], "data": (Data(0, bytes(100)),)}
        assert str(trap_of(make(TRAPS[case][0], **options))).endswith(f", operand {text}")


def test_trap_in_the_middle_of_a_loop_leaves_earlier_iterations(make):
    def write(b):
        with b.loop(4):
            b.emit("lldi", (), (A(200, (Term(0, 1),)),), byte=3, size=1)
            b.emit("vvdiv", (DType.i8,), (A(100, (Term(0, 1),)), A(50), A(0, (Term(0, 1),))), n=1)

    core = make(write, data=(Data(0, bytes([1, 2, 0, 5])), Data(50, bytes([8]))))
    record = trap_of(core)
    assert (record.index, record.counters, record.instruction) == (2, (2,), "vvdiv.i8")
    assert bytes(core.memory.data[100:104]) == bytes([8, 4, 0, 0])
    assert bytes(core.memory.data[200:204]) == bytes([3, 3, 3, 0])
    assert np.flatnonzero(core.memory.defined[60:]).tolist() == [40, 41, 140, 141, 142]


def test_crossbar_writes_last(make):
    spec = GroupSpec(DType.i8, DType.i8, DType.i32, (2,), (3,))
    image = np.zeros((2, 16), np.int8)
    image[0, :3] = (1, 2, 3)
    image.flags.writeable = False

    def write(b):
        b.emit("mvmul", (DType.i8, DType.i32), (A(100), A(0)), group=0)
        b.emit("xbwrite", (DType.i8,), (A(8),), group=0, row=0, rows=1)

    core = make(write, groups=(spec,), weights=[image], data=(Data(0, bytes([1, 1])), Data(8, bytes([4, 5, 6]))))
    for number, expected in enumerate(([1, 2, 3], [4, 5, 6])):
        sample(core, number)
        assert core.memory.data[100:112].view(np.int32).tolist() == expected
    assert image[0, :3].tolist() == [1, 2, 3]


def test_an_idle_core_allocates_nothing(make):
    core = make(lambda b: b.emit("halt"))
    sample(core)
    assert "data" not in vars(core.memory)


def test_driver_traps_name_the_instruction(make):
    core = make(lambda b: b.emit("recv", (), (A(0),), core=1, size=8))
    core.begin("main", 0)
    next_request(core)
    record = core.trap("size mismatch", value=16, limit=8).record
    assert (record.instruction, record.reason, record.value, record.limit) == ("recv", "size mismatch", 16, 8)
