"""`--chaos` of `emu launch` and `emu stress`: reports, JSON, refusals, and runs that are continued after a kill."""

import json
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


def test_the_suite_adds_up(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("launch.stress.campaign.PATTERNS", {name: PATTERNS[name] for name in ("ring", "deadlock")})
    result = emu("stress", "--all", "--cores", "3", "--count", "1", "--chaos", "nice")
    assert result.exit_code == 0 and "\nchaos, seed 0: injected nice 6\n" in result.stdout


def test_keeping_tensors_does_not_move_what_is_injected(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    keep = ["--keep", "all", "--save", tmp_path / "out.npz"]
    ends = [emu("launch", digits_image, "--chaos", "kill:1@3", *options).stderr.splitlines() for options in ([], keep)]
    assert ends[0] == ends[1][:2] and ends[0][0].startswith("error: core 1 was killed")


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
