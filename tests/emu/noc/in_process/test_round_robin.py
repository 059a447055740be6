"""The in-process scheduler: results do not depend on the flow, deadlocks and traps are exact."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_sets import DEADLOCKS, RENDEZVOUS_ONLY, SLOT, ordered_messages
from stepper import Stepper, program

from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, ChipTrapped, OutOfTime, RoundRobin
from emu.noc.memory.global_memory import GlobalMemory
from emu.noc.ports.port import FlowControl

FLOWS = ["rendezvous", "credits:1", "credits:8"]


def chip(programs, flow="rendezvous", size=4096, fabric=None):
    memory = GlobalMemory(size)
    machines = {core: Stepper(code) for core, code in programs.items()}
    return RoundRobin(machines, programs, fabric or Fabric(FlowControl.parse(flow), lambda sample: memory)), memory


@st.composite
def message_sets(draw):
    cores = draw(st.integers(2, 5))
    pair = st.permutations(range(cores)).map(lambda order: order[:2])
    messages = draw(st.lists(st.tuples(pair, st.integers(0, SLOT - 3)), max_size=30))
    return cores, [(src, dst, size) for (src, dst), size in messages]


@given(message_sets())
def test_results_do_not_depend_on_the_flow(messages):
    cores, order = messages
    results = set()
    for flow in FLOWS:
        scheduler, memory = chip(ordered_messages(cores, order), flow)
        for sample in range(2):
            scheduler.run("main", sample)
        results.add(memory.collect([(0, 4 * SLOT * cores)])[0])
        assert memory.unwritten([(0, 4 * SLOT * cores)]) == []
    assert len(results) == 1


def test_messages_carry_their_data_in_order():
    scheduler, memory = chip(
        {
            0: program(0, *[step for k in range(5) for step in (("lldi", 0, k, 4), ("send", 1, 0, 4))]),
            1: program(1, *[("recv", 0, 4 * k, 4) for k in range(5)], ("st", 0, 0, 20)),
        },
        "credits:8",
    )
    scheduler.run("main", 0)
    assert memory.collect([(0, 20)])[0] == b"".join(bytes([k] * 4) for k in range(5))


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("name", DEADLOCKS)
def test_deadlocks_are_named(name, flow):
    programs, edges, halted = DEADLOCKS[name]
    scheduler, _ = chip(programs, flow)
    if flow != "rendezvous" and name in RENDEZVOUS_ONLY:
        scheduler.run("main", 0)
        return
    with pytest.raises(ChipDeadlocked) as error:
        scheduler.run("main", 0)
    report = error.value.report
    assert [edge.edge for edge in report.edges] == edges and report.halted == halted
    assert report.cycle == (name.startswith(("recv cycle", "send cycle")) or "too rarely" in name)


@pytest.mark.parametrize("flow", FLOWS)
def test_both_ends_trap_on_a_size_mismatch(flow):
    programs = {
        0: program(0, ("lldi", 0, 7, 8), ("send", 1, 0, 8), ("send", 1, 0, 8)),
        1: program(1, ("nop",), ("recv", 0, 0, 4)),
    }
    scheduler, _ = chip(programs, flow)
    with pytest.raises(ChipTrapped, match="8 bytes meets a receive of 4 bytes") as error:
        scheduler.run("main", 0)
    traps = {record.core: (record.instruction, record.value, record.limit) for record in error.value.records}
    assert traps[1] == ("recv", 8, 4)
    assert flow != "rendezvous" or traps[0] == ("send", 8, 4)  # with credits it has gone on


def test_a_message_that_was_left_over_traps_in_the_next_sample():
    scheduler, _ = chip(
        {0: program(0, ("lldi", 0, 7, 8), ("send", 1, 0, 8), ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 8))},
        "credits:8",
    )
    scheduler.run("main", 0)
    with pytest.raises(ChipTrapped, match="message of sample 0 meets a receive of sample 1"):
        scheduler.run("main", 1)


def test_loads_of_undefined_global_memory_trap():
    scheduler, memory = chip({0: program(0, ("ld", 0, 8, 4))})
    memory.write(0, bytes(10))
    with pytest.raises(ChipTrapped, match="never written") as error:
        scheduler.run("main", 0)
    assert error.value.records[0].value == 10


def test_every_sample_begins_with_the_events_that_init_left():
    waits = [("wait", 1, 1), ("wait", 1, 2)]
    scheduler, _ = chip({0: program(0, *waits), 1: program(1, ("sync", 0, 1), init=(("sync", 0, 1), ("sync", 0, 1)))})
    scheduler.run("init", -1)
    for sample in range(3):
        scheduler.run("main", sample)
    fabric = Fabric(FlowControl(), lambda sample: GlobalMemory(4096))
    programs = {0: program(0, ("wait", 1, 1)), 1: program(1, ("sync", 0, 1), ("sync", 0, 1))}
    scheduler, _ = chip(programs, fabric=fabric)
    scheduler.run("main", 0)
    assert not fabric.events[0].wait(1, 1, 1)  # what a sample leaves over is gone


def test_a_sample_in_which_one_core_traps_goes_on_until_all_that_will_have_trapped():
    misfit = {0: program(0, ("lldi", 0, 1, 8), ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 4))}
    late = program(2, *[("lldi", 0, 1, 4)] * 50, ("ld", 0, 999, 4))
    with pytest.raises(ChipTrapped) as error:
        chip({**misfit, 2: late})[0].run("main", 0)
    assert {record.core for record in error.value.records} == {0, 1, 2}


def test_the_deadline_is_kept():
    steps = [("lldi", 0, 1, 4)] * 2000
    scheduler, _ = chip({0: program(0, *steps)})
    with pytest.raises(OutOfTime):
        scheduler.run("main", 0, time.monotonic() - 1)
