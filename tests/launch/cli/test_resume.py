"""`emu launch --save --resume`: killed at any moment, continued, and in the end equal to an undisturbed run."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import SAMPLES, Emu

from emu.image.npz import read_npz, write_npz

COMMAND = [sys.executable, "-c", "from launch.cli import main; main()", "launch"]
ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    arrays = {name: array[:150] for name, array in read_npz(SAMPLES).items() if name != "labels"}
    path = tmp_path_factory.mktemp("inputs") / "many.npz"
    write_npz(path, arrays)
    return path


def size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@pytest.mark.few(1)
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_is_continued(
    emu: Emu, digits_image: Path, many: Path, tmp_path: Path, kill: signal.Signals
) -> None:
    whole, out = tmp_path / "whole.npz", tmp_path / "out.npz"
    assert (
        emu("launch", digits_image, "--sequential", "--input", many, "--golden", "none", "--save", whole).exit_code == 0
    )
    side = tmp_path / "out.npz.partial"
    arguments = [str(digits_image), "--input", str(many), "--golden", "none", "--save", str(out)]
    process = subprocess.Popen([*COMMAND, *arguments], cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while size(side) < 4000 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(kill)
    assert process.wait(20) != 0 and not out.exists() and side.exists()
    result = emu("launch", *arguments, "--resume", "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["samples"]) == (0, 150) and 0 < report["resumed"] < 150
    assert out.read_bytes() == whole.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"whole.npz", "out.npz"}


def test_an_interrupted_run_is_not_overwritten_and_belongs_to_its_inputs(
    emu: Emu, digits_image: Path, many: Path, tmp_path: Path
) -> None:
    out, side = tmp_path / "out.npz", tmp_path / "out.npz.partial"
    arguments = ["launch", digits_image, "--sequential", "--golden", "none", "--save", out]
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments[1:]), "--input", str(many)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while size(side) < 2000 and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGINT)
    lines = process.communicate(timeout=20)[1].splitlines()
    assert lines[0] == "error: interrupted" and lines[1].endswith(f"kept in {side}: continue with --resume")
    again = emu(*arguments, "--input", many)
    assert again.exit_code == 2 and "continue it with --resume, or delete the file" in again.stderr
    arrays = {name: array[::-1] for name, array in read_npz(many).items()}
    write_npz(tmp_path / "others.npz", arrays)
    other = emu(*arguments, "--input", tmp_path / "others.npz", "--resume")
    assert other.exit_code == 2 and "was begun with other inputs" in other.stderr and other.stderr.count("\n") == 1


def test_repetitions_are_compared_with_what_was_saved(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    result = emu("launch", digits_image, "--sequential", "--repeat", "3", "--save", out, "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0 and report["repeats_equal"] and report["verdict"]["passed"]
    assert [array.shape[0] for array in read_npz(out).values()] == [2]


def test_resume_without_anything_to_resume_is_a_whole_run(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    for name, options in (("a.npz", []), ("b.npz", ["--resume"])):
        assert emu("launch", digits_image, "--sequential", "--save", tmp_path / name, *options).exit_code == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_resume_needs_save(emu: Emu, digits_image: Path) -> None:
    result = emu("launch", digits_image, "--resume")
    assert result.exit_code == 2 and "name its output file with --save FILE.npz, too" in result.stderr


def test_a_kept_output_does_not_take_the_output_s_place(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    result = emu("launch", digits_image, "--sequential", "--keep", "out0", "--save", out, "--repeat", "2", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 0 and report["verdict"]["passed"] and report["repeats_equal"]
    (array,) = read_npz(out).values()
    assert array.shape == (2, 1, 10) and array.dtype == np.float32
