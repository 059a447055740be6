"""Whatever the cores did, and whatever part of it is lost, the tracks of a run are sound; figures are right."""

from collections import defaultdict
from mmap import mmap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stepper import program
from traces import check_trace, read_trace

from emu.core.trap import INIT_SAMPLE
from emu.program.program import Program
from launch.tracing.counters import running
from launch.tracing.events import OPEN, EventKind, EventRings
from launch.tracing.messages import FLOWS, TracedMessage, messages_of
from launch.tracing.model import Counter, Track
from launch.tracing.run_tracks import REAL, first_sample, run_parts
from launch.tracing.trace_file import write_trace

CORES = (0, 4, 9)
BEGAN = 1 << 40


SENDS = program(0, *(("send", 1, 0, 8) for _ in range(8))).main
PROGRAMS = {core: Program(core, init=SENDS, main=SENDS) for core in CORES}


@st.composite
def logs(draw: st.DrawFn) -> tuple[EventRings, int]:
    """Random batches and messages of three cores in the order of time, in rings that may be too small; and the end."""
    most = draw(st.integers(2, 30))
    events = EventRings(mmap(-1, EventRings.size(len(CORES), most)), CORES, most)
    rings, samples = {core: events.ring(core) for core in CORES}, dict.fromkeys(CORES, INIT_SAMPLE)
    under_way: dict[tuple[int, int], list[int]] = defaultdict(list)
    sent: dict[tuple[int, int], int] = defaultdict(int)
    clock = dict.fromkeys(CORES, BEGAN)
    steps = st.tuples(st.sampled_from(CORES), st.sampled_from(CORES), st.integers(0, 4), st.integers(0, 50))
    for core, peer, action, time in draw(st.lists(steps, max_size=60)):
        begin, sample = clock[core] + time, samples[core]
        clock[core] = end = begin + time
        size = 8 * (peer + 1)
        if action == 0:
            samples[core] += 1
        elif action == 1:
            rings[core].add(EventKind.COMPUTE, sample, begin, end, time % 8, 7)
        elif action == 2 and core != peer:
            rings[core].add(EventKind.SEND, sample, begin, end, 0, peer, size, sent[core, peer])
            under_way[core, peer].append(begin)
            sent[core, peer] += 1
        elif action == 3 and under_way[peer, core]:
            number = sent[peer, core] - len(under_way[peer, core])
            clock[core] = end = max(end, under_way[peer, core].pop(0))
            rings[core].add(EventKind.RECV, sample, min(begin, end), end, 1, peer, 8 * (core + 1), number)
    for core in draw(st.sets(st.sampled_from(CORES))):
        rings[core].add(EventKind.WAIT, samples[core], clock[core], OPEN, 2, size=3)
    return events, max(clock.values()) + 1


def parts_of(events: EventRings, end: int) -> list[Track | Counter]:
    complete = {core: not events.dropped(core) for core in CORES}
    return list(run_parts({core: events.of(core) for core in CORES}, complete, PROGRAMS, BEGAN, end))


@given(log=logs())
def test_any_log_is_a_sound_trace(tmp_path_factory: pytest.TempPathFactory, log: tuple[EventRings, int]) -> None:
    events, end = log
    path = tmp_path_factory.mktemp("traces") / "run.pftrace"
    write_trace(path, parts_of(events, end))
    read = read_trace(path)
    check_trace(read)
    for core in CORES:
        leaves = [leaf for sample in read.tracks[REAL, f"core {core}"] for node in sample.inner for leaf in node.inner]
        rows = events.of(core).tolist()
        assert [(leaf.begin, leaf.end) for leaf in leaves] == [
            (row[2] - BEGAN, (row[3] if row[3] != OPEN else end) - BEGAN) for row in rows
        ]
        arrived = [flow for leaf in leaves for inner in leaf.inner for flow in inner.ends]
        assert len(arrived) <= sum(row[0] == EventKind.RECV for row in rows)
    assert all(time <= end - BEGAN for points in read.counters.values() for time, _ in points)


@given(log=logs())
def test_nothing_is_in_flight_that_may_have_been_taken(log: tuple[EventRings, int]) -> None:
    events, _ = log
    complete = {core: not events.dropped(core) for core in CORES}
    found = messages_of({core: events.of(core) for core in CORES}, complete, BEGAN)
    assert all(complete[receiver] for receiver, _, _ in found.untaken)
    if all(complete.values()):
        rows = [row for core in CORES for row in events.of(core).tolist()]
        taken, sent = (sum(row[0] == kind for row in rows) for kind in (EventKind.RECV, EventKind.SEND))
        assert (len(found.known), len(found.untaken)) == (taken, sent - taken)
    assert sorted(message.flow for message in found.known.values()) == list(range(FLOWS, FLOWS + len(found.known)))


def test_a_message_and_its_counters() -> None:
    events = EventRings(mmap(-1, EventRings.size(len(CORES), 9)), CORES, 9)
    first, second, third = (events.ring(core) for core in CORES)
    first.add(EventKind.SEND, 0, BEGAN + 10, BEGAN + 30, 0, 4, 64, 0)
    first.add(EventKind.SEND, 0, BEGAN + 40, OPEN, 1, 9, 16, 0)
    second.add(EventKind.RECV, 0, BEGAN + 5, BEGAN + 20, 0, 0, 64, 0)
    third.add(EventKind.LOAD, 2, BEGAN + 7, BEGAN + 9, 0, size=4)
    known = {core: events.of(core) for core in CORES}
    assert messages_of(known, dict.fromkeys(CORES, True), BEGAN).known == {(0, 4, 0): TracedMessage(FLOWS, 10, 20, 64)}
    counters = {part.path: part.points for part in parts_of(events, BEGAN + 100) if isinstance(part, Counter)}
    assert counters == {
        (REAL, "all cores", "bytes in flight"): [(10, 64), (20, 0), (40, 16), (100, 0)],
        (REAL, "all cores", "blocked cores"): [*[(5, 1), (7, 2), (9, 1), (10, 2), (20, 1), (30, 0)], (40, 1), (100, 0)],
        (REAL, "core 0", "blocked in this sample"): [(10, 0), (30, 20), (100, 80), (100, 0)],
        (REAL, "core 4", "bytes in flight to it"): [(10, 64), (20, 0)],
        (REAL, "core 4", "blocked in this sample"): [(5, 0), (20, 15), (20, 0)],
        (REAL, "core 9", "bytes in flight to it"): [(40, 16), (100, 0)],
        (REAL, "core 9", "blocked in this sample"): [(7, 0), (9, 2), (9, 0)],
    }
    assert first_sample(known, BEGAN) == (5, 25)


def test_a_run_of_which_nothing_is_known() -> None:
    events = EventRings(mmap(-1, EventRings.size(len(CORES), 9)), CORES, 9)
    assert parts_of(events, BEGAN + 1) == [] and first_sample({core: events.of(core) for core in CORES}, BEGAN) is None
    events.ring(0).add(EventKind.SEND, INIT_SAMPLE, BEGAN, BEGAN + 1, 0, 4, 8, 0)
    assert first_sample({0: events.of(0)}, BEGAN) is None


def test_changes_at_one_time_are_one_point() -> None:
    assert running([(3, -5), (1, 5), (3, 4), (9, -4), (3, 2), (9, -2)]) == [(1, 5), (3, 6), (9, 0)]
