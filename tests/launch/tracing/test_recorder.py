"""A core that is recorded does what it does anyway; its events are its batches and requests, in order of time."""

import random
import sys
from dataclasses import replace
from itertools import groupby
from mmap import mmap
from types import FrameType

import numpy as np
import pytest
from core_programs import ARCH, Generator, Seeded, weights
from core_runs import Trace, answer, run_section, snapshot

import launch.tracing
from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.request import Request
from emu.core.trap import INIT_SAMPLE, CoreTrap
from emu.isa.table import LOOP
from emu.program.program import Program, Source
from emu.program.section import Section
from launch.tracing.events import NONE, OPEN, EventKind, EventRings
from launch.tracing.recorder import Recorder, labels

WEIGHTS = weights()
KINDS = {
    "send": EventKind.SEND,
    "recv": EventKind.RECV,
    "load": EventKind.LOAD,
    "store": EventKind.STORE,
    "sync": EventKind.SYNC,
    "wait": EventKind.WAIT,
    "capture": EventKind.CAPTURE,
}
MOST = 1 << 12
TRACING = launch.tracing.__path__[0]
SECTIONS = [("init", 0), ("main", 0), ("main", 1)]


def program_of(seed: int) -> Program:
    """A random program whose instructions belong to three nodes, or to none."""
    program, choose = Generator(Seeded(seed), float_products=False).program(), random.Random(seed)
    sources = tuple(Source(f"node{k}") for k in range(3))

    def sourced(section: Section) -> Section:
        found, source = [], -1
        for _ in range(len(section)):
            source = choose.randint(-1, 2) if choose.random() < 0.4 else source
            found.append(source)
        return replace(section, columns={**section.columns, "source": np.array(found, np.int32)})

    return replace(program, init=sourced(program.init), main=sourced(program.main), sources=sources)


def run(program: Program, engine: str, ring=None) -> Trace:
    """Two samples, recorded if there is a ring."""
    core = Core(program, ARCH, WEIGHTS, engine, range(len(program.buffers)))
    machine = Recorder(core, ring) if ring else core
    trace = Trace()
    try:
        for section, sample in SECTIONS:
            machine.begin(section, sample)
            run_section(machine, trace)
            trace.states.append(snapshot(core))
    except CoreTrap as trap:
        trace.trap = trap.record
    return trace


def recorded(program: Program, engine: str) -> tuple[Trace, np.ndarray]:
    memory = mmap(-1, EventRings.size(1, MOST))
    events = EventRings(memory, [3], MOST)
    trace = run(program, engine, events.ring(3))
    assert not events.dropped(3)
    return trace, events.of(3)


def stepped(program: Program) -> list[tuple]:
    """The batches that `step` must have: (sample, first instruction), by an engine that tells of each instruction."""
    core = Core(program, ARCH, WEIGHTS, "step", range(len(program.buffers)))
    observed: list[int] = []
    core.watch(observed.append)
    found: list[tuple] = []
    count = 0

    def rest(section: str, sample: int) -> None:
        numbers = labels(getattr(program, section))
        firsts = [next(group) for _, group in groupby(observed, key=lambda index: numbers[index])]
        number = sample if section == "main" else INIT_SAMPLE
        found.extend((number, first) for k, first in enumerate(firsts) if k < len(firsts) - 1 or first != core.index)
        observed.clear()

    for section, sample in SECTIONS:
        core.begin(section, sample)
        try:
            while (step := core.advance()) is not Progress.HALTED:
                if isinstance(step, Request):
                    rest(section, sample)
                    answer(step, count)
                    count += 1
                    core.complete(step)
        except CoreTrap:
            rest(section, sample)
            return found
        rest(section, sample)
    return found


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("engine", ["step", "batch"])
def test_a_recorded_core_does_the_same(engine: str, block: int) -> None:
    traps = asked = computed = 0
    for seed in range(40 * block, 40 * block + 40):
        program = program_of(seed)
        trace, events = recorded(program, engine)
        plain = run(program, engine)
        assert (trace.requests, trace.states, trace.trap) == (plain.requests, plain.states, plain.trap)
        check(program, engine, trace, events)
        traps += trace.trap is not None
        asked += len(trace.requests)
        computed += int((events["kind"] == EventKind.COMPUTE).sum())
    assert traps and asked > 20 and computed > 20


def check(program: Program, engine: str, trace: Trace, events: np.ndarray) -> None:
    ends = np.concatenate([[0], events["end"]])
    assert (events["begin"] >= ends[:-1]).all() and (events["end"] >= events["begin"]).all()
    counts: dict[tuple, int] = {}
    requests = events[events["kind"] != EventKind.COMPUTE]
    for event, ((section, index, _, sample), name, *said) in zip(requests.tolist(), trace.requests, strict=True):
        kind, number = KINDS[name], NONE
        peer = said[0] if name in ("send", "recv", "sync") else NONE
        if name in ("send", "recv"):
            number = counts[kind, peer] = counts.get((kind, peer), -1) + 1
        if name == "capture":
            number = said[0]
        size = said[-1] if isinstance(said[-1], int) else len(said[-1])
        if name == "wait":
            size = said[0]
        expected = (kind, sample if section == "main" else INIT_SAMPLE, index, peer, size, number)
        assert tuple(event[k] for k in (0, 1, 4, 5, 6, 7)) == expected
    batches = events[events["kind"] == EventKind.COMPUTE]
    firsts = list(zip(batches["sample"].tolist(), batches["index"].tolist(), strict=True))
    if engine == "step":
        assert firsts == stepped(program)
    for first, sample, end in zip(*(batches[name].tolist() for name in ("index", "sample", "other")), strict=True):
        section = program.init if sample == INIT_SAMPLE else program.main
        assert 0 <= first < len(section) and 0 <= end <= len(section) and first != end


def test_a_request_that_fails_or_never_ends() -> None:
    seed = next(seed for seed in range(100) if len(run(program_of(seed), "batch").requests) > 1)
    program = program_of(seed)
    events = EventRings(mmap(-1, EventRings.size(1, MOST)), [3], MOST)
    core = Recorder(Core(program, ARCH, WEIGHTS, "batch", range(len(program.buffers))), events.ring(3))
    for section, sample in SECTIONS:
        core.begin(section, sample)
        while (step := core.advance()) is not Progress.HALTED:
            if isinstance(step, Request):
                assert events.of(3)["end"][-1] == OPEN
                trap = core.trap("message of another size", value=8, limit=4)
                assert trap.record.reason == "message of another size" and events.of(3)["end"][-1] != OPEN
                return
    raise AssertionError("no request")


def naive_label(section: Section, index: int) -> object:
    columns = section.columns
    if columns["op"][index] != LOOP:
        return int(columns["source"][index])
    inside = range(index + 1, int(columns["end"][index]))
    sources = {int(columns["source"][k]) for k in inside if columns["op"][k] != LOOP}
    return sources.pop() if len(sources) == 1 else ("loop", index)


def test_labels_are_equal_where_nodes_are() -> None:
    mixed = 0
    for seed in range(200):
        section = program_of(seed).main
        found = labels(section)
        naive = [naive_label(section, index) for index in range(len(section))]
        assert len(found) == len(naive) == len(section)
        for label, expected in zip(found, naive, strict=True):
            if isinstance(expected, int):
                assert label == expected
            else:
                assert label < -1
                mixed += 1
        odd = [label for label, expected in zip(found, naive, strict=True) if not isinstance(expected, int)]
        assert len(set(odd)) == len(odd)
    assert mixed


def test_a_core_that_nobody_watches_runs_no_code_of_tracing() -> None:
    for engine in ("batch", "step"):
        assert not of_tracing(engine)
        assert of_tracing(engine, EventRings(mmap(-1, EventRings.size(1, MOST)), [3], MOST).ring(3))


def of_tracing(engine: str, ring=None) -> set[str]:
    """The functions of tracing, and those that `watch` puts before the engine's own, that run while a core does."""
    seen = set[str]()

    def profile(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and (".watch.<locals>" in code.co_qualname or code.co_filename.startswith(TRACING)):
            seen.add(code.co_qualname)

    sys.setprofile(profile)
    try:
        run(program_of(0), engine, ring)
    finally:
        sys.setprofile(None)
    return seen
