"""What holds for the time of any programs: random sets, costs, networks, flows and windows."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from core_programs import Seeded
from hypothesis import given
from hypothesis import strategies as st
from timed_sets import ARCH, Sets

from emu.isa.table import LOOP
from emu.program.nesting import executions
from emu.timing.basis import event_queue
from emu.timing.basis.log import OperationPhase, Reason
from emu.timing.basis.result import Cause
from emu.timing.executor.step import step
from emu.timing.executor.walk import SectionWalk
from emu.timing.setup import SECTIONS

SAMPLES = 3
SEEDS = st.integers(0, 1 << 32)


def same(first, second):
    """Whether two results are equal in everything but the log."""
    for a, b in ((first.init, second.init), (first.main, second.main)):
        assert a.begin == b.begin and a.waits == b.waits and a.memory == b.memory and a.links == b.links
        np.testing.assert_array_equal(a.ends, b.ends)
        np.testing.assert_array_equal(a.blocked, b.blocked)
        for mine, other in zip((*a.busy, *a.executions), (*b.busy, *b.executions), strict=True):
            np.testing.assert_array_equal(mine, other)


@given(SEEDS)
def test_no_unit_is_busier_than_the_time_that_passes(seed):
    setup = Sets(Seeded(seed)).setup()
    timing = step(setup, SAMPLES)
    for section in (timing.init, timing.main):
        for ends, busy in zip(section.ends, section.busy, strict=True):
            assert busy.max() <= ends[-1] - section.begin
            assert (np.diff(ends) >= 0).all()
    assert timing.main.begin == timing.init.end
    if setup.memory_ports:
        assert timing.init.memory + timing.main.memory <= setup.memory_ports * timing.main.end
    assert timing.latency <= timing.main.end - timing.main.begin


@given(SEEDS)
def test_every_instruction_runs_as_often_as_its_loops_say(seed):
    setup = Sets(Seeded(seed)).setup()
    timing = step(setup, SAMPLES)
    for section, samples in (("init", 1), ("main", SAMPLES)):
        for core, found in zip(setup.cores.values(), getattr(timing, section).executions, strict=True):
            code = core.sections[section].view.section
            expected = np.where(code.columns["op"] == LOOP, 0, executions(code) * samples)
            np.testing.assert_array_equal(found, expected)


@given(SEEDS)
def test_the_log_leads_back_to_the_beginning(seed):
    setup = Sets(Seeded(seed)).setup()
    timing = step(setup, SAMPLES, log=True)
    same(timing, step(setup, SAMPLES))
    log = timing.log
    before = log.before
    linked = before >= 0
    assert (log.time[before[linked]] <= log.time[linked]).all()
    assert (log.reason[~linked] == Reason.BEGIN).all()
    finished = log.phase == OperationPhase.FINISHED
    for place, core in enumerate(timing.cores):
        mine = log.time[finished & (log.core == core) & (log.section == 1) & (log.sample == SAMPLES - 1)]
        assert mine.max() == timing.main.ends[place, -1]
        assert log.time[log.last(SAMPLES - 1)] == timing.main.end
    path = log.path(log.last(SAMPLES - 1))
    assert before[path[0]] < 0 and (before[path[1:]] == path[:-1]).all()
    assert (np.diff(log.time[path]) >= 0).all() and len(set(path.tolist())) == len(path)


@given(SEEDS)
def test_the_order_in_which_things_are_found_does_not_matter(seed):
    """The last found first, cores in another order: what is served when is defined by times and core numbers."""
    setup = Sets(Seeded(seed)).setup()
    plain = step(setup, SAMPLES)
    cores = dict(reversed(setup.cores.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_queue, "count", lambda: itertools.count(0, -1))
        turned = step(replace(setup, cores=cores), SAMPLES)
    np.testing.assert_array_equal(plain.main.ends, turned.main.ends[::-1])
    np.testing.assert_array_equal(plain.main.blocked, turned.main.blocked[::-1])
    for mine, other in zip(plain.main.busy, turned.main.busy[::-1], strict=True):
        np.testing.assert_array_equal(mine, other)
    assert plain.main.waits == turned.main.waits and plain.main.links == turned.main.links


def one_by_one(setup):
    """A core alone whose operations follow each other: sums of what each takes."""
    (core,) = setup.cores.values()
    ends, time = [], 0
    for name, samples in (("init", 1), ("main", SAMPLES)):
        costs = core.sections[name].costs
        operations = [o.instruction for o in SectionWalk(core.sections[name].view).operations()]
        for _ in range(samples):
            start, end = time + setup.fill, time
            for index in operations:
                start = max(start + int(costs.issue[index]), end)
                end = start + int(costs.read[index] + costs.compute[index] + costs.write[index])
            time = end if operations else time
            ends.append(time)
    return ends


@given(SEEDS)
def test_a_window_of_one_is_a_sum(seed):
    setup = replace(Sets(Seeded(seed), cores=1, requests=False).setup(), window=1)
    timing = step(setup, SAMPLES)
    assert [timing.init.end, *timing.main.ends[0].tolist()] == one_by_one(setup)
    assert timing.main.blocked[0][[Cause.UNIT, Cause.OPERAND, Cause.PORT]].sum() == 0


@given(SEEDS)
def test_a_wider_window_makes_nothing_later(seed):
    """With private ports; with shared ones an operation that starts sooner may be in the way of another."""
    setup = replace(Sets(Seeded(seed), cores=1, requests=False).setup(), local_ports=0)
    ends = [step(replace(setup, window=window), SAMPLES).main.ends for window in (1 << 20, 16, 4, 2, 1)]
    assert all((wider <= narrower).all() for wider, narrower in itertools.pairwise(ends))


@pytest.mark.full
def test_thousands_of_sets_end():
    for seed in range(5000):
        sets = Sets(Seeded(seed))
        timing = step(sets.setup(), 2)
        assert len(timing.cores) <= ARCH.cores


@given(SEEDS)
def test_who_is_waited_for_is_the_one_in_the_way(seed):
    """Moments of starts: decided by an operation that left the window, had the unit, or used the same bytes."""
    setup = Sets(Seeded(seed)).setup()
    log = step(setup, 2, log=True).log
    operations = {
        (core, section): list(SectionWalk(timed.sections[name].view).operations())
        for core, timed in setup.cores.items()
        for section, name in enumerate(SECTIONS)
    }
    for at in np.flatnonzero(np.isin(log.reason, (Reason.WINDOW, Reason.UNIT, Reason.OPERAND))).tolist():
        before, reason, core, section = log.before[at], log.reason[at], log.core[at], log.section[at]
        assert log.core[before] == core and log.section[before] == section and log.sample[before] == log.sample[at]
        mine, other = (operations[core, section][int(log.operation[place])] for place in (at, before))
        costs = setup.cores[core].sections[SECTIONS[section]].costs
        if reason == Reason.WINDOW:
            assert other.number == mine.number - setup.window and log.phase[before] == OperationPhase.FINISHED
        elif reason == Reason.UNIT:
            assert costs.unit[mine.instruction] == costs.unit[other.instruction]
        else:
            assert mine.conflicts(other, has_read=False) and other.number < mine.number
        if reason != Reason.UNIT:
            assert log.time[before] == log.time[at]
