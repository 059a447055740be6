"""`emu validate`: what it takes besides a network, and what fails a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS, SAMPLES, Emu
from emu_processes import EmuProcesses

from emu.image.npz import read_npz, write_npz

ROOT = Path(__file__).parents[3]
QUICK = ("--cores", 16, "--sequential")


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five images of digits with their labels, of which one is wrong."""
    arrays = {name: array[:5].copy() for name, array in read_npz(SAMPLES).items()}
    arrays["labels"][4] = (arrays["labels"][4] + 1) % 10
    path = tmp_path_factory.mktemp("few") / "few.npz"
    write_npz(path, arrays)
    return path


def test_inputs_by_name(emu: Emu, few: Path, tmp_path: Path) -> None:
    name, array = next((name, array) for name, array in read_npz(few).items() if name != "labels")
    np.save(tmp_path / "x.npy", array[:2])
    report = json.loads(emu("validate", DIGITS, *QUICK, "--input", f"{name}={tmp_path / 'x.npy'}", "--json").stdout)
    assert (report["exit_code"], report["samples"]) == (0, 2)


def test_the_record_repeats_the_run(emu: Emu) -> None:
    first = json.loads(emu("validate", DIGITS, *QUICK, "--seed", 7, "--samples", 2, "--json").stdout)["run"]
    assert first["command"][:2] == ["validate", str(DIGITS)]
    again = json.loads(emu(*first["command"]).stdout)["run"]
    assert (again["outputs"], again["inputs"], again["image"]) == (first["outputs"], first["inputs"], first["image"])
    other = json.loads(emu("validate", DIGITS, *QUICK, "--seed", 8, "--json").stdout)["run"]
    assert other["outputs"] != first["outputs"]


def test_the_script_of_the_page_repeats_a_report(emu: Emu, tmp_path: Path) -> None:
    report = emu("validate", DIGITS, *QUICK, "--seed", 7, "--json").stdout
    (tmp_path / "run.json").write_text(report)

    def repeated(*command: object) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, ROOT / "docs" / "repeat.py", tmp_path / "run.json", *command]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.run(words, env=environment, capture_output=True, text=True)

    done = repeated(sys.executable, "-m", "launch")
    assert done.returncode == 0 and done.stdout.startswith("equal: 1 output(s), sha256 "), done.stderr
    digest = json.loads(report)["run"]["outputs"]["out0"]
    (tmp_path / "other.json").write_text(report.replace(digest, "0" * 64))
    (tmp_path / "emu").write_text(f"#!/bin/sh\ncat {tmp_path / 'other.json'}\n")
    done = repeated("sh", tmp_path / "emu")
    assert (done.returncode, done.stdout) == (1, "different: out0\n")


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("seconds", "as_json"),
    [
        pytest.param(seconds, as_json, marks=[] if as_json == (number % 2 == 0) else pytest.mark.full)
        for number, seconds in enumerate((0.01, 0.4, 0.8, 1.2))
        for as_json in (True, False)
    ],
)
def test_a_deadline_ends_the_command_wherever_it_is(
    emu_processes: EmuProcesses, tmp_path: Path, seconds: float, as_json: bool
) -> None:
    words = ("validate", DIGITS, "--repeat", 100_000, "--deadline", seconds, *(["--json"] if as_json else []))
    done = emu_processes.run(*words, env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 6, done.stderr
    assert "the deadline has passed" in done.stderr and "Traceback" not in done.stderr
    assert not as_json or json.loads(done.stdout)["exit_code"] == 6
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        ["--duplicate", "throughput", "--pipelined", "--placement", "frugal"],
        ["--segments", "--arch", "tiny", "--cores", 2, "--duplicate", "latency"],
        ["--lowering", "pixel"],
    ],
)
def test_schedules_are_compiled_as_by_compile(emu: Emu, tmp_path: Path, options: list[object]) -> None:
    """With any schedule the outputs are right, and the image is that of `emu compile`."""
    done = emu("validate", DIGITS, *QUICK, *options, "--cache", tmp_path / "cache", "--json")
    assert done.exit_code == 0, done.output
    (kept,) = (tmp_path / "cache").glob("*/image/manifest.json")
    assert emu("compile", DIGITS, "--cores", 16, *options, "-o", tmp_path / "out").exit_code == 0
    assert read_programs(kept.parent) == read_programs(tmp_path / "out")


def read_programs(image: Path) -> dict[str, bytes]:
    """The files of the programs of an image, which has some."""
    assert list(image.glob("*.prog"))
    return {path.name: path.read_bytes() for path in sorted(image.glob("*.prog"))}
