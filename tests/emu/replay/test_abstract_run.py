"""All cores without data: whoever takes turns, in whatever order and by how many steps, the same messages meet."""

import random
from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_sets import ordered_messages, ring
from stepper import program
from talks import anything, nearly_ordered

from emu.arch import Arch
from emu.noc.ports.port import UNBOUNDED, FlowControl
from emu.replay.abstract_run import AbstractRun, InitState
from emu.replay.core_view import CoreView
from emu.replay.traces import RECV, SEND, SYNC, core_traces, syncs_of


def traces_of(programs):
    """The communications of `main` by core."""
    return {core: core_traces(CoreView(code, Arch()))["main"] for core, code in programs.items()}


def outcome(run, state):
    """All that a run leaves behind."""
    return run.at, {pair: (c.sent, c.taken) for pair, c in state.channels.items() if c.sent}, state.events


@given(
    st.one_of(anything(), nearly_ordered()),
    st.sampled_from((FlowControl(), FlowControl(1), FlowControl(2), UNBOUNDED)),
    st.integers(0, 1 << 16),
)
def test_the_order_of_turns_does_not_matter(programs, flow, seed):
    traces, chance = traces_of(programs), random.Random(seed)
    plain, other, log = InitState(), InitState(), []
    first, second = AbstractRun(traces, flow, plain), AbstractRun(traces, flow, other, log)
    completes = first.run()
    turns = list(traces)
    while turns:
        core, most = turns.pop(chance.randrange(len(turns))), chance.randint(1, 3)
        before = second.at[core]
        woken = second.advance(core, most)
        assert second.at[core] - before <= most
        assert (core in woken) <= (second.at[core] - before == most)
        turns += woken
    assert outcome(first, plain) == outcome(second, other)
    assert completes == (not second.blocked) and first.blocked == second.blocked
    for core, at in second.at.items():
        assert [step for who, step in log if who == core] == list(range(at))


def arrivals(programs, flow, cost):
    """Per core when its last step is over, if each takes `cost[core]` and starts when all that it needs is there.

    The events are taken in the order of time, as a model of time does it.
    """
    traces, log = traces_of(programs), []
    run, free, there, queue = AbstractRun(traces, flow, InitState(), log), dict.fromkeys(traces, 0), {}, []
    received, times = {}, []
    for core in traces:
        heappush(queue, (0, core))
    while queue:
        now, core = heappop(queue)
        if now < free[core]:
            heappush(queue, (free[core], core))  # still busy
            continue
        at = run.at[core]
        woken = run.advance(core, 1)
        if run.at[core] > at:
            kind, peer = int(traces[core].kind[at]), int(traces[core].peer[at])
            if kind == RECV:
                place = received[peer, core] = received.get((peer, core), -1) + 1
                now = max(now, there[peer, core][place])
            free[core] = now + cost[core]
            times.append(now)
            if kind == SEND:
                there.setdefault((core, peer), []).append(free[core])
        for other in woken:
            heappush(queue, (max(now, free[other]), other))
    return free, times, run.blocked


def test_in_the_order_of_simulated_time():
    messages = [(0, 1, 8), (0, 1, 8), (1, 2, 8), (2, 0, 8)]
    free, times, blocked = arrivals(ordered_messages(3, messages), FlowControl(4), {0: 1, 1: 10, 2: 100})
    assert not blocked and times == sorted(times)
    # core 0 sends until 2; core 1 receives until 11 and 21, sends until 31; core 2 receives until 131, sends until 231
    assert free == {0: 232, 1: 31, 2: 231}


def test_a_ring_in_which_all_send_first():
    for flow, stuck in ((FlowControl(), [0, 1, 2]), (FlowControl(1), [])):
        run = AbstractRun(traces_of(ring(3, True)), flow, InitState())
        assert run.run() == (not stuck) and run.blocked == stuck
    run = AbstractRun(traces_of(ring(3, True)), FlowControl(), InitState())
    assert run.advance(0, 1) == {1} and run.at[0] == 0  # it is put, and waits to be taken
    assert run.waits(0) == (SEND, 1, 0)


def test_a_peer_without_a_program_is_not_woken():
    run = AbstractRun(traces_of({0: program(0, ("lldi", 0, 1, 8), ("send", 5, 0, 8))}), FlowControl(1), InitState())
    assert run.advance(0) == set() and not run.blocked


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_syncs_by_register_and_core(order):
    programs = {
        0: program(0, ("sync", 1, 3), ("sync", 1, 3), ("sync", 1, 2)),
        1: program(1, ("wait", 3, 2), ("sync", 0, 0)),
    }
    traces = traces_of({core: programs[core] for core in order})
    assert syncs_of(traces) == {(1, 3): {0: 2}, (1, 2): {0: 1}, (0, 0): {1: 1}}
    assert SYNC in traces[1].kind
