"""Messages, deadlock and races: the checker against the in-process scheduler, deadlocking sets included."""

from dataclasses import replace

import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from program_sets import DEADLOCKS, RENDEZVOUS_ONLY, ordered_messages
from stepper import Stepper, emit, program
from talks import anything, nearly_ordered

from emu.arch import Arch
from emu.check import Outcome, check_programs
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, ChipTrapped, RoundRobin
from emu.noc.memory.global_memory import GlobalMemory
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder

ARCH = Arch(name="test")
FLOWS = ["rendezvous", "credits:1", "credits:2", "credits:3"]
SAMPLES = 3


def run(programs, flow, samples=SAMPLES):
    """The deadlock report of the scheduler, None if it completes, or the trap."""
    machines = {core: Stepper(code) for core, code in programs.items()}
    memory = GlobalMemory(4096)
    scheduler = RoundRobin(machines, programs, Fabric(FlowControl.parse(flow), lambda sample: memory))
    try:
        scheduler.run("init", -1)
        for sample in range(samples):
            scheduler.run("main", sample)
    except ChipDeadlocked as deadlock:
        return deadlock.report
    except ChipTrapped as trap:
        return trap.records[0]
    return None


def verdict(programs, flow):
    """The checker's report and its verdict about deadlock under `flow`."""
    report = check_programs(programs, ARCH, flow=FlowControl.parse(flow))
    return report, report.of("rendezvous" if flow == "rendezvous" else "credits")


@pytest.mark.parametrize("flow", FLOWS)
@given(programs=st.one_of(anything(), nearly_ordered()))
@settings(max_examples=examples(30, 100))
def test_deadlock_verdicts_are_what_the_scheduler_does(programs, flow):
    outcome = run(programs, flow)
    report, deadlock = verdict(programs, flow)
    matched = report.of("messages").outcome is Outcome.PROVED
    if outcome is None:
        later = deadlock.result.deadlock and deadlock.result.deadlock.edges[0].place.sample >= SAMPLES
        assert deadlock.outcome is Outcome.PROVED or later or not matched
    elif hasattr(outcome, "edges") and outcome.edges[0].place.sample > 0 and not matched:
        assert deadlock.outcome is not Outcome.PROVED  # messages pile up
    elif hasattr(outcome, "edges"):
        assert deadlock.outcome is Outcome.REFUTED
        assert deadlock.result.deadlock == outcome  # edges with places and nodes, cycle or chain, all that are stuck
        assert str(outcome) in deadlock.detail
    else:  # a size or a sample mismatch
        assert not matched
    if matched and deadlock.outcome is Outcome.PROVED:
        assert outcome is None


@given(programs=st.one_of(anything(), nearly_ordered()))
@settings(max_examples=examples(30, 100))
def test_one_verdict_about_all_credits(programs):
    """Proved: every K completes; refuted: some K does not, and the verdict tells the first that does."""
    deadlock = check_programs(programs, ARCH).of("credits")
    single = {k: verdict(programs, f"credits:{k}")[1].outcome for k in (1, 2, 3, 50)}
    completes = [k for k, outcome in single.items() if outcome is Outcome.PROVED]
    assert completes in ([1, 2, 3, 50], [2, 3, 50], [3, 50], [50], [])
    assert (deadlock.outcome is Outcome.PROVED) == (1 in completes)
    if deadlock.outcome is Outcome.REFUTED:
        assert ("as with any number of credits" in deadlock.detail) == (50 not in completes)
        assert completes in ([], [50]) or f"credits:{completes[0]} and more complete" in deadlock.detail


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("name", DEADLOCKS)
def test_known_deadlocks_have_the_same_report(name, flow):
    programs, edges, halted = DEADLOCKS[name]
    _, deadlock = verdict(programs, flow)
    if flow != "rendezvous" and name in RENDEZVOUS_ONLY:
        assert deadlock.outcome is not Outcome.REFUTED
        return
    found = deadlock.result.deadlock
    assert [edge.edge for edge in found.edges] == edges and found.halted == halted


def test_every_sample_begins_with_the_events_that_init_left():
    programs = {0: program(0, ("wait", 1, 3), ("wait", 1, 4)), 1: program(1, init=(("sync", 0, 1),) * 7)}
    report, deadlock = verdict(programs, "rendezvous")
    assert report.proved and run(programs, "rendezvous", samples=9) is None
    programs[0] = program(0, ("wait", 1, 4), ("wait", 1, 4))
    _, deadlock = verdict(programs, "rendezvous")
    assert deadlock.result.deadlock == run(programs, "rendezvous", samples=9)
    assert deadlock.result.deadlock.sample == 0


def test_messages_of_init_are_counted_on():
    programs = {
        0: program(0, ("send", 1, 0, 8), ("send", 1, 0, 8), init=(("send", 1, 0, 8),)),
        1: program(1, ("recv", 0, 0, 8), ("send", 0, 0, 8), init=(("recv", 0, 0, 8),)),
    }
    _, deadlock = verdict(programs, "rendezvous")
    assert deadlock.result.deadlock == run(programs, "rendezvous")
    assert deadlock.result.deadlock.edges[0].index == 2  # one of `init`, and the first of the sample


@pytest.mark.parametrize(("syncs", "wait", "left"), [(1, 1, 0), (2, 1, 1), (3, 1, 2), (2, 2, 0)])
def test_syncs_that_no_wait_takes_are_refuted(syncs, wait, left):
    programs = {0: program(0, *[("sync", 1, 3)] * syncs), 1: program(1, ("wait", 3, wait))}
    messages = check_programs(programs, ARCH).of("messages")
    assert (messages.outcome is Outcome.REFUTED) == bool(left)
    if left:
        assert "core 0 at main[0] sync (sample 0): a sample syncs event 3 of core 1" in messages.detail


def test_sizes_and_numbers_must_agree():
    filled = ("lldi", 0, 7, 8)
    cases = {
        "which core 0 sent at main[2] send (sample 0) with 8 bytes, meets a receive of 4 bytes": (
            [filled, ("nop",), ("send", 1, 0, 8)],
            [("recv", 0, 0, 4)],
        ),
        "message 1 to core 1 is never received": ([filled, ("send", 1, 0, 8), ("send", 1, 0, 8)], [("recv", 0, 0, 8)]),
        "message 0 from core 0 is never sent": ([filled], [("recv", 0, 0, 8)]),
    }
    for text, (first, second) in cases.items():
        programs = {core: program(core, *steps) for core, steps in enumerate((first, second))}
        first_steps = [step for step in first if step != ("nop",)]
        if len(first_steps) < len(first):
            builder = SectionBuilder()
            emit(builder, *filled)
            builder.emit("nop")
            emit(builder, "send", 1, 0, 8)
            programs[0] = replace(programs[0], main=builder.finish())
        messages = check_programs(programs, ARCH).of("messages")
        assert messages.outcome is Outcome.REFUTED and text in messages.detail


@given(
    st.integers(2, 5).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.permutations(range(n)), st.integers(0, 60)), max_size=20))
    )
)
@settings(max_examples=30)
def test_projections_of_an_order_are_proved(drawn):
    cores, messages = drawn
    programs = ordered_messages(cores, [(pair[0], pair[1], size) for pair, size in messages])
    report = check_programs(programs, ARCH)
    assert report.proved, [verdict.detail for verdict in report.verdicts]
