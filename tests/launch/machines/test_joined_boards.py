"""What is known of cores on other machines is of many moments: no deadlock is told that is none, and none is missed."""

import random

import pytest
from far_boards import FarRun, random_programs
from hypothesis import given
from hypothesis import strategies as st
from stepper import program

from emu.noc.deadlock.waitfor import Direction


def driven(seed):
    """A run that was driven until nothing moves, and for each deadlock told on the way where its cores stood."""
    chance = random.Random(seed)
    cores = chance.randrange(2, 6)
    programs = random_programs(chance, cores)
    count = chance.randrange(1, cores + 1)
    machines = [[] for _ in range(count)]
    for core in programs:
        chance.choice(machines).append(core)
    near = [chance.random() < 0.3 for _ in machines]
    flow, samples = chance.choice(["rendezvous", "credits:1", "credits:3"]), chance.randrange(1, 4)
    run, told = FarRun(programs, machines, near, flow, samples, seed), []
    for _ in range(chance.randrange(20, 250)):
        before = len(run.seen)
        run.step()
        told += [(seen, places(run, seen.deadlock)) for seen in run.seen[before:] if seen.deadlock]
    run.settle()
    return run, told


def places(run, report):
    return {core: run.stands(core) for core in report.stuck}


@given(st.integers(0, 1 << 32))
def test_a_deadlock_is_told_if_and_only_if_there_is_one(seed):
    run, told = driven(seed)
    for seen, stood in told:
        assert places(run, seen.deadlock) == stood, "who was said to be stuck has gone on"
    found, truth = run.seen[-1].deadlock, run.truth()
    assert str(found) == str(truth)
    trapped = len(run.over) > sum(ended == run.samples for ended in run.ended.values())
    for seen, _ in told:
        if not trapped and seen.settled >= seen.deadlock.sample:
            assert str(seen.deadlock) == str(truth), "what was told would have become another deadlock"


def test_the_runs_are_of_all_kinds():
    """Otherwise the test above would say little."""
    found = [driven(seed) for seed in range(60)]
    assert 10 < sum(run.truth() is not None for run, _ in found) < 50
    assert any(told for _, told in found)  # before all stands still
    reports = [seen.deadlock for run, _ in found for seen in run.seen if seen.deadlock]
    assert {report.cycle for report in reports} == {True, False}
    assert {edge.direction for report in reports for edge in report.edges} == set(Direction)


def test_a_look_waits_until_all_that_is_known_is_newer_than_the_last():
    run = FarRun({k: program(k, ("recv", 1 - k, 0, 8)) for k in (0, 1)}, [[0], [1]], [True, False], "rendezvous", 1, 0)
    _, far = run.members

    def looks():
        run.look()
        return len(run.seen)

    def answers():
        while far.asked:
            far.hears()
        far.reads()
        while far.answers:
            far.tells()

    assert looks() == looks() == 1  # nothing is known of core 1
    answers()
    assert looks() == looks() == 2  # what came was asked by the second look; the third knows nothing newer
    far.reads()
    far.tells()
    assert looks() == 2  # newer, but the machine may have read its board before it was asked again
    for _ in range(4):
        answers()
        looks()
    assert run.seen[-1].deadlock.cycle


@pytest.mark.full
def test_many_runs():
    for seed in range(20_000):
        test_a_deadlock_is_told_if_and_only_if_there_is_one.hypothesis.inner_test(seed)
