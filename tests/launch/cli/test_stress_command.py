"""`emu stress`: report, table of links, JSON, suite, exit codes."""

import json
from pathlib import Path

import pytest
from commands import Emu
from junitparser import JUnitXml

from emu.stress import payload
from emu.stress.patterns import PATTERNS


def test_wrong_messages_exit_with_1(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = payload.Payload.send
    monkeypatch.setattr(
        payload.Payload, "send", lambda self, b, peer, index, size: whole(self, b, peer, index + 1, size)
    )
    result = emu("stress", "ring", "--cores", "3", "--count", "1")
    assert result.exit_code == 1 and result.stdout.splitlines()[-1] == "errors: 3"


def test_suite_skips_what_does_not_exist(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: PATTERNS[name] for name in ("ring", "transpose", "deadlock")}
    monkeypatch.setattr("launch.stress.campaign.PATTERNS", few)
    result = emu("stress", "--all", "--cores", "3", "--count", "1")
    assert result.exit_code == 0
    assert [line.partition(" in ")[0] for line in result.stderr.splitlines()] == [
        "[1/2] ring: PASS",
        "[2/2] deadlock: PASS",
    ]
    assert "skipped: pattern transpose needs a square number of cores, not 3" in result.stdout
    assert "deadlock found" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("2 of 2 cases right in ")


def test_patterns_are_cases(emu: Emu, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What strikes in one of them is enough; a death in one lets the others run, and is told as what it is."""
    few = {name: PATTERNS[name] for name in ("ring", "pingpong")}
    monkeypatch.setattr("launch.stress.campaign.PATTERNS", few)
    arguments = ["stress", "--all", "--cores", "2", "--count", "1", "--json", "-j", "2"]
    for chaos, code, exits in (("kill:0@2", 5, {5}), ("kill:0@999999", 2, {2})):
        result = emu(*arguments, "--chaos", chaos)
        told = json.loads(result.stdout)
        assert result.exit_code == told["exit_code"] == code
        assert {pattern["exit_code"] for pattern in told["patterns"]} == exits
    out = tmp_path / "out.xml"
    single = emu("stress", "ring", "--cores", "2", "--count", "1", "--junit", out)
    assert single.exit_code == 0 and "1 of 1 case right" in single.stdout
    (suite,) = JUnitXml.fromfile(str(out))
    assert [case.name for case in suite] == ["ring"] and suite.name == "emu stress"


@pytest.mark.full
def test_the_whole_suite_on_64_cores(emu: Emu) -> None:
    report = json.loads(emu("stress", "--all", "--json").stdout)
    assert [result["pattern"] for result in report["patterns"]] == list(PATTERNS)
    assert report["exit_code"] == 0 and report["seconds"] < 120
