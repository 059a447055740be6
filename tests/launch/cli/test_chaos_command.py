"""`--chaos` of `emu launch` and `emu stress`: reports, JSON, refusals, and runs that are continued after a kill."""

import json
import re
from pathlib import Path

import pytest
from commands import SAMPLES, Emu

from emu.chaos.kinds import KINDS
from emu.image.npz import read_npz, write_npz
from emu.stress.patterns import PATTERNS

GENTLE = ["--chaos", "delay:0.1,2", "--chaos", "reorder-start", "--chaos", "pause:random,10", "--chaos", "yield:0.1"]


def inputs(path: Path, count: int) -> Path:
    write_npz(path, {name: array[:count] for name, array in read_npz(SAMPLES).items() if name != "labels"})
    return path


def test_the_report_says_what_was_injected(emu: Emu, digits_image: Path) -> None:
    result = emu("launch", digits_image, *GENTLE, "--chaos", "kill:0@9999", "--chaos-seed", "4")
    assert result.exit_code == 0 and "PASS" in result.stdout
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("chaos")]
    assert line.startswith("chaos, seed 4: injected delay ") and line.endswith("kill 0")
    report = json.loads(emu("launch", digits_image, *GENTLE, "--json").stdout)
    assert report["injected"]["pause"] == 1 and report["series"] is None
    assert report["options"]["chaos"] == {"specs": GENTLE[1::2], "seed": 0}
    assert json.loads(emu("launch", digits_image, "--json").stdout)["injected"] is None


def test_runs_are_compared_with_the_undisturbed_one(emu: Emu, digits_image: Path) -> None:
    result = emu("launch", digits_image, *GENTLE, "--chaos-runs", "2", "--chaos-seed", "5")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith(
        "chaos, seeds 5 to 6: 2 of 2 runs equal the undisturbed one, 0 differ, 0 ended with an error; injected delay "
    )


def test_a_stress_test_reports_its_chaos(emu: Emu) -> None:
    result = emu("stress", "ring", "--cores", "3", "--count", "4", "--seed", "6", "--chaos", "delay:1,0.1")
    assert result.exit_code == 0 and "\nchaos, seed 6: injected delay " in result.stdout
    series = json.loads(
        emu("stress", "random-dag", "--cores", "4", "--count", "1", *GENTLE, "--chaos-runs", "2", "--json").stdout
    )
    assert series["exit_code"] == 0 and (series["series"]["equal"], series["series"]["runs"]) == (2, 2)
    assert series["series"]["injected"]["reorder-start"] == 8


def test_the_suite_adds_up(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("launch.stress.campaign.PATTERNS", {name: PATTERNS[name] for name in ("ring", "deadlock")})
    result = emu("stress", "--all", "--cores", "3", "--count", "1", "--chaos", "nice")
    assert result.exit_code == 0 and "\nchaos, seed 0: injected nice 6\n" in result.stdout


def test_a_killed_core_ends_with_5_and_says_what_was_injected(emu: Emu) -> None:
    result = emu("stress", "ring", "--cores", "3", "--chaos", "kill:1@5", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["exit_code"], told["injected"]) == (5, 5, {"kill": 1})
    assert result.stderr.splitlines()[0].startswith("error: core 1 was killed by SIGKILL, last seen at main[")
    assert result.stderr.splitlines()[1] == "chaos: injected kill 1"


def test_keeping_tensors_does_not_move_what_is_injected(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    keep = ["--keep", "all", "--save", tmp_path / "out.npz"]
    ends = [emu("launch", digits_image, "--chaos", "kill:1@3", *options).stderr.splitlines() for options in ([], keep)]
    assert ends[0] == ends[1][:2] and ends[0][0].startswith("error: core 1 was killed")


def test_a_lost_acknowledgement_ends_with_an_error(emu: Emu) -> None:
    result = emu("stress", "ring", "--cores", "3", "--chaos", "drop-credit:1@2")
    assert result.exit_code == 5 and result.stderr.startswith("error: the acknowledgement of message 2 from core 0 ")
    assert "core 0" in result.stderr and "core 1" in result.stderr and "injected drop-credit 1" in result.stderr


def test_a_doubled_message_ends_with_an_error(emu: Emu) -> None:
    result = emu("stress", "ring", "--cores", "3", "--chaos", "duplicate:1", "--flow", "credits:3")
    assert result.exit_code == 5
    assert re.match(
        r"error: core (\d) refuses what it got at main\[\d+\] .*: core \1 got message \d of core \d out of order; "
        r"something was lost, doubled or changed on its way\n",
        result.stderr,
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--chaos", "crash"], "--chaos 'crash' is of no known kind: use one of delay,"),
        (["--chaos", "delay:7,1"], "P is a probability from 0 to 1, not '7': write it as delay:P,MS"),
        (["--chaos", "kill:99@3"], "--chaos kill:99@3: core 99 has no program: the cores that have are 0 to"),
        (["--chaos", "nice", "--sequential"], "--chaos disturbs processes, and with --sequential there is one"),
        (["--chaos-seed", "3"], "--chaos-seed has no effect without --chaos"),
        (["--chaos-runs", "3"], "--chaos-runs has no effect without --chaos"),
        (["--chaos", "nice", "--chaos-runs", "0"], "0 is too small: give 1 or more"),
    ],
)
def test_bad_usage_of_launch(emu: Emu, digits_image: Path, arguments: list[str], sentence: str) -> None:
    result = emu("launch", digits_image, *arguments)
    assert result.exit_code == 2 and sentence in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--all", "--chaos", "nice", "--chaos-runs", "2"], "--chaos-runs repeats one PATTERN"),
        (
            ["ring", "--chaos", "nice", "--chaos-runs", "2", "--duration", "3"],
            "give --chaos, and --count instead of --duration",
        ),
        (["ring", "--cores", "4", "--chaos", "pause:4,3"], "core 4 has no program: the cores that have are 0 to 3"),
    ],
)
def test_bad_usage_of_stress(emu: Emu, arguments: list[str], sentence: str) -> None:
    result = emu("stress", *arguments)
    assert result.exit_code == 2 and sentence in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["launch", "stress"])
def test_help_names_every_kind(emu: Emu, command: str) -> None:
    words = " ".join(emu(command, "--help").stdout.split())
    assert not [kind.form for kind in KINDS.values() if kind.form not in words]


@pytest.mark.parametrize(("flow", "transport"), [("rendezvous", "ipc"), ("credits:2", "tcp")])
def test_runs_that_are_killed_again_and_again_end_with_the_same_file(
    emu: Emu, digits_image: Path, tmp_path: Path, flow: str, transport: str
) -> None:
    many, whole, out = inputs(tmp_path / "in.npz", 40), tmp_path / "whole.npz", tmp_path / "out.npz"
    common = ["launch", digits_image, "--input", many, "--golden", "none"]
    assert emu(*common, "--sequential", "--save", whole).exit_code == 0
    chaos = ["--flow", flow, "--transport", transport, "--chaos", "kill:random@20-140", "--chaos", "delay:0.05,2"]
    codes = []
    while not codes or codes[-1] == 5:
        again = ["--resume"] if codes else []
        result = emu(*common, *chaos, "--chaos-seed", len(codes), "--save", out, *again)
        codes.append(result.exit_code)
        assert result.exit_code in (0, 5) and len(codes) < 30
        if result.exit_code:
            assert result.stderr.startswith("error: core ") and "was killed by SIGKILL, last seen at" in result.stderr
    assert len(codes) > 1 and out.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"in.npz", "whole.npz", "out.npz"}


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("flow", "transport"), [("rendezvous", "ipc"), ("credits:2", "tcp")])
def test_a_hundred_disturbed_runs_of_a_network(emu: Emu, tmp_path: Path, flow: str, transport: str) -> None:
    image = tmp_path / "digits"
    model = SAMPLES.parent / "digits_cnn.onnx"
    assert emu("compile", model, "-o", image, "--cores", "16", "--arch", "tiny", "--samples", "3").exit_code == 0
    result = emu("launch", image, *GENTLE, "--chaos-runs", "50", "--flow", flow, "--transport", transport, "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0 and report["series"]["equal"] == 50 and report["verdict"]["passed"]
