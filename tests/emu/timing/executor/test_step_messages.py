"""Messages, events and the global memory by hand; every distance is 10 ps per hop, flits come 2 ps apart."""

import pytest
from stepper import program
from timed_programs import network, setup

from emu.timing.basis.result import Cause
from emu.timing.executor.step import step
from emu.timing.network.network import MEDIUM

COSTS = {
    "send": {"compute": 1, "read": 3, "wire": 8},
    "recv": {"compute": 2, "write": 5},
    "ld": {"compute": 1, "write": 3, "wire": 6, "service": 40},
    "st": {"compute": 1, "read": 3, "wire": 6, "service": 40},
    "sync": {"compute": 4},
    "wait": {"compute": 6},
    "lldi": {"compute": 100},
}


def timed(programs, samples=1, **changes):
    return step(setup(programs, COSTS, **changes), samples).main


def blocked(main, core, cause):
    return int(main.blocked[core][cause])


def message(work_before_send=(), work_before_receive=()):
    """Core 0 sends to core 2, two hops away."""
    return {
        0: program(0, *work_before_send, ("send", 2, 0, 16)),
        2: program(2, *work_before_receive, ("recv", 0, 0, 16)),
    }


WORK = (("lldi", 64, 0, 8),)
DISTANCE, TAIL = 20, 8 - 2


def test_rendezvous_with_a_receiver_that_waits():
    main = timed(message())
    asked = 1 + DISTANCE  # the receive is set up at 2
    read = asked + DISTANCE + 3
    end = read + DISTANCE + TAIL + 5
    assert main.ends.tolist() == [[end + DISTANCE], [end]]
    assert blocked(main, 1, Cause.SENDER) == asked - 2 and main.waits == {(2, Cause.SENDER, 0): asked - 2}
    assert blocked(main, 1, Cause.NETWORK) == end - 5 - asked
    assert blocked(main, 0, Cause.NETWORK) == 2 * DISTANCE + (end + DISTANCE - read)


def test_rendezvous_with_a_sender_that_waits():
    main = timed(message(work_before_receive=WORK))
    granted = 100 + 2  # when the receive is set up; the question came before
    read = granted + DISTANCE + 3
    end = read + DISTANCE + TAIL + 5
    assert main.ends.tolist() == [[end + DISTANCE], [end]]
    assert main.waits == {(0, Cause.RECEIVER, 2): granted - (1 + DISTANCE)}


def test_a_credit_lets_the_sender_go_on():
    main = timed(message(work_before_receive=WORK), credits=1)
    left = 1 + 3 + 8
    assert main.ends.tolist() == [[left], [102 + 5]]
    main = timed(message(work_before_send=WORK), credits=1)
    arrived = 100 + 1 + 3 + DISTANCE + TAIL
    assert main.ends.tolist() == [[100 + left], [arrived + 5]]
    assert blocked(main, 1, Cause.SENDER) == 104 - 2 and blocked(main, 1, Cause.NETWORK) == DISTANCE + TAIL


def test_without_a_credit_the_sender_waits():
    programs = {
        0: program(0, *[("send", 1, 0, 16)] * 2),
        1: program(1, *WORK, *[("recv", 0, 0, 16)] * 2),
    }
    main = timed(programs, credits=1)
    returned = 102 + 5 + 10  # the first receive is over, and the sender knows
    left = returned + 3 + 8
    assert main.ends[0, 0] == left and main.ends[1, 0] == returned + 3 + 10 + TAIL + 5
    assert main.waits[0, Cause.RECEIVER, 1] == returned - (12 + 1)
    assert timed(programs, credits=2).ends[0, 0] == 2 * 12


def test_events():
    programs = {0: program(0, *WORK, ("sync", 1, 3), ("sync", 1, 3)), 1: program(1, ("wait", 3, 2))}
    main = timed(programs)
    assert main.ends.tolist() == [[108], [108 + 10]] and blocked(main, 1, Cause.EVENT) == 118 - 6
    programs = {0: program(0, ("sync", 1, 3)), 1: program(1, *WORK, ("wait", 3, 1))}
    assert timed(programs).ends.tolist() == [[4], [106]]


def test_what_init_leaves_is_there_in_every_sample():
    programs = {0: program(0, *WORK, init=(("sync", 1, 0),)), 1: program(1, ("wait", 0, 1))}
    timing = step(setup(programs, COSTS), 3)
    assert timing.init.ends.tolist() == [[4], [0]] and timing.main.begin == 4
    assert timing.main.ends[1].tolist() == [14, 20, 26]  # the event is under way when the first sample begins


def test_global_memory():
    load, store = {0: program(0, ("ld", 0, 0, 8))}, {1: program(1, ("st", 0, 0, 8))}
    assert timed(load).ends.tolist() == [[1 + 10 + 40 + 10 + 4 + 3]]
    assert timed(store).ends.tolist() == [[1 + 3 + 20 + 4 + 40 + 20]]
    assert timed(load).memory == 40


@pytest.mark.parametrize("ports", [0, 1, 2])
def test_ports_of_the_global_memory(ports):
    main = timed({core: program(core, ("ld", 0, 0, 8)) for core in range(3)}, memory_ports=ports)
    alone = [1 + 2 * 10 * (core + 1) + 40 + 4 + 3 for core in range(3)]
    behind = {0: [0, 0, 0], 1: [0, 30, 60], 2: [0, 0, 20]}[ports]
    assert main.ends[:, 0].tolist() == [time + wait for time, wait in zip(alone, behind, strict=True)]
    assert [blocked(main, core, Cause.MEMORY) for core in range(3)] == [40 + wait for wait in behind]


def test_of_equal_times_the_lowest_core_is_served_first():
    main = timed({core: program(core, ("ld", 0, 0, 8)) for core in (3, 1, 2)}, links=network(hop=0))
    alone = 1 + 40 + 4 + 3
    assert dict(zip((3, 1, 2), main.ends[:, 0].tolist(), strict=True)) == {
        1: alone,
        2: alone + 40,
        3: alone + 80,
    }


def crossing(credits=1):
    """Cores 0 and 1 send to core 2 at the same time, over the same last link."""
    programs = {
        0: program(0, ("send", 2, 0, 16)),
        1: program(1, ("send", 2, 0, 16)),
        2: program(2, ("recv", 0, 0, 16), ("recv", 1, 16, 16)),
    }
    return programs, network(contended=True)


def test_contended_links():
    programs, links = crossing()
    main = timed(programs, links=links, credits=1)
    injected = 1 + 3
    # core 0 comes first by its number: on link (0, 1) from 4, on link (1, 2) from 14 to 22; core 1 then from 22
    first, second = injected + 20 + TAIL, injected + 10 + 8 + 10 + TAIL
    assert main.ends[2, 0] == max(first + 5 + 2, second) + 5
    assert main.ends[0, 0] == injected + 8 and main.ends[1, 0] == injected + 10 + 8 + 8
    assert main.links == {(0, 1): 8, (1, 2): 16}
    alone = timed(programs, credits=1)
    assert alone.ends[1, 0] == injected + 8 and alone.links == {}


def test_one_medium_that_all_messages_share():
    """The messages of cores 0 and 1 wait for each other, however far they go; the loads of all cores, too."""
    programs, _ = crossing()
    main = timed(programs, links=network(contended=True, shared=True), credits=1)
    injected = 1 + 3
    first, second = injected + 20 + TAIL, injected + 8 + 10 + TAIL
    assert main.ends[0, 0] == injected + 8 and main.ends[1, 0] == injected + 8 + 8
    assert main.ends[2, 0] == max(first + 5 + 2, second) + 5
    assert main.links == {MEDIUM: 16}
    apart = {core: program(core, ("send", core + 1, 0, 16)) for core in (0, 2)}
    apart |= {core: program(core, ("recv", core - 1, 0, 16)) for core in (1, 3)}
    main = timed(apart, links=network(contended=True, shared=True), credits=1)
    assert dict(zip((0, 2, 1, 3), main.ends[:, 0].tolist(), strict=True)) == {
        0: injected + 8,
        2: injected + 16,
        1: injected + 10 + TAIL + 5,
        3: injected + 8 + 10 + TAIL + 5,
    }


def test_a_pipeline_of_cores():
    """k cores that each work for 100 ps: the first result after k times the way, then one per round of the slowest."""
    k, samples = 5, 20
    steps = [
        [
            *([("recv", core - 1, 0, 16)] if core else []),
            ("lldi", 64, 0, 8),
            *([("send", core + 1, 0, 16)] if core + 1 < k else []),
        ]
        for core in range(k)
    ]
    programs = {core: program(core, *steps[core]) for core in range(k)}
    timing = step(setup(programs, COSTS, credits=2), samples)
    hop = 1 + 3 + 10 + TAIL + 5  # from the end of the work to the start of the next core's
    assert timing.latency == k * 100 + (k - 1) * hop
    # each core: receive (set up 2, write 5), work, send (set up 1, read 3, leave 8); the first one has no receive
    assert timing.period == 2 + 5 + 100 + 1 + 3 + 8
    assert timing.main.busy[1][1] == samples * 100
