"""`emu stress --faults`: table, JSON, page, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Emu
from junitparser import JUnitXml

from launch.campaigns.starting import InThisProcess
from launch.faults import campaign
from launch.faults.kinds import KINDS
from launch.faults.plan import FaultTrial
from launch.text.markdown_page import end_marker, marker


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> list[FaultTrial]:
    """What the one trial of every kind finds."""
    found = [FaultTrial(0.25)]
    monkeypatch.setattr("launch.campaigns.starting.place_for", lambda needed, isolated: InThisProcess())
    monkeypatch.setattr(campaign, "try_out", lambda *arguments: found[0])
    return found


def test_table_and_last_line(emu: Emu, trials: list[FaultTrial]) -> None:
    result = emu("stress", "--faults", "--repeat", 3, "--cores", 4)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "faults in runs of 4 cores"
    assert all(kind.name in result.stdout for kind in KINDS)
    assert result.stdout.splitlines()[-1] == "later than their limit: 0, problems: 0"


def test_problems_exit_with_1(emu: Emu, trials: list[FaultTrial]) -> None:
    trials[0] = FaultTrial(None, "nobody noticed")
    result = emu("stress", "--faults", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == report["exit_code"] == 1 and report["seed"] == 0
    assert report["faults"][0]["problems"] == ["core SIGKILL: nobody noticed"]
    assert "trap: nobody noticed" in emu("stress", "--faults").stdout


def test_the_page_is_written(emu: Emu, trials: list[FaultTrial], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no place for it\n")
    result = emu("stress", "--faults", "--write", page)
    assert result.exit_code == 2 and marker("table", "stress --faults") in result.stderr
    page.write_text(f"before\n{marker('table', 'stress --faults')}\nold\n{end_marker('stress --faults')}\nafter\n")
    assert emu("stress", "--faults", "--write", page, "--cores", 8).exit_code == 0
    text = page.read_text()
    assert "| core SIGKILL | signal to error | 1 | 1 | 250 | 250 | 0 |" in text and "8 core processes; " in text
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text


def test_kinds_are_cases(emu: Emu, tmp_path: Path) -> None:
    out = tmp_path / "out.xml"
    result = emu("stress", "--faults", "-k", '"core SIGKILL" or trap', "--cores", 3, "--json", "--junit", out)
    told = json.loads(result.stdout)
    assert [fault["fault"] for fault in told["faults"]] == ["core SIGKILL", "trap"]
    assert result.exit_code == 0 and all(fault["found"] == 1 for fault in told["faults"])
    (suite,) = JUnitXml.fromfile(str(out))
    assert [case.name for case in suite] == ["core SIGKILL", "trap"] and not suite.failures


def test_modules_of_the_working_directory_are_not_imported(tmp_path: Path) -> None:
    for name in ("launch", "emu", "numpy", "signal", "zmq", "click"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')")
    code = (
        "import signal, sys; from pathlib import Path; from launch.faults.outside import Outside; "
        "from launch.faults.plan import TrialPlan; "
        "sys.exit(Outside(signal.SIGTERM, 143).try_out(TrialPlan(Path(sys.argv[1]), 2, 0, 0.0, 1)).problem or 0)"
    )
    command = [sys.executable, "-P", "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
