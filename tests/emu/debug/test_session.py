"""However one steps, goes back and stops: what is seen is what a plain run goes through."""

import numpy as np
import pytest
from debugged import rich_set, run_plain, state_of, subject_of_set, visit
from draws import examples
from event_sets import random_set
from hypothesis import example, given, settings
from hypothesis import strategies as st

from emu.asm.assembler import check_program_set
from emu.core.engines.core import Core
from emu.debug.chip import SteppedChip
from emu.debug.conditions import AtInstruction, InNode, InSample, MemoryRange, OnCore, Sends, Touches
from emu.debug.ending import End
from emu.debug.session import Session, StandstillReason
from emu.debug.timeline import DebugTimeline
from emu.errors import InputError, ProgramError
from emu.isa.table import LOOP
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, ChipTrapped, RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.ports.port import FlowControl

FLOWS = ("rendezvous", "credits:1", "credits:3")


def sets():
    """Random sets, and the one that has everything."""

    def some(seed):
        try:
            return random_set(seed)
        except ProgramError:
            return rich_set()

    return st.one_of(st.builds(rich_set), st.integers(0, 10_000).map(some))


def session_of(subject, flow="rendezvous", spacing=7, budget=1 << 30):
    chip = SteppedChip(subject, flow)
    return Session(chip, timeline=lambda chip: DebugTimeline(chip.save(), spacing, budget))


def moves(session, choose):
    """One move of a session, whichever it is; what may be refused is."""
    name = choose.draw(
        st.sampled_from(("step", "step", "next", "leave", "back", "back", "stop", "proceed", "run", "look"))
    )
    try:
        match name:
            case "step":
                session.step(choose.draw(st.integers(1, 9)))
            case "next":
                session.next()
            case "leave":
                session.leave()
            case "back":
                session.back(choose.draw(st.integers(1, 20)))
            case "stop":
                session.back_to_stop()
            case "proceed":
                session.proceed()
            case "run":
                session.to_sample(choose.draw(st.integers(0, 1)))
            case _:
                session.look_at(choose.draw(st.sampled_from(sorted(session.chip.cores))))
    except InputError:
        assert name in ("leave", "back", "stop")


@given(programs=sets(), flow=st.sampled_from(FLOWS), data=st.data())
@settings(max_examples=examples(10, 60))
def test_any_moves_lead_to_states_of_the_plain_run(programs, flow, data):
    subject = subject_of_set(programs)
    plain = run_plain(subject, flow)
    session = session_of(
        subject, flow, data.draw(st.sampled_from((1, 7, 1000))), data.draw(st.sampled_from((0, 1 << 30)))
    )
    if data.draw(st.booleans()):
        index = data.draw(st.integers(0, 6))
        session.add((AtInstruction("main", index),), "somewhere")
    for _ in range(12):
        moves(session, data)
        assert state_of(session.chip) == plain.states[session.chip.turns]
    session.breakpoints.clear()
    while session.chip.ending is None:
        session.proceed()
    assert session.chip.ending == plain.chip.ending
    assert session.chip.outputs == plain.chip.outputs


@given(programs=sets(), flow=st.sampled_from(FLOWS))
def test_a_break_at_every_instruction_visits_what_runs(programs, flow):
    subject = subject_of_set(programs)
    plain = run_plain(subject, flow)
    session = session_of(subject, flow)
    for core in subject.programs:
        session.add((OnCore(core),), "all")
    visits = []
    while session.proceed().ending is None:
        if session.stop.why is StandstillReason.BREAK:
            visits.append(visit(session.chip, session.focus))
    assert visits == plain.visits


@given(programs=sets(), flow=st.sampled_from(FLOWS))
def test_a_core_visits_its_program_unrolled(programs, flow):
    subject = subject_of_set(programs)
    plain = run_plain(subject, flow)
    for core, program in subject.programs.items():
        seen = [(sample, index, counters) for who, sample, index, counters in plain.visits if who == core]
        wanted = [(-1, *place) for place in unrolled(program.init)]
        for sample in range(subject.samples):
            wanted += [(sample, *place) for place in unrolled(program.main)]
        assert seen == wanted[: len(seen)]
        end, rest = plain.chip.ending.end, wanted[len(seen) :]
        assert end is not End.FINISHED or not rest
        if end in (End.LEFT_OVER, End.INCOMPLETE) and rest and seen:  # what is looked at behind each section
            assert rest[0][0] > seen[-1][0]


def unrolled(section, begin=0, end=None, counters=()):
    """All instructions that run, as (index, counters); up to a halt outside of loops."""
    found = []
    for index in section.children(begin, end):
        if section.columns["op"][index] != LOOP:
            found.append((index, counters))
            if section.instr(index).spec.name == "halt":
                return found
            continue
        for count in range(int(section.columns["n"][index])):
            found += unrolled(section, index + 1, int(section.columns["end"][index]), (*counters, count))
    return found


@given(programs=sets(), flow=st.sampled_from(FLOWS))
@example(random_set(229), "credits:1")
def test_the_end_is_that_of_the_scheduler_alone(programs, flow):
    """Outputs, traps and deadlocks are those of a run that no debugger has a part in."""
    check_program_set(programs, "set")
    subject = subject_of_set(programs)
    session = session_of(subject, flow)
    while session.chip.ending is None:
        session.proceed()
    ending = session.chip.ending
    memories = SampleMemories(subject.global_size)
    cores = {
        core: Core(program, subject.arch, subject.weights[core], "step") for core, program in subject.programs.items()
    }
    scheduler = RoundRobin(cores, subject.programs, Fabric(FlowControl.parse(flow), memories.of))
    ranges = [(low, high - low) for spec in subject.outputs for low, high in spec.ranges]
    outputs = []
    try:
        scheduler.run("init", -1)
        for sample in range(min(subject.samples, session.chip.sample + 1)):
            memory = memories.open(sample)
            for address, content in subject.inputs(sample, ()):
                memory.write(address, content)
            scheduler.run("main", sample)
            outputs.append(memory.collect(ranges))
    except ChipTrapped as trapped:
        assert ending.end is End.TRAPPED
        assert set(ending.traps) == set(trapped.records)
    except ChipDeadlocked as deadlocked:
        assert ending.end is End.DEADLOCKED
        assert {e.edge for e in ending.report.edges} == {e.edge for e in deadlocked.report.edges}
    else:
        assert ending.end in (End.FINISHED, End.LEFT_OVER, End.INCOMPLETE)
    assert session.chip.outputs == outputs[: len(session.chip.outputs)]
    assert ending.end is not End.FINISHED or len(outputs) == len(session.chip.outputs)


def test_outputs_of_the_rich_set():
    chip = run_plain(subject_of_set(rich_set())).chip
    assert chip.ending.end is End.FINISHED
    first, second = (np.frombuffer(blocks[0], np.int32) for blocks in chip.outputs)
    assert (first[2:].tolist(), second[2:].tolist()) == ([3, 3], [6, 6])  # state goes on from sample to sample


@pytest.fixture
def session():
    return session_of(subject_of_set(rich_set()))


def at(session):
    return visit(session.chip, session.focus)


def test_next_runs_a_loop_that_was_just_entered(session):
    session.until((OnCore(0), AtInstruction("main", 4)))
    assert at(session) == (0, 0, 4, (0, 0))
    session.next()
    assert (at(session), session.stop.why) == (
        (0, 0, 12, ()),
        StandstillReason.STEP,
    )  # the loop of loops, and the one without trips
    session.back(2)
    assert at(session) == (0, 0, 8, (2,))
    session.back_to_stop()
    assert at(session) == (0, 0, 4, (0, 0))
    session.step()
    session.next()
    assert at(session) == (0, 0, 6, (0, 0))  # in the middle of a loop, it is a step
    session.leave()
    assert at(session) == (0, 0, 7, (0,))
    session.leave()
    assert at(session) == (0, 0, 12, ())
    with pytest.raises(InputError, match="stands in no loop"):
        session.leave()


def test_conditions(session):
    session.until((InNode("inner"),))
    assert at(session) == (0, 0, 4, (0, 0))
    session.until((InNode("inner"),))
    assert at(session) == (0, 1, 4, (0, 0))  # in the loop it is never left for another node
    session.to_sample(0)
    assert session.stop.why is StandstillReason.SAMPLE and session.chip.sample == 0
    session.until((AtInstruction("main", 6, (1,)),))
    assert at(session) == (0, 0, 6, (1, 0))
    session.until((Sends(0, 1, 2),))
    assert at(session) == (0, 0, 9, (2,))
    session.until((Sends(None, 1),))
    assert at(session) == (0, 0, 13, ())
    session.until((Touches(False, True, (MemoryRange(0, 0x200, 0x204),)), InSample(1)))
    assert at(session) == (0, 1, 12, ())
    session.to_sample(1)
    session.until((Touches(True, False, (MemoryRange(1, 0x20, 0x21),)),))
    assert at(session) == (1, 1, 4, (0,))


def test_halts_traps_and_the_end_are_stops_to_look_around_at(session):
    session.to_sample(0)
    session.look_at(1)
    assert session.step(1000).why is StandstillReason.HALTED
    assert session.step().why is StandstillReason.STEP and session.chip.sample == 1
    assert session.proceed().why is StandstillReason.END
    assert session.proceed().why is StandstillReason.END
    session.back()
    assert session.chip.ending is None and session.chip.sample == 1
    assert session.back(10_000).why is StandstillReason.BACK
    assert at(session)[1:] == (0, 0, ())


def test_what_is_interrupted_goes_on_as_if_nothing_had_been():
    subject = subject_of_set(rich_set())
    plain = run_plain(subject)
    turns = iter(range(1000))
    session = Session(SteppedChip(subject), interrupted=lambda: next(turns) % 5 == 4)
    seen = 0
    while session.proceed().why is StandstillReason.INTERRUPT:
        assert state_of(session.chip) == plain.states[session.chip.turns]
        seen += 1
    assert seen > 5 and session.chip.outputs == plain.chip.outputs


def test_moments_are_thinned_out():
    chip = SteppedChip(subject_of_set(rich_set()))
    timeline = DebugTimeline(chip.save(), 1, 1500)
    while chip.ending is None:
        chip.advance()
        if timeline.is_due(chip.turns) and chip.ending is None:
            timeline.add(chip.save())
    assert 2 <= len(timeline) < chip.turns / 4
    assert timeline.latest(lambda moment: moment.turns <= 0).turns == 0
