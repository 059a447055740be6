"""The critical path: from the end of the first sample back to its beginning, by what decided each moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from emu.timing.basis.result import Timing
from emu.timing.path.decided import MAIN, At, Decided
from emu.timing.path.record import Leapt, Period, Record, StartedOperation, StatePlace, Via
from emu.timing.path.run import KeptSample, trace_of
from emu.timing.path.trace import SampleTrace
from emu.timing.setup import Setup

Work = tuple[int, bool]  # an instruction, and whether it is the time that it takes or that of the front end before it


@dataclass(frozen=True, eq=False, slots=True)
class PathStretch:
    """A part of the path: `core` works from `begin` to `end` (ps since the sample began).

    `parts` are the ps by instruction of `main`, for what it does and for passing the front end. Of a `request` it is
    all the time from its start, or that of a request of core `peer` which decided it, until it is over; `decider` is
    the instruction of that request, None if it is not known.
    """

    core: int
    begin: int
    end: int
    parts: dict[Work, int]
    request: bool = False
    peer: int | None = None
    decider: int | None = None


@dataclass(frozen=True, eq=False)
class TracedSample:
    """The first sample with what decided its moments."""

    setup: Setup
    timing: Timing
    decided: Decided
    run: KeptSample[SampleTrace] = field(repr=False)


def traced(setup: Setup) -> TracedSample:
    """Run `init` and the first sample; raises InputError for a chip whose paths are not known."""
    run = trace_of(setup)
    return TracedSample(setup, run.timing, Decided(setup, run.of), run)


def critical_path(found: TracedSample) -> list[PathStretch]:
    """The stretches of the path in order of time; they add up to the latency."""
    timing, begin = found.timing, found.timing.main.begin
    ends = timing.main.ends[:, 0]
    if not len(ends) or int(ends.max()) == begin:
        return []
    core, time = timing.cores[int(ends.argmax())], int(ends.max())
    stretches: list[PathStretch] = []
    record = found.run.of[MAIN, core].last
    while record is not None:
        stretch, request = _within(core, record, time, begin)
        if stretch.end > stretch.begin or stretch.parts:
            stretches.append(stretch)
        if request is None:
            break
        jump, at = _between(found.decided, At(MAIN, core, request.request, True), begin + stretch.begin, begin)
        stretches.append(jump)
        if at is None:
            break
        core, record = at.core, found.run.of[MAIN, at.core].records[at.number]
        time = record.start
    return stretches[::-1]


def _within(core: int, record: Record, time: int, begin: int) -> tuple[PathStretch, StartedOperation | None]:
    """From a time back to the beginning of the sample, or to the request whose end decided it."""
    parts: dict[Work, int] = {}
    end, via = time, Via.WINDOW if record.start < time else Via.FRONT
    while True:
        if isinstance(record, Leapt):
            _add(parts, (_index(record), True), time - record.start)
            record, via = _unfold(record, parts)
            time = record.start
            continue
        if via is not Via.FRONT and record.request >= 0:
            return PathStretch(core, time - begin, end - begin, parts), record
        _add(parts, (record.index, True), time - record.start)
        before = record.before
        if before is None:
            _add(parts, (record.index, False), record.start - begin)
            return PathStretch(core, 0, end - begin, parts), None
        if record.via is Via.FRONT:
            _add(parts, (record.index, False), record.start - before.start)
            time = before.start
        else:
            time = record.start
        record, via = before, record.via


def _unfold(leapt: Leapt, parts: dict[Work, int]) -> tuple[Record, Via]:
    """Go back over all periods that were leapt over; the record before them, and the kind of its place."""
    period, place, rounds = leapt.period, leapt.place, leapt.rounds
    known: dict[StatePlace, tuple[dict[Work, int], StatePlace]] = {}
    order: list[StatePlace] = []
    while rounds:
        if place in known:  # the same periods come again and again
            cycle = order[order.index(place) :]
            turns, rounds = divmod(rounds, len(cycle))
            for each in cycle:
                for work, ps in known[each][0].items():
                    _add(parts, work, ps * turns)
            for _ in range(rounds):
                place = _again(known[place], parts)
            break
        known[place] = _one(period, place)
        order.append(place)
        place = _again(known[place], parts)
        rounds -= 1
    return period.late[place], place.via


def _again(step: tuple[dict[Work, int], StatePlace], parts: dict[Work, int]) -> StatePlace:
    for work, ps in step[0].items():
        _add(parts, work, ps)
    return step[1]


def _one(period: Period, place: StatePlace) -> tuple[dict[Work, int], StatePlace]:
    """Back over one period, from a place behind it to the place before it that decided it."""
    parts: dict[Work, int] = {}
    record, via = period.late[place], place.via
    while id(record) not in period.places:
        if isinstance(record, Leapt):
            record, via = _unfold(record, parts)
            continue
        before = record.before
        assert before is not None  # what is before the period is among its places
        if record.via is Via.FRONT:
            _add(parts, (record.index, False), record.start - before.start)
        else:
            _add(parts, (_index(before), True), record.start - before.start)
        record, via = before, record.via
    places = period.places[id(record)]
    return parts, places.get(Via.OPERAND if via is Via.READ else via) or next(iter(places.values()))


def _index(record: Record) -> int:
    """The instruction of an operation."""
    while isinstance(record, Leapt):
        record = record.period.late[record.place]
    return record.index


def _between(decided: Decided, at: At, time: int, begin: int) -> tuple[PathStretch, At | None]:
    """From `time`, when request `at` ended or had read, back to the start of what decided it; None if `init` did."""
    own, end = at, time - begin
    while at.end:
        at = decided.cause(at)
        if at.section != MAIN:
            return PathStretch(own.core, 0, end, {(decided.asked(own).index, True): end}, True, at.core), None
    start = decided.time(at) - begin
    parts: dict[Work, int] = {}
    _add(parts, (decided.asked(own).index, True), end - start)
    if at == own._replace(end=False):
        return PathStretch(own.core, start, end, parts, True), at
    return PathStretch(own.core, start, end, parts, True, at.core, decided.asked(at).index), at


def _add(parts: dict[Work, int], work: Work, ps: int) -> None:
    if ps:
        parts[work] = parts.get(work, 0) + ps


def works(path: list[PathStretch]) -> Iterator[tuple[int, Work, int]]:
    """Core, instruction and ps of all that the path consists of."""
    for stretch in path:
        for work, ps in stretch.parts.items():
            yield stretch.core, work, ps
