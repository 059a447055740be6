"""Workloads complete and verify under every flow, their reports are predicted, and damage is counted."""

from dataclasses import replace

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch import Arch
from emu.core.engines.core import Core
from emu.core.request import Send
from emu.errors import InputError
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.ports.port import FlowControl
from emu.noc.traffic.traffic import traffic
from emu.program.validate import validate_program
from emu.stress.patterns import MIN_CORES, PATTERNS
from emu.stress.payload import Payload, template
from emu.stress.programs import STATUS_ADDRESS, programs
from emu.stress.refusal import Unsuitable
from emu.stress.workload import StressMessage, Workload, make_workload

ARCH = Arch(name="test")


def run(workload, flow="rendezvous", samples=1, engine="batch", spoil=None):
    """What all cores report per sample, in one process; `spoil(core, request)` may change what is sent."""
    made = {program.core: program for program in programs(workload)}
    for program in made.values():
        validate_program(program, ARCH, "test", set(made))
    memories = SampleMemories(1 << 16)
    fabric = Spoiling(FlowControl.parse(flow), memories.of, spoil)
    cores = {core: Core(program, ARCH, [], engine) for core, program in made.items()}
    scheduler = RoundRobin(cores, made, fabric)
    scheduler.run("init", 0)
    found = []
    for sample in range(samples):
        memory = memories.open(sample)
        memory.write(0, np.int32(workload.first_number(sample)).tobytes())
        scheduler.run("main", sample)
        content = memory.view(STATUS_ADDRESS, 12 * workload.cores)
        found.append(np.frombuffer(bytes(content), np.int32).reshape(-1, 3))
    return found


class Spoiling(Fabric):
    """A fabric on which `spoil(core, request)` may change what a core sends."""

    def __init__(self, flow, memory, spoil):
        super().__init__(flow, memory)
        self.spoil = spoil

    def port(self, core, events):
        port = super().port(core, events)
        start = port.start

        def begin(request, sample):
            if self.spoil and isinstance(request, Send):
                self.spoil(core, request)
            return start(request, sample)

        port.start = begin
        return port


@given(
    st.sampled_from([name for name in PATTERNS if name != "deadlock"]),
    st.integers(MIN_CORES, 17),
    st.sampled_from(["rendezvous", "credits:1", "credits:3"]),
    st.integers(1, 3),
    st.integers(0, 5),
)
@settings(max_examples=examples(15, 100))
def test_all_but_deadlock_complete_and_verify(name, cores, flow, rounds, seed):
    try:
        workload = make_workload(name, cores, "uniform:12,40", rounds, seed)
    except Unsuitable:
        return
    for sample, status in enumerate(run(workload, flow, samples=2)):
        assert np.array_equal(status, workload.expected(sample))


def test_both_engines_report_the_same():
    workload = make_workload("halo2d", 6, "uniform:12,40", 2)
    assert np.array_equal(run(workload, engine="step"), run(workload))


@pytest.mark.parametrize("flow", ["rendezvous", "credits:1", "credits:4"])
def test_deadlock_deadlocks_with_every_flow(flow):
    with pytest.raises(ChipDeadlocked) as caught:
        run(make_workload("deadlock", 5), flow)
    assert caught.value.report.cycle and len(caught.value.report.edges) == 5


@given(st.integers(0, 9), st.integers(1, 255))
@settings(max_examples=examples(20, 100))
def test_one_changed_byte_is_counted_once(word, change):
    workload = make_workload("ring", 3, "40", 2)
    left = [1]

    def spoil(core, request):
        if core == 1 and left and left.pop():
            request.data[4 * word] ^= change

    (status,) = run(workload, spoil=spoil)
    wrong = status != workload.expected(0)
    words = 1 if word < 2 else 2  # a word of data also spoils the sum that the receiver computes
    assert status[2, 0] == words and wrong[2, 1] == (word >= 2) and not wrong[:2].any() and not wrong[:, 2].any()


def test_a_message_that_comes_twice_is_wrong():
    workload = make_workload("pingpong", 2, "16", 3)
    last = {}

    def spoil(core, request):
        if core == 0:
            old = last.setdefault(0, bytes(request.data))
            request.data[:] = old

    (status,) = run(workload, spoil=spoil)
    assert status[1, 0] == 2 * 3  # number, checksum and the one word of data, in rounds 2 and 3


def test_numbers_wrap():
    workload = make_workload("allreduce-ring", 4, "uniform:12,64", 3)
    sample = (1 << 31) // workload.messages  # its numbers pass the largest int32
    assert workload.first_number(sample) > 0 > workload.first_number(sample + 1)
    bump = replace_first(workload, sample)
    (status,) = run(bump)
    assert np.array_equal(status, workload.expected(sample))


def replace_first(workload, sample):
    """The workload, with numbers as if `sample` samples had been."""

    class Later(Workload):
        def first_number(self, number):
            return super().first_number(number + sample)

    return Later(workload.pattern, workload.cores, workload.phases, workload.sizes, workload.rounds)


def test_traffic_is_what_programs_send():
    workload = make_workload("uniform", 9, "bimodal:12,64,0.5", 4, seed=2)
    made = {program.core: program for program in programs(workload)}
    assert workload.traffic() == traffic(made) and sum(workload.traffic().values()) == workload.bytes
    assert workload.messages == 4 * 9 * 8


def test_programs_are_rolled_up():
    few, many = (len(next(programs(make_workload("allreduce-ring", 8, "64", rounds))).main) for rounds in (1, 1000))
    assert few == many < 40


def test_the_template_has_no_repetition():
    words = template(5000)
    assert len(np.unique(words)) == 5000


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"messages of 67108864 bytes need more than \d+ bytes of a core"):
        make_workload("ring", 4, str(64 << 20))
    with pytest.raises(InputError, match="pattern all-to-all on 300 cores needs 89700 connections"):
        make_workload("all-to-all", 300)


def test_messages_of_a_phase():
    workload = make_workload("incast", 3, "16")
    assert list(workload.messages_of(0)) == [StressMessage(0, 1, 0, 16), StressMessage(1, 2, 0, 16)]
    assert Payload(workload.largest).words == 4
    assert replace(workload, rounds=5).bytes == 160
