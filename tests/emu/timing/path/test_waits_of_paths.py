"""The critical path goes from core to core through the events and credits that were waited for, and only these."""

import pytest
from timed_programs import network, setup

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.timing.fast.fast import fast
from emu.timing.path.path import critical_path, traced, works
from emu.timing.path.slack import instruction_slack

COSTS = {"vvadd": {"compute": 10}}  # ps
SYNC, WAIT, TWICE = (
    ("sync", {"core": 1, "event": 0}),
    ("wait", {"event": 0, "value": 1}),
    ("wait", {"event": 0, "value": 2}),
)
SEND, RECV = ("send", {"core": 1, "size": 8}), ("recv", {"core": 0, "size": 8})


def section(steps):
    build = SectionBuilder()
    for step in steps:
        if step == "add":
            build.emit("vvadd", (DType.i8,), (Address(0), Address(0), Address(0)), n=1)
        else:
            build.emit(step[0], (), [Address(0)] * (step[0] in ("send", "recv")), **step[1])
    return build.finish()


def timed(mains, inits=(), **changes):
    programs = {
        core: Program(core, main=section(main), init=section(inits[core] if core < len(inits) else ()))
        for core, main in enumerate(mains)
    }
    return setup(programs, COSTS, network(hop=0, flit=0), **changes)


def adds(found):
    """The additions on the path, by core and instruction."""
    return {(core, index) for core, (index, working), _ in works(critical_path(found)) if working}


@pytest.mark.parametrize(
    ("mains", "inits", "latency", "on_path"),
    [
        ([["add", SYNC], [WAIT, "add"]], (), 20, [(0, 0), (1, 1)]),
        ([["add", SYNC], ["add", "add", WAIT, "add"]], (), 30, [(1, 0), (1, 1), (1, 3)]),
        ([["add", SYNC], [TWICE, "add"], ["add", "add", SYNC]], (), 30, [(2, 0), (2, 1), (1, 1)]),
        ([["add"], [WAIT, "add", "add"]], [[SYNC]], 20, [(1, 1), (1, 2)]),
        ([["add", SYNC], [TWICE, "add"]], [[SYNC]], 20, [(0, 0), (1, 1)]),
        ([["add", SYNC], [("wait", {"event": 1, "value": 0}), "add", "add"]], (), 20, [(1, 1), (1, 2)]),
    ],
)
def test_the_last_sync_that_a_wait_needs_is_on_the_path(mains, inits, latency, on_path):
    found = traced(timed(mains, inits))
    assert found.timing.latency == latency and adds(found) == set(on_path)
    slack = instruction_slack(found)
    assert all(slack[core][index] == 0 for core, index in on_path)


def test_what_is_waited_for_in_vain_has_slack():
    """A sync that comes 10 ps before the wait does may come 10 ps later."""
    found = traced(timed([["add", SYNC], ["add", "add", WAIT, "add"]]))
    assert instruction_slack(found)[0].tolist() == [10, 10]


def test_a_credit_that_comes_late_is_on_the_path():
    """With one credit, the second send waits for what the receiver did before it took the first message."""
    known = timed([[SEND, SEND, "add"], ["add", "add", RECV, RECV]], credits=FlowControl.parse("credits:1").credits)
    found = traced(known)
    assert found.timing.latency == fast(known).latency
    assert adds(found) == {(1, 0), (1, 1), (0, 2)}
