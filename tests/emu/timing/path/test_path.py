"""The critical path is the latency, lengthens with what is on it, and has no slack: random programs, chips, flows."""

from dataclasses import astuple, replace
from itertools import groupby

import numpy as np
import pytest
from core_programs import Drawn, Seeded
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from timed_nests import Nests
from timed_sets import Sets

from emu.errors import InputError
from emu.isa.codes import ASK_OF, asking
from emu.isa.instruction import RequestKind
from emu.operands.timeline import TooMuch
from emu.timing.basis.log import OperationPhase
from emu.timing.basis.refused import TimingRefused
from emu.timing.executor.step import step
from emu.timing.fast.body import make_body
from emu.timing.fast.effort import Effort
from emu.timing.fast.fast import fast
from emu.timing.model.costs import WHOLE
from emu.timing.path import logged, run
from emu.timing.path.logged import logged_path
from emu.timing.path.path import critical_path, traced, works
from emu.timing.path.run import slices_of
from emu.timing.path.slack import has_slack, instruction_slack
from emu.timing.path.slices import pieces


def drawn(choose):
    """A setup of which paths are known."""
    setup = choose.choice((Nests, Sets))(choose).setup()
    return replace(setup, local_ports=0) if setup.window > 1 else setup


def free_of_queues(setup):
    """Nobody waits for a turn, and no wait for one of several syncs: what is later makes nothing earlier."""
    waits = any(
        asking(timed.view.section.columns["op"], RequestKind.WAIT).any()
        for core in setup.cores.values()
        for timed in core.sections.values()
    )
    return not (setup.network.contended or waits)


def dearer(setup, core, index, amount):
    """The setup with one instruction of `main`, no request, that takes so many ps more."""
    section = setup.cores[core].sections["main"]
    compute = section.costs.compute.copy()
    compute[index] += amount
    sections = {**setup.cores[core].sections, "main": replace(section, costs=replace(section.costs, compute=compute))}
    return replace(setup, cores={**setup.cores, core: replace(setup.cores[core], sections=sections)})


def check_sum(choose):
    setup = drawn(choose)
    found = traced(setup)
    path = critical_path(found)
    latency = fast(setup).latency
    assert found.timing.latency == latency == step(setup).latency
    assert sum(ps for *_, ps in works(path)) == latency
    assert all(ps > 0 for *_, ps in works(path))
    begin = 0
    for stretch in path:
        assert stretch.begin == begin and sum(stretch.parts.values()) == stretch.end - stretch.begin
        begin = stretch.end
    assert begin == latency


def check_logged(choose):
    """The path by the log: of all chips; no gap, and as long as the latency."""
    setup = choose.choice((Nests, Sets))(choose).setup()
    path, begin = logged_path(setup), 0
    for stretch in path:
        assert stretch.begin == begin and sum(stretch.parts.values()) == stretch.end - stretch.begin
        begin = stretch.end
    assert begin == fast(setup).latency


def check_slack(choose):
    setup = replace(drawn(choose), memory_ports=0)
    found = traced(setup)
    if not has_slack(found):
        return
    slack, latency = instruction_slack(found), found.timing.latency
    assert all(int(values.min(initial=0)) >= 0 and int(values.max(initial=0)) <= latency for values in slack.values())
    for core, (index, _), _ in works(critical_path(found)):
        assert slack[core][index] == 0
    if free_of_queues(setup):
        check_delay(choose, setup, found, slack)


def check_delay(choose, setup, found, slack):
    """One instruction that runs once and takes no longer than its slack allows does not change the latency."""
    core = choose.choice(sorted(slack))
    section = setup.cores[core].sections["main"].view.section
    ran = found.timing.main.executions[found.timing.cores.index(core)]
    own = np.flatnonzero((ran == 1) & (ASK_OF[section.columns["op"]] == 0))
    if len(own):
        index = int(choose.choice(own.tolist()))
        assert fast(dearer(setup, core, index, int(slack[core][index]))).latency == found.timing.latency


def check_longer(choose):
    """Twice the work of one instruction of the path adds at least what it has there."""
    setup = replace(drawn(choose), memory_ports=0)
    if not free_of_queues(setup):
        return
    found = traced(setup)
    sums = {}
    for core, work, ps in works(critical_path(found)):
        sums[core, work] = sums.get((core, work), 0) + ps
    own = [
        (core, index)
        for core, (index, working) in sums
        if working and ASK_OF[setup.cores[core].sections["main"].view.section.columns["op"]][index] == 0
    ]
    if not own:
        return
    core, index = choose.choice(own)
    section = setup.cores[core].sections["main"]
    costs = section.costs
    columns = {name: getattr(costs, name).copy() for name in ("read", "compute", "interval", "write")}
    for name, column in columns.items():
        column[index] *= 2 if name != "interval" or column[index] >= 0 else 1
    sections = {**setup.cores[core].sections, "main": replace(section, costs=replace(costs, **columns))}
    slower = replace(setup, cores={**setup.cores, core: replace(setup.cores[core], sections=sections)})
    assert fast(slower).latency >= found.timing.latency + sums[core, (index, True)]


def check_slices(choose):
    """Cores that tell of their units say what the log of the other executor says, on all chips."""
    compare_slices(choose.choice((Nests, Sets))(choose).setup())


def compare_slices(setup):
    sliced = slices_of(setup)
    timing = sliced.timing
    assert timing.main.ends.tolist() == fast(setup).main.ends.tolist()
    found = logged_operations(setup)
    for core in timing.cores:
        own, timed = sliced.of["main", core], setup.cores[core].sections["main"]
        sources = timed.view.section.columns["source"].tolist()
        spans, issues, requests = by_pieces(found[core], timed, list(pieces(make_body(timed).items, sources)))
        assert [(issue.first, issue.last, issue.begin) for issue in own.issues] == issues
        assert sorted(map(astuple, own.spans)) == sorted(spans)
        assert [(asked.index, asked.start, asked.end) for asked in own.requests] == requests
        for unit in {span.unit for span in own.spans}:
            begins = [span.begin for span in own.spans if span.unit == unit]
            assert begins == sorted(begins)


def logged_operations(setup):
    """By core, the operations of the first sample in order: instruction, and when it started, had read, was over."""
    log = step(setup, log=True).log
    times = {core: {} for core in setup.cores}
    columns = (log.core, log.section, log.operation, log.instruction, log.phase, log.time)
    for core, section, number, index, phase, time in zip(*(column.tolist() for column in columns), strict=True):
        if section:
            times[core].setdefault(number, (index, {}))[1][phase] = time
    return {core: [operations[number] for number in sorted(operations)] for core, operations in times.items()}


def by_pieces(operations, timed, ranges):
    """Spans of units, issues and requests of these operations."""
    spans, issues, requests = [], [], []
    piece = {index: place for place in ranges for index in range(place[0], place[1] + 1)}
    asks = ASK_OF[timed.view.section.columns["op"]].tolist()
    numbered = [(piece[index], asks[index] and number) for number, (index, _) in enumerate(operations, 1)]
    for ((first, last), asking_now), group in groupby(zip(numbered, operations, strict=True), lambda entry: entry[0]):
        units = {}
        for _, (index, times) in group:
            unit, interval = int(timed.costs.unit[index]), int(timed.costs.interval[index])
            start, whole = times[OperationPhase.START], asking_now or interval == WHOLE
            free = times[OperationPhase.FINISHED] if whole else times.get(OperationPhase.READ, start) + interval
            units[unit] = units.get(unit, (start,))[0], free
            if asking_now:
                requests.append((index, start, times[OperationPhase.FINISHED]))
        spans += [(unit, first, last, begin, free) for unit, (begin, free) in units.items()]
        issues.append((first, last, min(begin for begin, _ in units.values())))
    return spans, issues, requests


CHECKS = check_logged, check_slices, check_sum, check_slack, check_longer


@pytest.mark.few(2)
@pytest.mark.parametrize("check", CHECKS)
@settings(max_examples=examples(5, 100))
@given(st.data())
def test_random_programs(check, data):
    check(Drawn(data))


@pytest.mark.full
@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("check", CHECKS)
def test_many_random_programs(check, block):
    for seed in range(500 * block, 500 * (block + 1)):
        check(Seeded(seed))


def test_ports_with_several_operations_in_flight_are_refused():
    setup = replace(Sets(Seeded(0)).setup(), window=4, local_ports=1)
    with pytest.raises(InputError, match=r"timing\.local_ports"):
        traced(setup)


def test_a_path_by_the_log_of_long_programs_is_refused(monkeypatch):
    monkeypatch.setattr(logged, "MOST", 0)
    with pytest.raises(TimingRefused, match=r"more than the 0 that are followed"):
        logged_path(Sets(Seeded(3)).setup())


def test_too_much_to_be_kept_is_refused(monkeypatch):
    setup = replace(Nests(Seeded(3)).setup(), local_ports=0)
    monkeypatch.setattr(run, "KEPT", 1)
    with pytest.raises(TimingRefused, match="no critical path: more than"):
        traced(setup)


def test_what_init_has_kept_is_still_kept_in_a_sample():
    effort = Effort(3, "kept", kept=True)
    effort.take(2)
    effort.begin(0)
    with pytest.raises(TooMuch, match="kept"):
        effort.take(2)


@pytest.mark.parametrize("seed", [45, 105, 184, 231])
@pytest.mark.parametrize("changes", [{}, {"window": 1, "local_ports": 1}, {"window": 8, "local_ports": 0}])
def test_a_unit_that_a_loop_leaves_alone_works_no_longer_for_it(seed, changes):
    """It is named in a loop within that never runs."""
    compare_slices(replace(Nests(Seeded(seed)).setup(), **changes))
