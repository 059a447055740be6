"""Cases as processes: what is made of their ends, time that is up, and nothing that is left."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from lasting_cases import LastingCases
from leaks import descendants
from suite_results import made_case

from launch.campaigns.case import Case, CaseResult
from launch.campaigns.case_process import explained
from launch.campaigns.running import CampaignRun
from launch.campaigns.starting import FreshInterpreters, WarmProcesses
from launch.suites.commands import PATTERN

LONG = ("--cores", "2", "--duration", "60", "--rate", "50")  # it mostly sleeps
PATIENCE = 60


def ring(name: str, *options: str) -> Case:
    return made_case(name, PATTERN, "ring", *options)


@pytest.fixture(params=["warm processes", "fresh interpreters"])
def place(request: pytest.FixtureRequest, lasting_cases: LastingCases) -> LastingCases | FreshInterpreters:
    """Where cases run; the warm processes serve all tests but those of their beginning and their end."""
    return lasting_cases if request.param == "warm processes" else FreshInterpreters()


def started() -> list[int]:
    """Processes of cases: they have the files in memory that no other process has."""
    return [process for process in descendants() if "/memfd:emu-case-answer (deleted)" in files_of(process)]


def files_of(process: int) -> set[str]:
    """What a process has open."""
    found = set()
    with suppress(OSError):
        for link in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                found.add(str(link.readlink()))
    return found


@pytest.mark.parametrize(
    ("status", "report", "code", "reason"),
    [
        (0, {"cores": 2}, 0, ""),
        (1, {"cores": 2}, 1, "exit code 1"),
        (1, {"cores": 2, "reason": "output y differs"}, 1, "output y differs"),
        (2, {"error": "no such file", "exit_code": 2}, 2, "no such file"),
        (70, {}, 70, "ended without an answer (exit code 70)"),
        (0, {}, 70, "ended without an answer (exit code 0)"),
        (-9, {}, 5, "ended without an answer (killed by SIGKILL)"),
        (-9, {"cores": 2}, 5, "ended without an answer (killed by SIGKILL)"),
        (-200, {}, 5, "ended without an answer (killed by signal 200)"),
        (143, {"error": "terminated"}, 5, "ended without an answer (asked to by SIGTERM from outside)"),
    ],
)
def test_what_an_end_means(status: int, report: dict[str, object], code: int, reason: str) -> None:
    assert explained(status, report) == (code, reason)
    last = ": KeyError: 'cores'" if "without an answer (exit" in reason else ""
    assert explained(status, report, "Traceback ...\n  in a line\nKeyError: 'cores'\n") == (code, reason + last)


def test_a_case_and_its_answer(place: LastingCases | FreshInterpreters) -> None:
    done: list[CaseResult] = []
    cases = [ring("a", "--cores", "2", "--count", "2"), ring("b", "--cores", "1"), ring("c", "--cores", "x")]
    with CampaignRun(cases, done.append, jobs=3, place=place) as run:
        run.run()
    right, refused, unreadable = run.results()
    assert sorted(result.case.name for result in done) == ["a", "b", "c"]
    assert right.passed and right.report["messages"] == 4 and '"schema"' in right.output and not right.errors
    assert (refused.exit_code, unreadable.exit_code) == (2, 2)
    assert "cores" in refused.reason and "error: " + refused.reason in refused.errors
    assert "'x' is no whole number" in unreadable.reason


def test_a_case_that_is_killed(place: LastingCases | FreshInterpreters) -> None:
    with place as here:
        process = here.start(ring("killed", *LONG))
        until = time.monotonic() + PATIENCE
        while not started() and time.monotonic() < until:
            time.sleep(0.01)
        signal.pidfd_send_signal(process.exit, signal.SIGKILL)
        process.force_end(PATIENCE)
        result = process.result()
    assert (result.exit_code, result.reason) == (5, "ended without an answer (killed by SIGKILL)")


def test_time_that_is_up(place: LastingCases | FreshInterpreters) -> None:
    done: list[CaseResult] = []
    cases = [ring("a", *LONG), ring("b", *LONG), ring("c")]
    with CampaignRun(cases, done.append, jobs=2, deadline=1.5, place=place) as run:
        run.run()
        assert run.results() == sorted(done, key=lambda result: result.case.name)
        assert [result.exit_code for result in done] == [6, 6, 6]
        assert {result.reason for result in done} == {"the deadline of 1.5 s has passed"}
        assert done[2].seconds == 0 < done[0].seconds
        assert not started()


def test_no_time_at_all_starts_nothing() -> None:
    with CampaignRun([ring("a", *LONG)], deadline=1e-9) as run:
        run.run()
    assert [result.exit_code for result in run.results()] == [6]


def test_warm_processes_that_are_killed_are_replaced() -> None:
    with WarmProcesses() as place:
        place.begin()
        for process in descendants():
            os.kill(process, signal.SIGKILL)
        with CampaignRun([ring("a", "--cores", "2", "--count", "1")], place=place) as run:
            (result,) = run.run()
    assert result.passed and not descendants()


def test_the_first_that_is_wrong_ends_all() -> None:
    cases = [ring("wrong", "--cores", "1"), ring("long", *LONG), ring("idle")]
    with CampaignRun(cases, jobs=2, first=True) as run:
        wrong, *others = run.run()
    assert wrong.exit_code == 2
    assert [(result.exit_code, result.reason) for result in others] == [
        (None, "not run, because wrong is not right")
    ] * 2


class Stop(Exception):
    pass


def test_an_end_in_between_leaves_nothing(place: LastingCases | FreshInterpreters) -> None:
    def stop(result: CaseResult) -> None:
        raise Stop

    cases = [ring("long", *LONG), ring("short", "--cores", "2", "--count", "1"), ring("idle")]
    run = CampaignRun(cases, stop, jobs=2, place=place)
    with pytest.raises(Stop), run:
        run.run()
    assert not started()
    long, short, idle = run.results()
    assert short.passed
    assert [(result.exit_code, result.reason) for result in (long, idle)] == [
        (None, "interrupted while it ran"),
        (None, "not started"),
    ]


def test_what_is_known_does_not_run_again() -> None:
    cases = [
        Case("right", "nowhere:nothing", known={"cores": 3}),
        Case("refused", "nowhere:nothing", known={"reason": "too large", "exit_code": 2}),
        Case("expected", "nowhere:nothing", expect="refused", known={"reason": "too large", "exit_code": 2}),
    ]
    done: list[CaseResult] = []
    results = CampaignRun(cases, done.append).run()
    assert results == done
    found = [(result.exit_code, result.reason, result.seconds) for result in results]
    assert found == [(0, "", 0), (2, "too large", 0), (0, "refused, as expected: too large", 0)]
    assert results[0].report == {"cores": 3}
