"""Deadlock reports from blocked states: cycles, chains to halted cores, events."""

from hypothesis import given
from hypothesis import strategies as st

from emu.noc.deadlock.place import ProgramPlace
from emu.noc.deadlock.waitfor import Blocked, Direction, find_deadlock


def blocked(core, peer, direction=Direction.RECV, index=0, sample=0):
    return Blocked(core, direction, peer, index, ProgramPlace("main", 2, direction.value, (1,), sample, "conv1"))


def states(*items):
    return {item.core: item for item in items}


def nobody(core, event):
    return ()


def edges(report):
    return [(edge.core, edge.peer) for edge in report.edges]


def test_no_deadlock_while_somebody_runs():
    assert find_deadlock(states(blocked(0, 1), blocked(1, 2)), {}, nobody) is None


def test_cycle_is_told_from_its_lowest_core_and_without_those_who_wait_for_it():
    report = find_deadlock(states(blocked(0, 3), blocked(3, 2), blocked(2, 5), blocked(5, 3)), {}, nobody)
    assert report.cycle and edges(report) == [(2, 5), (5, 3), (3, 2)]
    assert report.stuck == (0, 2, 3, 5) and "2 -> 5 -> 3 -> 2" in str(report) and "1 more" in str(report)


def test_chain_ends_at_a_halted_core():
    report = find_deadlock(states(blocked(0, 1), blocked(1, 2, Direction.SEND, 4)), {2: 0}, nobody)
    assert not report.cycle and edges(report) == [(0, 1), (1, 2)] and report.halted == 2
    text = str(report)
    assert "core 2 has halted" in text and "takes message 4" in text
    assert "main[2] send (sample 0, loops [1], node conv1)" in text


def test_a_core_that_finished_an_earlier_sample_can_still_help():
    assert find_deadlock(states(blocked(0, 1, sample=3)), {1: 2}, nobody) is None
    assert find_deadlock(states(blocked(0, 1, sample=3)), {1: 3}, nobody) is not None


def test_a_blocked_core_has_finished_the_samples_before():
    waiting = states(blocked(0, 1, sample=3), blocked(1, 2, sample=4), blocked(2, 1, sample=4))
    report = find_deadlock(waiting, {}, nobody)
    assert not report.cycle and edges(report) == [(0, 1)] and report.halted == 1 and report.stuck == (0,)
    assert report.sample == 3
    assert find_deadlock(states(blocked(0, 1, sample=3), blocked(1, 2, sample=3)), {2: 2}, nobody) is None


def test_wait_is_hopeless_only_if_nobody_can_sync():
    waiting = states(blocked(0, -1, Direction.WAIT, 7), blocked(1, 0))
    assert find_deadlock(waiting, {3: 0}, lambda core, event: (1, 2, 3)) is None  # core 2 runs
    report = find_deadlock(waiting, {3: 0}, lambda core, event: (1, 3))
    assert report.cycle and edges(report) == [(0, -1), (1, 0)]
    alone = find_deadlock(states(blocked(0, -1, Direction.WAIT, 7)), {}, nobody)
    assert not alone.cycle and alone.halted is None and "no core syncs" in str(alone)


@given(st.lists(st.sampled_from([None, "halted", 0, 1, 2, 3, 4, 5]), min_size=6, max_size=6))
def test_stuck_cores_are_those_who_reach_no_running_core(targets):
    """Model: follow the single peer of each blocked core."""
    waiting = states(*(blocked(core, peer) for core, peer in enumerate(targets) if isinstance(peer, int)))
    halted = {core: 0 for core, target in enumerate(targets) if target == "halted"}

    def hopeless(core):
        for _ in range(7):
            if targets[core] is None:
                return False
            if targets[core] == "halted":
                return True
            core = targets[core]
        return True

    report = find_deadlock(waiting, halted, nobody)
    assert (report.stuck if report else ()) == tuple(core for core in waiting if hopeless(core))
    if report:
        pairs = edges(report)
        follow = pairs[1:] + (pairs[:1] if report.cycle else [])
        assert all(peer == core for (_, peer), (core, _) in zip(pairs, follow, strict=False))
        assert report.cycle == (report.halted is None) and (report.cycle or pairs[-1][1] == report.halted)
