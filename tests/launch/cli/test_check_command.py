"""`emu check`: verdicts, exit codes, JSON; compiled networks are proved."""

import json
from pathlib import Path

import pytest
from commands import DIGITS, Emu
from images import write_image
from program_sets import ring

from launch.images import compilation
from launch.images.checking import Refuted
from launch.zoo import NAMES, build

DEFAULT = [("resnet18", "frugal"), ("squeezenet", "scatter"), ("mlp3", "pack")]
PLACEMENTS = ("frugal", "scatter", "pack")
PLACED = [  # by default one network in every way, and some others in one
    pytest.param(name, how, marks=[] if name == "lenet5" or (name, how) in DEFAULT else pytest.mark.full)
    for name in NAMES
    for how in PLACEMENTS
]
CORES = {"vgg16": 160}  # the least that hold its weights are more than 64
NOT_YET = ("unsupported operators", "but the compiler needs it constant")


@pytest.mark.few(3)
@pytest.mark.parametrize(("name", "placement"), PLACED)
def test_networks_of_the_zoo_are_proved(emu: Emu, tmp_path: Path, name: str, placement: str) -> None:
    (tmp_path / "net.onnx").write_bytes(build(name, 0).SerializeToString(deterministic=True))
    out = tmp_path / "out"
    options = ("--golden", "none", "--cores", CORES.get(name, 64), "--placement", placement, "--no-check")
    result = emu("compile", tmp_path / "net.onnx", "-o", out, *options)
    if result.exit_code == 2 and any(words in result.stderr for words in NOT_YET):
        pytest.skip(result.stderr)
    assert result.exit_code == 0 and "check" not in result.stdout
    report = json.loads(emu("check", out, "--json", "--strict").stdout)
    assert report["proved"], report["verdicts"]
    assert len(report["verdicts"]) == 10


def test_compile_refuses_what_is_refuted(
    emu: Emu, digits_image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = write_image(tmp_path / "ring", ring(2, send_first=False))
    check = compilation.refuse_refuted
    monkeypatch.setattr(compilation, "refuse_refuted", lambda out: check(bad))
    result = emu("compile", DIGITS, "-o", tmp_path / "out", "--golden", "none")
    assert result.exit_code == 2 == Refuted.exit_code
    assert result.stderr.count("\n") == 1 and "waits for message 0" in result.stderr
