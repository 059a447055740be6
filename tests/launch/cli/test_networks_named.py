"""Commands that look at programs and are given the network: as if it had been compiled before."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import DIGITS, Emu

MAPPING = ("--arch", "puma", "--placement", "scatter")


@pytest.fixture
def places(emu: Emu, tmp_path: Path) -> tuple[Path, Path]:
    """The network, and the image of it by MAPPING."""
    model = Path(shutil.copy(DIGITS, tmp_path / "digits.onnx"))
    assert emu("compile", model, "-o", tmp_path / "out", *MAPPING).exit_code == 0
    return model, tmp_path / "out"


def told(emu: Emu, *arguments: object) -> dict[str, Any]:
    result = emu(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def plain(values: Any, out: Path) -> Any:
    """Without measured times, digests of files and names of places."""
    if isinstance(values, dict):
        left = ("seconds", "manifest_sha256", "golden", "default_input", "files", "bytes_on_disk")
        return {key: plain(value, out) for key, value in values.items() if key not in left}
    if isinstance(values, list):
        return [plain(value, out) for value in values]
    return values.replace(str(out), "OUT") if isinstance(values, str) else values


@pytest.mark.parametrize("command", ["time", "check", "info", "report"])
def test_the_same_as_of_its_image(emu: Emu, places: tuple[Path, Path], command: str) -> None:
    model, out = places
    named = told(emu, command, model, *MAPPING)
    assert plain(named, model) == plain(told(emu, command, out), out)
    shown = emu(command, model, *MAPPING)
    assert shown.exit_code == 0 and shown.stderr.startswith("compiled: digits.onnx: 5 cores, ")
    assert "emu-image" not in shown.output + json.dumps(named)


def test_a_debugger_has_golden_values(emu: Emu, places: tuple[Path, Path], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('continue\nprint max(abs(tensor("out0") - golden("out0"))) < 0.001\n')
    shown = emu("debug", places[0], "--cores", 8, "--script", script)
    assert shown.exit_code == 0 and shown.stdout.splitlines()[-1].endswith("True")


def test_a_cache_is_that_of_validate(emu: Emu, places: tuple[Path, Path], tmp_path: Path) -> None:
    cache = ("--cache", tmp_path / "cache")
    assert emu("validate", places[0], *MAPPING, *cache, "--sequential").exit_code == 0
    assert "cached" in emu("time", places[0], *MAPPING, *cache).stderr
    assert "cached" in emu("info", places[0], *MAPPING, *cache).stderr
    assert "cached" not in emu("info", places[0], *MAPPING[:2], *cache).stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["check", "OUT", "--cores", 3], "--cores is of a network that is compiled first, and no network is named"),
        (["info", "OUT", "--arch", "puma"], "--arch is of a network that is compiled first, and no network is named"),
        (["time", "OUT", "--cache", "x"], "--cache is of a network that is compiled first, and no network is named"),
        (["time", "MODEL"], "architecture default has no table [timing]"),
        (["info", "MODEL", "--cores", 1, "--arch", "tiny"], "core"),
        (["diff", "MODEL", "OUT"], "is a model, no directory of programs: make one by `emu compile"),
    ],
)
def test_mistakes_are_one_sentence(emu: Emu, places: tuple[Path, Path], words: list[object], sentence: str) -> None:
    model, out = places
    result = emu(*[{"MODEL": model, "OUT": out}.get(word, word) for word in words])
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr.splitlines()[-1] and "emu-image" not in result.stderr
