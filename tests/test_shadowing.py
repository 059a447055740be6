"""`emu` finds its own packages, whatever stands in the working directory or on PYTHONPATH."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import DIGITS

ROOT = Path(__file__).parent.parent
OURS = ("emu", "compiler", "launch")
OTHERS = ("numpy", "onnx", "zmq", "click", "json")
COMMANDS = [
    ["export", "--list"],
    ["compile", DIGITS, "-o", "out", "--cores", 8],
    ["validate", DIGITS, "--cores", 8, "--timeout", 100],
    ["validate", DIGITS, "--cores", 8, "--jobs", 1],
    ["stress", "ring", "--cores", 4, "--count", 2],
    ["stress", "--faults", "--cores", 4, "--repeat", 1, "-k", '"core SIGKILL" or trap'],
]


def commands(*by_default):
    """All commands, as parameters; those that are not named only with the heavy tests."""
    marks = {words[0]: [] if words[0] in by_default else [pytest.mark.full] for words in COMMANDS}
    return [pytest.param(words, id=words[0], marks=marks[words[0]]) for words in COMMANDS]


@pytest.fixture
def start(tmp_path):
    """A file that starts `emu` as the installed command does: from a folder that holds nothing else."""
    (tmp_path / "bin").mkdir()
    file = tmp_path / "bin" / "emu"
    file.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\nfrom reram_emu import main\nmain()\n")
    return file


def shadows(folder, names):
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    return folder


def run(start, folder, arguments, path=""):
    inherited = [path, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, inherited))}
    command = [sys.executable, start, *arguments]
    done = subprocess.run([*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True)
    assert "shadowed" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


def test_the_command_is_the_one_tested_here():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"emu": "reram_emu:main"}
    assert project["tool"]["setuptools"]["py-modules"][0] == "reram_emu"


@pytest.mark.few(2)
@pytest.mark.parametrize("arguments", commands("export", "compile", "validate", "stress"))
def test_modules_in_the_working_directory(tmp_path, start, arguments):
    run(start, shadows(tmp_path / "work", OURS + OTHERS), arguments)


@pytest.mark.parametrize("arguments", commands("compile", "stress"))
def test_packages_of_our_names_on_the_path(tmp_path, start, arguments):
    (tmp_path / "work").mkdir()
    run(start, tmp_path / "work", arguments, str(shadows(tmp_path / "path", OURS)))


def test_a_script_beside_such_modules_runs_with_p(tmp_path):
    folder = shadows(tmp_path / "work", OURS)
    (folder / "mine.py").write_text("import compiler, launch\nprint(compiler.compile, launch.power_on)\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for flags, words in ((["-P"], "power_on"), ([], "shadowed")):
        command = [sys.executable, *flags, "mine.py"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert words in done.stdout + done.stderr
