"""`emu stress`: report, table of links, JSON, suite, exit codes."""

import json
from pathlib import Path

import pytest
from commands import Emu
from junitparser import JUnitXml

from emu.stress import payload
from emu.stress.patterns import PATTERNS


def test_report_ends_with_errors(emu: Emu) -> None:
    result = emu("stress", "neighbor", "--cores", "6", "--count", "3", "--size", "64", "--links", "2")
    lines = result.stdout.splitlines()
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines[0] == (
        "neighbor on 6 core processes over ZeroMQ ipc, rendezvous: 3 rounds of 6 messages, size 64, seed 0"
    )
    assert "18 messages, 1.125 KiB in " in lines[1]
    assert lines[2].startswith("send p50 ")
    assert lines[3].startswith("links of the 2 x 3 mesh, XY routes (along the row, then the column): ")
    assert sum(" -> " in line for line in lines) == 2
    assert lines[-1] == "errors: 0"


@pytest.mark.parametrize(
    "words", [["--cores", 64], ["--seed", 0, "--chaos", "kill:0"], ["--chaos-runs", 2], ["--rate", 3]]
)
def test_a_list_of_patterns_runs_nothing(emu: Emu, words: list[object]) -> None:
    result = emu("stress", "--list", *words)
    flags = " and ".join(word for word in words if str(word).startswith("--"))
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert f"--list lists the patterns and runs none: leave {flags} out" in result.stderr


def test_json_has_every_link(emu: Emu) -> None:
    result = emu("stress", "incast", "--cores", "4", "--count", "2", "--json", "--flow", "credits:2")
    report = json.loads(result.stdout)
    assert result.exit_code == report["exit_code"] == report["errors"] == 0
    assert (report["messages"], report["bytes"], report["send_seconds"]["count"]) == (6, 384, 6)
    assert report["options"]["log_dir"] is None
    assert report["links"] == [
        {"from": 1, "to": 0, "bytes": 128},
        {"from": 2, "to": 0, "bytes": 256},
        {"from": 3, "to": 2, "bytes": 128},
    ]


def test_wrong_messages_exit_with_1(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = payload.Payload.send
    monkeypatch.setattr(
        payload.Payload, "send", lambda self, b, peer, index, size: whole(self, b, peer, index + 1, size)
    )
    result = emu("stress", "ring", "--cores", "3", "--count", "1")
    assert result.exit_code == 1 and result.stdout.splitlines()[-1] == "errors: 3"


def test_deadlock_is_a_success(emu: Emu) -> None:
    result = emu("stress", "deadlock", "--cores", "3")
    assert result.exit_code == 0 and "closes the cycle 0 -> 2 -> 1 -> 0" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["swirl"], "pattern 'swirl' is unknown"),
        (["ring", "--size", "13"], "--size '13': '13' is no multiple of 4"),
        (["transpose", "--cores", "5"], "pattern transpose needs a square number of cores, not 5"),
        ([], "name a PATTERN (--list shows all), or give --all"),
        (["ring", "--all"], "ring and --all exclude each other: give one of them"),
        (["ring", "--rate", "nan"], "'--rate': 'nan' is no finite number"),
        (["ring", "--duration", "nan"], "'--duration': 'nan' is no finite number"),
        (["ring", "--timeout", "inf"], "'--timeout': 'inf' is no finite number"),
    ],
)
def test_bad_usage(emu: Emu, arguments: list[str], sentence: str) -> None:
    result = emu("stress", *arguments)
    assert result.exit_code == 2 and sentence in result.stderr and "Traceback" not in result.output


def test_list(emu: Emu) -> None:
    assert list(json.loads(emu("stress", "--list", "--json").stdout)["patterns"]) == list(PATTERNS)
    assert "halo2d" in emu("stress", "--list").stdout


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


def test_bind_is_for_tcp_and_for_addresses_of_this_machine(emu: Emu) -> None:
    for transport, address, sentence in (("ipc", "127.0.0.1", "no effect"), ("tcp", "192.0.2.1", "no address of this")):
        result = emu("stress", "ring", "--cores", "2", "--transport", transport, "--bind", address)
        assert result.exit_code == 2 and f"--bind {address}" in result.stderr and sentence in result.stderr
