"""Sequences of what may happen to a run, in any order, early, late and twice: for properties of its state machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from driven_run import BOUND, DrivenRun, World, deadlock, ends, error, joining, overdue, result, trap
from hypothesis import strategies as st

from launch.processes.orders import MEMORY_NODE, ZYGOTE, ProcessReport, ReportKind
from launch.supervision import events as on
from launch.supervision.causes import (
    Cause,
    Damaged,
    Deadlocked,
    Died,
    MessagesLost,
    ProcessRefused,
    TimedOut,
    Trapped,
    Unstartable,
)

CORES, SAMPLES = 4, 4
ALL = 1 << 40  # all samples are settled

cores, samples = st.integers(0, CORES - 1), st.integers(-1, SAMPLES)
rests = st.sampled_from([None, {"thread": "1"}, {"thread": "2"}])
said = st.integers(0, 9)
names = st.sampled_from([f"core {core}" for core in range(CORES)] + ["the memory node"])
reports = st.one_of(
    st.just(BOUND),
    st.builds(trap, cores, samples, st.just(-1) | cores),
    st.builds(ends, cores | st.sampled_from([ZYGOTE, MEMORY_NODE]), st.sampled_from([ReportKind.EXIT, ReportKind.BUG])),
    st.builds(ends, cores, st.just(ReportKind.DAMAGED)),
    st.builds(error, st.sampled_from(["no such file", "the log is a directory"])),
)


@dataclass(frozen=True)
class Step:
    """`text` names it; `take` lets it happen."""

    text: str
    take: Callable[[DrivenRun], Any]

    def __repr__(self) -> str:
        return self.text


def event(value: on.Event) -> Step:
    return Step(repr(value), lambda run: run.feed(value))


def batch(several: list[ProcessReport]) -> Step:
    return event(on.Reported(tuple(several)))


def sight(name: str, value: Any) -> Step:
    """From now on this is to be seen of the world."""
    assert name in World.__dataclass_fields__, "nobody would see it"
    return Step(f"{name} is {value}", lambda run: setattr(run.world, name, value))


def silence(seconds: float) -> Step:
    return Step(f"{seconds} s of silence", lambda run: run.passes(seconds, max(0.05, seconds / 20)))


batches = st.lists(reports, min_size=0, max_size=3).map(batch)
results = st.builds(result, st.integers(0, SAMPLES)).map(on.Finished).map(event)
sights = st.one_of(
    st.builds(sight, st.just("deadlock"), st.none() | samples.map(deadlock)),
    st.builds(sight, st.just("settled"), st.just(on.NOT_SETTLED) | samples | st.just(ALL)),
    st.builds(sight, st.just("overdue"), st.none() | st.sampled_from([b"these", b"those"]).map(overdue)),
    st.builds(
        sight, st.just("joining"), st.none() | st.builds(joining, st.sampled_from([b"a", b"b"]), st.integers(0, 9))
    ),
    st.builds(sight, st.just("run_counts"), rests),
    st.builds(sight, st.just("outdated"), st.booleans()),
    st.builds(sight, st.just("awake"), st.frozensets(names)),
    st.builds(sight, st.just("stopped"), st.dictionaries(names, st.just("somebody is stopped"))),
)
answers = st.one_of(  # that nobody has asked for
    st.builds(on.ThreadsSeen, rests),
    st.builds(on.MembersSeen, rests, st.frozensets(names)),
    st.builds(on.CoresCounted, st.integers(0, CORES)),
).map(event)
silences = st.sampled_from([0.05, 0.6, 2.0, 11.0]).map(silence)
starts = st.sampled_from(
    [[], [batch([BOUND])], [batch([BOUND]), event(on.StartAllowed())]]
)  # how far it has come before
steps = st.one_of(batches, results, sights, answers, silences, st.just(event(on.StartAllowed())))
stories = st.builds(list.__add__, starts, st.lists(steps, max_size=25))
timeouts = st.none() | st.sampled_from([1.0, 5.0, 30.0])


def told(run: DrivenRun, before: int | None = None) -> list[ProcessReport]:
    """All that processes have reported, `before` a place in its history."""
    return [report for each in run.history[:before] if isinstance(each, on.Reported) for report in each.reports]


def traps(run: DrivenRun, before: int | None = None) -> list[ProcessReport]:
    """Those among them that are traps; of each core the first, as none can trap twice."""
    return list(
        {report.core: report for report in reversed(told(run, before)) if report.event is ReportKind.TRAP}.values()
    )


def seen(run: DrivenRun, name: str) -> list[Any]:
    """What the board has said of `name` so far."""
    return [getattr(each, name) for each in run.fed if isinstance(each, on.BoardRead)]


def happened(run: DrivenRun, cause: Cause) -> bool:
    """Whether `cause` is among what has happened to `run`."""
    match cause:
        case ProcessRefused(text):
            return any(report.event is ReportKind.ERROR and report.text == text for report in told(run))
        case Trapped(sample, records):
            drawn = [report.record for report in traps(run)]
            return bool(records) and all(record in drawn and record.sample == sample for record in records)
        case Deadlocked(report):
            return report in seen(run, "deadlock")
        case Damaged(report):
            return report.event is ReportKind.DAMAGED and report in told(run)
        case Died(report):
            return report.event in (ReportKind.EXIT, ReportKind.BUG) and report in told(run)
        case MessagesLost(lost):
            return lost in seen(run, "overdue")
        case Unstartable():
            return any(how is not None for how in seen(run, "joining"))
        case TimedOut(seconds):
            return seconds == run.timeout and run.now - run.asked > seconds
