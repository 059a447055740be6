"""`emu check`: verdicts, exit codes, JSON; compiled networks are proved."""

import json
from pathlib import Path

import pytest
from commands import DIGITS, Emu
from images import write_image
from program_sets import ring
from stepper import program

from compiler.zoo import NAMES, build
from emu.isa.address import Address
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from launch.images import compilation
from launch.images.checking import Refuted

DEFAULT = [("resnet18", "frugal"), ("squeezenet", "scatter"), ("mlp3", "pack")]
PLACEMENTS = ("frugal", "scatter", "pack")
PLACED = [  # by default one network in every way, and some others in one
    pytest.param(name, how, marks=[] if name == "lenet5" or (name, how) in DEFAULT else pytest.mark.full)
    for name in NAMES
    for how in PLACEMENTS
]
CORES = {"vgg16": 160}  # the least that hold its weights are more than 64
NOT_YET = ("unsupported operators", "but the compiler needs it constant")
FILL = ("lldi", 0, 7, 64)


@pytest.mark.parametrize("flow", [[], ["--flow", "rendezvous"], ["--flow", "credits:3"]])
def test_a_compiled_network_is_proved(emu: Emu, digits_image: Path, flow: list[str]) -> None:
    result = emu("check", digits_image, "--strict", *flow)
    assert (result.exit_code, result.stderr) == (0, "")
    assert " cores, all proved, " in result.stdout
    assert "refuted" not in result.stdout and "unproved" not in result.stdout
    assert ("no deadlock under credits:K" in result.stdout) == (flow != ["--flow", "rendezvous"])
    assert ("no deadlock under rendezvous" in result.stdout) == (flow != ["--flow", "credits:3"])


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


def test_a_deadlock_is_printed_with_its_cycle(emu: Emu, tmp_path: Path) -> None:
    out = write_image(tmp_path / "ring", ring(3, send_first=True))
    result = emu("check", out)
    assert result.exit_code == 1
    assert "refuted: no deadlock under rendezvous: deadlock: core 0 waits until core 1 takes" in result.stdout
    assert "closes the cycle 0 -> 1 -> 2 -> 0" in result.stdout
    assert f"{out}: 3 cores, 1 refuted, 0 not proved, " in result.stdout
    assert emu("check", out, "--flow", "credits:1").exit_code == 0
    assert emu("launch", out, "--flow", "credits:1", "--sequential", "--golden", "none").exit_code == 0
    report = json.loads(emu("check", out, "--json").stdout)
    deadlock = next(v["deadlock"] for v in report["verdicts"] if v["property"] == "rendezvous")
    assert [edge["core"] for edge in deadlock["edges"]] == [0, 1, 2] and deadlock["cycle"]


def test_a_chain_to_a_halted_core(emu: Emu, tmp_path: Path) -> None:
    programs = {0: program(0, ("recv", 1, 0, 8)), 1: program(1, ("recv", 2, 0, 8)), 2: program(2)}
    result = emu("check", write_image(tmp_path / "chain", programs))
    assert result.exit_code == 1
    assert "core 0 waits for message 0 from core 1" in result.stdout
    assert "core 1 waits for message 0 from core 2" in result.stdout
    assert "core 2 has halted" in result.stdout


def test_findings_have_places(emu: Emu, tmp_path: Path) -> None:
    out = write_image(tmp_path / "undefined", {0: program(0, FILL, ("lmv", 128, 32, 64))})
    report = json.loads(emu("check", out, "--json").stdout)
    finding = next(v["finding"] for v in report["verdicts"] if v["property"] == "bytes")
    assert (finding["core"], finding["place"]["index"], finding["value"]) == (0, 1, 64)
    assert report["refuted"] and not report["proved"]


def test_what_is_not_decided_warns_unless_strict(emu: Emu, tmp_path: Path) -> None:
    code = SectionBuilder()
    code.emit("lldi", (), (Address(0),), byte=0, size=8)
    code.emit("st", (), (Address(0), Address(0)), size=8)
    code.emit("sld", (), (Address(0),), rd=1)
    code.emit("lldi", (), (Address(0, (), 1),), byte=0, size=8)
    out = write_image(tmp_path / "stored", {0: Program(0, main=code.finish())}, global_size=64)
    result = emu("check", out)
    assert result.exit_code == 0
    assert result.stderr == "warning: could not be decided: addresses lie inside memory\n"
    assert "unproved: addresses lie inside memory: the address of core 0, main[3] lldi" in result.stdout
    assert emu("check", out, "--strict").exit_code == 1
    assert emu("launch", out, "--sequential", "--golden", "none").exit_code == 0


def test_compile_refuses_what_is_refuted(
    emu: Emu, digits_image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = write_image(tmp_path / "ring", ring(2, send_first=False))
    check = compilation.refuse_refuted
    monkeypatch.setattr(compilation, "refuse_refuted", lambda out: check(bad))
    result = emu("compile", DIGITS, "-o", tmp_path / "out", "--golden", "none")
    assert result.exit_code == 2 == Refuted.exit_code
    assert result.stderr.count("\n") == 1 and "waits for message 0" in result.stderr
