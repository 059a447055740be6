"""`emu compile --emit mop`, `emu check` and `emu launch`, from a network to a verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS, Emu

CHIP = """[chip]
name = "own"
cores = 64
[core]
crossbars = 16
[crossbar]
rows = 128
cols = 128
"""


@pytest.fixture
def folder(emu: Emu, tmp_path):
    (tmp_path / "chip.toml").write_text(CHIP)
    out = tmp_path / "flow"
    result = emu("compile", DIGITS, "--emit", "mop", "-o", out, "--arch", tmp_path / "chip.toml", "--samples", 2)
    assert result.exit_code == 0, result.output
    assert "operators for own (mode xbm)" in result.stdout
    return out


def test_a_network_is_checked_and_run(emu: Emu, folder, tmp_path) -> None:
    assert sorted(file.name for file in folder.iterdir()) == ["flow.mop", "golden.npz", "inputs.npz", "weights.npz"]
    found = json.loads(emu("check", folder / "flow.mop", "--json").stdout)
    assert (found["passed"], found["mode"], found["faults"]) == (True, "xbm", [])
    result = emu("launch", folder / "flow.mop", "--save", tmp_path / "made.npz")
    assert result.exit_code == 0
    assert result.stdout.startswith("PASS  out0: ")
    with np.load(tmp_path / "made.npz") as made, np.load(folder / "golden.npz") as want:
        np.testing.assert_allclose(made["out0"], want["out0"], rtol=1e-4, atol=1e-4)


def test_the_fields_of_the_answer_are_those_of_the_page(emu: Emu, tmp_path) -> None:
    words = ("--emit", "mop", "-o", tmp_path / "flow", "--arch", "isaac")
    told = json.loads(emu("compile", DIGITS, *words, "--json").stdout)
    page = (Path(__file__).resolve().parents[3] / "docs" / "json.md").read_text()
    (said,) = re.findall(r"^With `--emit mop` the fields are(.*?)$\n\n", page, re.MULTILINE | re.DOTALL)
    assert set(told) - {"schema", "schema_version", "command", "exit_code"} == set(re.findall(r"`(\w+)`", said))
    assert told["seconds"] > 0 and told["golden"].startswith("onnxruntime ")


def test_what_differs_fails(emu: Emu, folder) -> None:
    with np.load(folder / "golden.npz") as want:
        np.savez(folder / "golden.npz", **{name: array + 1 for name, array in want.items()})
    result = emu("launch", folder / "flow.mop")
    assert (result.exit_code, result.stdout[:4]) == (1, "FAIL")
    text = json.loads(emu("launch", folder / "flow.mop", "--json").stdout)
    assert (text["passed"], text["samples"]) == (False, 2)


def test_another_chip_may_refuse_the_flow(emu: Emu, folder, tmp_path) -> None:
    (tmp_path / "less.toml").write_text(CHIP.replace("crossbars = 16", "crossbars = 1").replace("64", "1"))
    result = emu("check", folder / "flow.mop", "--arch", tmp_path / "less.toml")
    assert result.exit_code == 1
    assert "xb1 is none of them" in result.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check", "FLOW", "--strict"], "--strict has no effect with a meta-operator flow: leave it out"),
        (
            ["launch", "FLOW", "--cores", 4, "--model", DIGITS],
            "--cores and --model have no effect with a meta-operator",
        ),
        (
            ["launch", "FLOW", "--golden", "onnxruntime"],
            "--golden onnxruntime computes a model, and a meta-operator flow",
        ),
        (["info", "FLOW"], "is a meta-operator flow: `emu check` and `emu launch` take those"),
        (["check", "OUT", "--arch", "puma"], "--arch is of a network that is compiled first, and no network is named"),
        (["launch", "OUT", "--weights", "FLOW"], "--weights is of a meta-operator flow (.mop): leave it out"),
        (["compile", DIGITS, "--emit", "mop"], "--emit mop needs the network as an ONNX file, and -o DIRECTORY"),
        (["compile", DIGITS, "--emit", "mop", "-o", "x", "--dump", "ir"], "--dump has no effect with --emit mop"),
        (["launch", "FLOW"], "declares no chip: give one, or add a line //@ chip"),
        (["launch", "FLOW", "--arch", "tiny"], "declares no output: add a line //@ output"),
    ],
)
def test_mistakes_are_told_in_a_sentence(emu: Emu, tmp_path, words, sentence) -> None:
    (tmp_path / "a.mop").write_text("fill(0, 1, 4)\n")
    result = emu(*[{"FLOW": tmp_path / "a.mop", "OUT": tmp_path}.get(word, word) for word in words])
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_of_something_else_stays(emu: Emu, tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    result = emu("compile", DIGITS, "--emit", "mop", "-o", tmp_path / "mine", "--golden", "none")
    assert result.exit_code == 2
    assert "exists and holds no flow.mop" in result.stderr
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
