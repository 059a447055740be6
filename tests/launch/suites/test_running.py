"""Cases as processes: what is made of their ends, time that is up, and nothing that is left."""

import os
import signal
import time
from pathlib import Path

import pytest
from leaks import descendants
from suite_results import made_case

from launch.suites.case import PATTERN, Case, CaseResult
from launch.suites.case_process import CHILD, CaseProcess, explained
from launch.suites.running import SuiteRun

LONG = ("--cores", "2", "--duration", "60")
PATIENCE = 60


def ring(name: str, *options: str) -> Case:
    return made_case(name, PATTERN, "ring", *options)


def started() -> list[int]:
    """Processes of cases that run the command already: their command line tells."""
    found = []
    for process in descendants():
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        if str(CHILD).encode() in words:
            found.append(process)
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


def test_a_case_and_its_answer() -> None:
    done: list[CaseResult] = []
    cases = [ring("a", "--cores", "2", "--count", "2"), ring("b", "--cores", "1"), ring("c", "--cores", "x")]
    with SuiteRun(cases, 3, None, done.append) as run:
        run.run()
    right, refused, unreadable = run.results()
    assert sorted(result.case.name for result in done) == ["a", "b", "c"]
    assert right.passed and right.report["messages"] == 4 and '"schema"' in right.output and not right.errors
    assert (refused.exit_code, unreadable.exit_code) == (2, 2)
    assert "cores" in refused.reason and "error: " + refused.reason in refused.errors
    assert "'x' is no whole number" in unreadable.reason


def test_a_case_that_is_killed() -> None:
    process = CaseProcess(ring("killed", *LONG))
    until = time.monotonic() + PATIENCE
    while not started() and time.monotonic() < until:
        time.sleep(0.01)
    (child,) = started()
    os.kill(child, signal.SIGKILL)
    process.force_end(PATIENCE)
    result = process.result()
    assert (result.exit_code, result.reason) == (5, "ended without an answer (killed by SIGKILL)")


def test_time_that_is_up() -> None:
    done: list[CaseResult] = []
    with SuiteRun([ring("a", *LONG), ring("b", *LONG), ring("c")], 2, 0.5, done.append) as run:
        run.run()
        assert run.results() == sorted(done, key=lambda result: result.case.name)
        assert [result.exit_code for result in done] == [6, 6, 6]
        assert {result.reason for result in done} == {"the deadline of 0.5 s has passed"}
        assert done[2].seconds == 0 < done[0].seconds
        assert not started()


def test_no_time_at_all_starts_nothing() -> None:
    with SuiteRun([ring("a", *LONG)], 1, 1e-9, lambda result: None) as run:
        run.run()
    assert [result.exit_code for result in run.results()] == [6]


class Stop(Exception):
    pass


def test_an_end_in_between_leaves_nothing() -> None:
    def stop(result: CaseResult) -> None:
        raise Stop

    cases = [ring("long", *LONG), ring("short", "--cores", "2", "--count", "1"), ring("idle")]
    run = SuiteRun(cases, 2, None, stop)
    with pytest.raises(Stop), run:
        run.run()
    assert not started()
    long, short, idle = run.results()
    assert short.passed
    assert [(result.exit_code, result.reason) for result in (long, idle)] == [
        (None, "interrupted while it ran"),
        (None, "not started"),
    ]
