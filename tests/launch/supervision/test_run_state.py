"""What becomes of a run, event by event: which cause counts, how long is waited, and what comes out before the end."""

import pytest
from driven_run import BOUND, DrivenRun, deadlock, ends, error, joining, overdue, result, trap

from launch.processes.orders import MEMORY_NODE, ZYGOTE, ProcessReport, ReportKind
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

ALL = 1 << 40  # all samples are settled


def started(results=0, timeout=None):
    return DrivenRun(timeout).running(results)


def test_a_run_that_goes_well():
    run = started(3, timeout=1.0).passes(0.9)
    assert [type(answer) for answer in run.answers] == [do.Connect, do.Begin, *[do.Deliver] * 3]
    assert run.answers[0] == do.Connect("ipc://memory") and run.delivered == [0, 1, 2] and not run.causes
    assert run.feed(on.Quit(), on.Quit()).ended and run.count(do.Close) == 1 and not run.causes


def test_an_idle_core_that_ends_early_has_started_all_the_same():
    run = DrivenRun().reports(BOUND)
    run.state.cores = 32
    for there in (3, 19, 31, 19, 40):
        run.world.forked = there
        run.feed(on.Tick())
    assert [action.cores for action in run.actions if isinstance(action, do.ForkProgress)] == [3, 19, 31, 31, 32]
    assert started().passes(1).count(do.ForkProgress) == 0


def test_what_the_node_has_not_answered_is_said_again_until_the_start():
    assert DrivenRun().passes(0.5).count(do.Remind) == 0  # there is no node yet
    run = DrivenRun().reports(BOUND).passes(0.49)
    assert run.count(do.Remind) == 10
    assert run.feed(on.StartAllowed()).passes(1).count(do.Remind) == 10


def test_an_error_that_comes_with_the_endpoint_is_raised():
    run = DrivenRun().reports(BOUND, error("the log is a directory"))
    assert run.causes == [ProcessRefused("the log is a directory")] and not run.answers


def test_a_trap_that_comes_with_the_endpoint_waits_for_the_start():
    run = DrivenRun().reports(BOUND, trap(1, -1))
    assert run.answers == [do.Connect("ipc://memory")] and run.state.phase is RunPhase.JOINING
    run.world.settled = ALL
    assert not run.passes(2 * PATIENCE).causes
    assert isinstance(run.feed(on.StartAllowed()).answers[-1], do.Begin) and not run.causes
    assert run.passes(0.2).causes == [Trapped(-1, (trap(1, -1).record,))]


@pytest.mark.parametrize(
    ("reports", "kind"),
    [
        ([ends(1), trap(0, 0), error()], ProcessRefused),
        ([ends(1), ends(2, ReportKind.DAMAGED), trap(0, 0)], Trapped),
        ([ends(1, ReportKind.DAMAGED), ends(2)], Damaged),
        ([ends(2), ends(1, ReportKind.DAMAGED)], Died),  # in the order in which they were reported
        ([ends(1, ReportKind.BUG), ends(1)], Died),
        ([ends(MEMORY_NODE)], Died),
    ],
)
@pytest.mark.parametrize("joined", [False, True])
def test_what_counts_of_what_is_reported_at_once(reports, kind, joined):
    run = started() if joined else DrivenRun().reports(BOUND)
    run.reports(*reports).passes(PATIENCE + 1)
    assert isinstance(run.causes[0], kind)
    if kind in (Damaged, Died):
        assert run.causes[0].report is reports[0]


def test_whatever_is_reported_after_a_trap_follows_from_it():
    run = started().reports(trap(3, 0)).reports(ends(1), ends(2, ReportKind.DAMAGED)).passes(1)
    assert run.causes == [Trapped(0, (trap(3, 0).record,))]
    assert started().reports(trap(3, 0)).reports(error()).causes == [ProcessRefused(error().text)]


def test_other_cores_may_trap_too():
    run = started()
    run.world.settled = ALL
    run.reports(trap(3, 2)).passes(GRACE / 2, 0.01).reports(trap(1, 0)).passes(GRACE / 2, 0.01)
    assert not run.causes
    run.reports(trap(2, 0), trap(2, 0)).passes(1)
    assert run.causes == [Trapped(0, (trap(1, 0).record, trap(2, 0).record))]


def test_the_other_end_of_a_message_traps_too():
    run = started()
    run.world.settled = ALL
    assert not run.reports(trap(0, 0, peer=1)).passes(1).causes
    assert len(run.reports(trap(1, 0, peer=0)).passes(1).causes[0].records) == 2


def test_patience_with_cores_that_come_to_no_end():
    run = started()
    run.world.settled = 4
    assert not run.reports(trap(0, 5)).passes(PATIENCE - 0.1).nudged
    assert run.passes(0.2).nudged and run.state.phase is RunPhase.FAILING
    assert not run.passes(PATIENCE - 0.2).causes  # of samples before
    assert run.passes(0.2).causes == [Trapped(5, (trap(0, 5).record,))]


def test_somebody_who_has_died_is_not_waited_for():
    for reports in ([[trap(0, 0)], [ends(1)]], [[trap(0, 0), ends(1)]]):
        run = started()
        for batch in reports:
            run.reports(*batch)
        assert run.passes(GRACE + 0.1).causes == [Trapped(0, (trap(0, 0).record,))]


def test_results_before_the_sample_that_failed_come_out():
    run = started(1)
    run.world.settled = ALL
    run.reports(trap(1, 3)).feed(on.Finished(result(1))).passes(1)
    assert run.state.phase is RunPhase.FAILING and not run.causes
    run.feed(on.Finished(result(2)), on.Finished(result(3)), on.Tick())
    assert run.delivered == [0, 1, 2] and run.causes == [Trapped(3, (trap(1, 3).record,))]


def test_whoever_takes_results_slowly_gets_them_all():
    """Patience counts while somebody waits."""
    run = started(timeout=1.0)
    run.world.settled = ALL
    run.timeout = None
    run.feed(on.Finished(result(0))).reports(trap(0, 3)).passes(0.5)
    for sample in (1, 2):
        run.now += 5 * PATIENCE  # meanwhile nobody looks
        run.ask()
        run.feed(on.Finished(result(sample)))
    assert run.delivered == [0, 1, 2]


@pytest.mark.parametrize("who", [ZYGOTE, MEMORY_NODE])
def test_nobody_gives_results_any_more(who):
    run = started()
    run.world.settled = ALL
    run.reports(trap(1, 3)).passes(1)
    assert run.reports(ends(who)).passes(GRACE + 0.1).causes == [Trapped(3, (trap(1, 3).record,))]


def test_a_deadlock_is_told_once_it_is_settled():
    run = started()
    run.world.deadlock, run.world.settled = deadlock(0), -1
    assert not run.passes(PATIENCE - 0.2).causes
    run.world.settled = 0
    assert run.feed(on.Tick()).causes == [Deadlocked(deadlock(0))]


def test_a_deadlock_beside_a_core_that_computes_for_ever():
    run = started()
    run.world.deadlock = deadlock(0)
    assert not run.passes(PATIENCE - 0.1).causes
    run.world.deadlock = None
    run.feed(on.Tick())
    run.world.deadlock = deadlock(0)
    assert not run.passes(PATIENCE - 0.1).causes  # it is another one
    assert run.passes(0.3).causes == [Deadlocked(deadlock(0))]


@pytest.mark.parametrize(("sample", "kind"), [(1, Deadlocked), (2, Trapped), (3, Trapped)])
def test_the_first_sample_that_fails_counts(sample, kind):
    run = started(1)
    run.world.deadlock, run.world.settled = deadlock(sample), 0
    run.reports(trap(9, 2)).passes(0.5)
    run.world.settled = ALL
    run.passes(0.2)
    run.feed(*(on.Finished(result(each)) for each in range(1, 3)), on.Tick())
    assert isinstance(run.causes[0], kind)


def test_a_deadlock_while_a_trap_waits_for_the_start():
    """Both are known before the start has been heard of."""
    for sample, kind in ((0, Deadlocked), (2, Trapped)):
        run = DrivenRun().reports(BOUND, trap(9, 1))
        run.world.deadlock, run.world.settled = deadlock(sample), ALL
        assert isinstance(run.passes(PATIENCE + 1).causes[0], kind)


@pytest.mark.parametrize("sample", [1, 2])
def test_a_result_that_cannot_be_is_not_given_out(sample):
    run = started(1).reports(trap(0, 1)).feed(on.Finished(result(sample)))
    assert run.delivered == [0] and run.state.phase is RunPhase.SETTLING


def test_a_loss_ends_a_run_after_the_grace_time():
    run = started()
    run.world.overdue, run.world.run_counts = overdue(b"rows"), {"thread": "1"}
    assert not run.passes(0.5).causes
    assert run.passes(0.2).causes == [MessagesLost(overdue(b"rows"))]


def test_a_loss_that_is_certain_when_time_is_over_is_told_once():
    run = started(timeout=1.5)
    run.world.overdue, run.world.run_counts = overdue(b"rows"), {"thread": "1"}
    assert run.passes(2, 0.55).causes == [MessagesLost(overdue(b"rows"))] and run.count(do.Close) == 1


def test_nobody_can_start():
    run = DrivenRun().reports(BOUND)
    run.world.run_counts = {}
    for said in range(200):
        run.world.joining = joining(b"same", said)
        run.feed(on.Tick())
        run.now += 0.1
    assert run.causes == [Unstartable()] and run.count(do.InspectMembers) == 9


def test_the_timeout_counts_from_when_somebody_waits():
    run = started(timeout=2.0).passes(1.9).feed(on.Finished(result(0))).passes(1.9)
    assert not run.causes and run.passes(0.2).causes == [TimedOut(2.0)]


@pytest.mark.parametrize("phase", [RunPhase.JOINING, RunPhase.SETTLING, RunPhase.FAILING])
def test_a_timeout_tells_what_failed(phase):
    run = DrivenRun(2.0).reports(BOUND)
    if phase is RunPhase.JOINING:
        run.reports(trap(0, 1))
    else:
        run.feed(on.StartAllowed()).reports(trap(0, 1))
        run.world.settled = ALL if phase is RunPhase.FAILING else 0
    run.passes(1.9)
    assert run.state.phase is phase and run.passes(0.2).causes == [Trapped(1, (trap(0, 1).record,))]


def test_stopped_processes_are_told_now_and_then():
    run = started()
    run.world.stopped = {"core 1": "core 1 is stopped (SIGSTOP)"}
    assert not run.passes(0.9).notes
    text = "core 1 is stopped (SIGSTOP): the run waits until it is continued (SIGCONT)"
    assert run.passes(3).notes == [text]
    run.world.stopped = {}
    assert run.passes(3).notes == [text, "core 1 goes on"] and not run.causes


def test_words_that_come_twice_change_nothing():
    run = DrivenRun().reports(BOUND, BOUND).reports(BOUND).feed(on.StartAllowed(), on.StartAllowed())
    run.feed(on.Finished(result(0)), on.Finished(result(0)), on.StartAllowed()).reports(BOUND)
    assert len(run.answers) == 3 and run.state.phase is RunPhase.RUNNING


def test_a_report_of_nothing_changes_nothing():
    assert (
        not started().reports().causes
        and DrivenRun().reports(ProcessReport(ReportKind.TRAP, 1)).state.phase is RunPhase.BINDING
    )
