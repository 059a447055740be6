"""Whatever happens to a run, in whatever order: it ends, tells the first cause once, and gives out what is finished."""

from drawn_runs import ALL, SAMPLES, batch, event, happened, silence, steps, stories, timeouts, told, traps
from draws import examples
from driven_run import TICK, DrivenRun, deadlock, ends, result, trap
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.processes.orders import ReportKind
from launch.supervision import actions as do
from launch.supervision import events as on
from launch.supervision.causes import (
    Damaged,
    Deadlocked,
    Died,
    MessagesLost,
    ProcessRefused,
    TimedOut,
    Trapped,
    Unstartable,
)
from launch.supervision.run_state import GRACE, PATIENCE, RunPhase
from launch.supervision.stopped_processes import StoppedProcesses

OFTEN = settings(max_examples=examples(60, 1000))
CONSEQUENCES = (Damaged, Died, MessagesLost, Unstartable, TimedOut)


def lived(story, timeout=None):
    """The run to which all that has happened, as far as it went."""
    run = DrivenRun(timeout)
    for step in story:
        if run.ended:
            break
        step.take(run)
    return run


@OFTEN
@given(stories, st.sampled_from([1.0, 5.0, 30.0]))
def test_time_alone_ends_a_run_with_a_timeout(story, timeout):
    run = lived(story, timeout).passes(timeout + 1, 0.5)
    assert run.ended and len(run.causes) == 1


@OFTEN
@given(stories)
def test_time_alone_ends_a_run_that_has_failed(story):
    run = lived(story)
    if run.state.phase in (RunPhase.SETTLING, RunPhase.FAILING):
        run.passes(2 * PATIENCE + 1, 0.5)
        assert isinstance(run.causes[0], Trapped | Deadlocked)


@OFTEN
@given(stories, timeouts)
def test_what_is_told_has_happened(story, timeout):
    run = lived(story, timeout)
    assert all(happened(run, cause) for cause in run.causes)


@OFTEN
@given(stories, timeouts)
def test_no_trap_is_replaced_by_what_follows_from_it(story, timeout):
    run = lived(story, timeout)
    if run.causes and isinstance(run.causes[0], CONSEQUENCES):
        assert not traps(run) and not run.nudged


@OFTEN
@given(stories, timeouts)
def test_a_reason_that_is_the_users_to_mend_counts_before_all_else(story, timeout):
    run = lived(story, timeout)
    refused = [report for report in told(run) if report.event is ReportKind.ERROR]
    assert bool(refused) == (bool(run.causes) and isinstance(run.causes[0], ProcessRefused))


@OFTEN
@given(stories, timeouts)
def test_the_first_sample_that_failed_is_told(story, timeout):
    """That of the traps, or of a deadlock in an earlier one, which are known when it is decided."""
    run = lived(story, timeout)
    decided = next((place for place, each in enumerate(run.history) if isinstance(each, do.Nudge | do.Fail)), None)
    known = [report.record.sample for report in traps(run, decided)]
    match run.causes:
        case [Trapped(sample, records)]:
            assert sample == min(known)
            cores = {report.core for report in traps(run, decided) if report.record.sample == sample}
            assert {record.core for record in records} <= cores
        case [Deadlocked(report)]:
            assert all(report.sample < sample for sample in known)


@OFTEN
@given(stories, timeouts, st.lists(steps, max_size=5))
def test_a_run_ends_once(story, timeout, late):
    run = lived(story, timeout).feed(on.Quit())
    for step in late:  # nothing that comes later matters
        step.take(run)
    run.feed(on.Quit(), on.WaitStarted(1.0), on.Tick())
    assert run.ended and len(run.causes) <= 1
    assert run.count(do.Close) == 1 and isinstance(run.actions[-1], do.Close)
    assert sum(isinstance(action, do.Fail) for action in run.actions[-2:]) == len(run.causes)


@OFTEN
@given(stories, timeouts)
def test_whoever_wants_no_more_is_told_nothing(story, timeout):
    run = lived(story, timeout)
    causes = list(run.causes)
    run.feed(on.Quit())
    assert run.causes == causes


@OFTEN
@given(stories, timeouts)
def test_nothing_comes_out_of_order(story, timeout):
    run = lived(story, timeout)
    kinds = [type(answer) for answer in run.answers]
    assert kinds == [do.Connect, do.Begin, *[do.Deliver] * len(run.delivered)][: len(kinds)]
    assert run.delivered == sorted(set(run.delivered))


@OFTEN
@given(stories, timeouts)
def test_no_result_of_the_sample_that_failed_or_a_later_one_is_given_out(story, timeout):
    run = lived(story, timeout)
    nudge = next((place for place, each in enumerate(run.history) if isinstance(each, do.Nudge)), len(run.history))
    failed = [cause.sample for cause in run.causes if isinstance(cause, Trapped | Deadlocked)]
    for place, each in enumerate(run.history):
        if isinstance(each, do.Deliver):
            known = [report.record.sample for report in traps(run, place)]
            assert all(each.result.sample < sample for sample in (known if place < nudge else failed))


@given(
    st.integers(1, SAMPLES),
    st.lists(
        st.sampled_from([batch([ends(2)]), batch([ends(3, ReportKind.DAMAGED)]), silence(0.3), silence(5.0)]),
        max_size=4,
    ),
    st.data(),
)
def test_all_results_before_the_sample_that_failed_come_out(failed, others, data):
    """Whatever a core's trap brings about, as long as the memory node goes on."""
    run = DrivenRun().running()
    first = data.draw(st.integers(0, failed))  # results that come before the trap
    run.feed(*(on.Finished(result(sample)) for sample in range(first)))
    run.world.settled = data.draw(st.sampled_from([failed - 1, failed, ALL]))
    run.reports(trap(0, failed))
    later = [event(on.Finished(result(sample))) for sample in range(first, failed)]
    for step in _mixed(data, later, others):
        step.take(run)
    assert run.delivered == list(range(failed))
    run.passes(2 * PATIENCE + 1, 0.5)
    assert run.causes == [Trapped(failed, (trap(0, failed).record,))]


def _mixed(data, results, others):
    """Both, each in its order; the last result comes in time."""
    mixed, others = [], list(others)
    for step in results:
        if others and data.draw(st.booleans()):
            mixed.append(others.pop())
        mixed.append(step)
    return mixed


@OFTEN
@given(stories, timeouts)
def test_what_is_said_twice_is_said_once(story, timeout):
    said = [step for step in story if "Reported" in repr(step) or "Finished" in repr(step) or "Opened" in repr(step)]
    once, twice = lived(said, timeout), lived([step for step in said for _ in range(2)], timeout)
    assert once.answers == twice.answers and once.causes == twice.causes


@OFTEN
@given(stories, st.sampled_from([1.0, 5.0, 30.0]))
def test_no_timeout_comes_early(story, timeout):
    run = lived(story, timeout)
    if run.causes and isinstance(run.causes[0], TimedOut):
        assert run.now - run.asked > timeout


@given(st.integers(0, 3), st.integers(0, 250))
def test_a_deadlock_waits_for_others_as_long_as_patience(sample, ticks):
    run = DrivenRun().running()
    run.world.deadlock, run.world.settled = deadlock(sample), sample - 1
    first = run.passes(TICK).now
    run.passes(ticks * TICK)
    assert run.nudged == (run.now - first > PATIENCE)


@given(st.lists(st.frozensets(st.sampled_from("abc")), max_size=10))
def test_each_stop_is_told_once_until_it_is_over(times):
    processes, known = StoppedProcesses(), {name: [] for name in "abc"}
    for stopped in times:
        for text in processes.changes({name: f"{name} is stopped" for name in stopped}):
            known[text[0]].append("goes on" in text)
    for name, ended in known.items():
        assert ended == [bool(place % 2) for place in range(len(ended))]  # by turns, and the stop first
        assert len(ended) % 2 == bool(times and name in times[-1])


@OFTEN
@given(stories, timeouts)
def test_stopped_processes_decide_nothing(story, timeout):
    quiet = [step for step in story if "stopped is" not in repr(step)]
    with_stops, without = lived(story, timeout), lived(quiet, timeout)
    assert with_stops.causes == without.causes and with_stops.answers == without.answers


@given(st.floats(0.0, 10 * GRACE))
def test_traps_within_the_grace_time_are_told_together(later):
    run = DrivenRun().running()
    run.world.settled = ALL
    run.reports(trap(0, 0)).passes(later, later or 1.0).reports(trap(1, 0)).passes(1)
    assert len(run.causes[0].records) == (2 if later < GRACE else 1)
