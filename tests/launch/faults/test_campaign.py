"""Every kind of fault is found out in a real run, and a campaign tells when one is not."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from emu.errors import EmuError
from launch.faults import leaks
from launch.faults.campaign import try_out
from launch.faults.inside import Inside
from launch.faults.judges import died
from launch.faults.kinds import KINDS, FaultKind
from launch.faults.leaks import leaks_of, when_gone
from launch.faults.makers import kill
from launch.faults.outcome import FaultOutcome
from launch.faults.outside import Outside
from launch.faults.plan import FaultTrial, make_plan
from launch.supervision.errors import CoreDied

GENEROUS = 10.0  # seconds: this machine may be busy
CORES = 3


def outcome_of(kind: FaultKind, cores: int, seed: int, runs: int = 1) -> FaultOutcome:
    """Trials in this process."""
    return FaultOutcome(kind, tuple(try_out(kind, cores, seed, number) for number in range(runs)))


@pytest.mark.few(9)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_is_found_and_leaves_nothing(kind: FaultKind) -> None:
    outcome = outcome_of(kind, CORES, 0)
    assert outcome.right, outcome.problems()
    if kind.limit is not None:
        assert 0 <= outcome.seconds[0] < GENEROUS


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_is_found_at_any_moment(kind: FaultKind) -> None:
    outcome = outcome_of(kind, 16, 1, 20)
    assert outcome.right, outcome.problems()


def test_plans_are_seeded(tmp_path: Path) -> None:
    plans = [make_plan(tmp_path, 64, "kind", seed, number) for seed in (0, 1) for number in (0, 1)]
    assert len(set(plans)) == 4 and plans[0] == make_plan(tmp_path, 64, "kind", 0, 0)
    assert replace(plans[0], victim=63).next == 0


def wrong(how: Inside | Outside) -> FaultOutcome:
    return outcome_of(FaultKind("wrong", "never", how), CORES, 0)


def test_a_fault_that_is_not_found_is_told() -> None:
    """The wrong signal, no fault at all, an end where none should be, a wrong exit code."""
    outcome = wrong(Inside(kill(signal.SIGKILL), died(signal.SIGSEGV)))
    assert not outcome.right and "was killed by SIGKILL" in outcome.problems()[0]
    outcome = wrong(Inside(kill(signal.SIGKILL), None))
    assert not outcome.right and "the run ended: core" in outcome.problems()[0]
    outcome = wrong(Outside(signal.SIGKILL, 0))
    assert outcome.problems() == ["wrong: the launcher ended with -9 instead of 0"]


def test_errors_of_the_start_are_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Inside, plan: object) -> FaultTrial:
        raise EmuError("no luck")

    monkeypatch.setattr(Inside, "try_out", fail)
    assert wrong(Inside(kill(signal.SIGKILL), None)).problems() == ["wrong: the run did not start: no luck"]


def test_an_interrupt_does_not_wait_for_a_fault_that_never_comes(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from launch.faults.inside import Inside
from launch.faults.makers import seen
from launch.faults.plan import TrialPlan
from launch.faults.subjects import RingTraffic

def interrupted(self, chip):
    raise KeyboardInterrupt

RingTraffic.samples = interrupted
Inside(seen(lambda chip, plan: False), None).try_out(TrialPlan(Path({str(tmp_path)!r}), 2, 0, 0.0, 1))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    assert done.stderr.endswith("KeyboardInterrupt\n")


def test_a_dead_core_must_be_the_victim_and_have_a_place(tmp_path: Path) -> None:
    plan = replace(make_plan(tmp_path, 4, "kind", 0, 0), victim=2)
    judge = died(signal.SIGKILL)
    assert judge(plan, CoreDied("core 2", 2, -signal.SIGKILL)) == ""  # before its first instruction
    assert judge(plan, CoreDied("core 1", 1, -signal.SIGKILL)) != ""
    assert judge(plan, CoreDied("core 2", 2, -signal.SIGSEGV)) != ""


def test_leaks_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "PATIENCE", 0.05)
    (tmp_path / "left").touch()
    assert leaks_of({}, tmp_path) == (str(tmp_path / "left"),)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert leaks_of({"core 1": child.pid}) == (f"core 1 (process {child.pid})",)
        assert when_gone([child.pid]) is None
        assert child.stdin is not None
        child.stdin.close()
        child.wait()
        assert when_gone([child.pid]) is not None


def test_run_directories_of_this_process_are_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(leaks, "PATIENCE", 0.05)
    (tmp_path / f"emu-run-{os.getpid()}-x").mkdir()
    assert leaks_of({}) == (str(tmp_path / f"emu-run-{os.getpid()}-x"),)


def test_an_outcome_in_numbers() -> None:
    trials = (
        FaultTrial(0.1),
        FaultTrial(1.5),
        FaultTrial(0.2),
        FaultTrial(None, "nothing came"),
        FaultTrial(0.3, leaks=("path",)),
    )
    outcome = FaultOutcome(FaultKind("trap", "trap to error", Outside(signal.SIGKILL, 0)), trials)
    assert outcome.cells() == ("trap", "trap to error", "5", "4", "250", "1500", "1")
    assert (outcome.right, outcome.late) == (False, 1)
    assert outcome.problems() == ["trap: nothing came", "trap left path"]
    assert outcome.to_dict()["seconds"] == [0.1, 0.2, 0.3, 1.5]
