"""`emu launch --save --resume`: killed at any moment, continued, and in the end equal to an undisturbed run."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from commands import SAMPLES, Emu
from emu_processes import EmuProcesses

from emu.image.npz import read_npz, write_npz


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
    emu: Emu, emu_processes: EmuProcesses, digits_image: Path, many: Path, tmp_path: Path, kill: signal.Signals
) -> None:
    whole, out = tmp_path / "whole.npz", tmp_path / "out.npz"
    assert (
        emu("launch", digits_image, "--sequential", "--input", many, "--golden", "none", "--save", whole).exit_code == 0
    )
    side = tmp_path / "out.npz.partial"
    arguments = [str(digits_image), "--input", str(many), "--golden", "none", "--save", str(out)]
    process = emu_processes.start("launch", *arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
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
    emu: Emu, emu_processes: EmuProcesses, digits_image: Path, many: Path, tmp_path: Path
) -> None:
    out, side = tmp_path / "out.npz", tmp_path / "out.npz.partial"
    arguments = ["launch", digits_image, "--sequential", "--golden", "none", "--save", out]
    process = emu_processes.start(*arguments, "--input", many)
    deadline = time.monotonic() + 30
    while size(side) < 2000 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    lines = process.communicate()[1].splitlines()
    assert lines[0] == "error: interrupted" and lines[1].endswith(f"kept in {side}: continue with --resume")
    again = emu(*arguments, "--input", many)
    assert again.exit_code == 2 and "continue it with --resume, or delete the file" in again.stderr
    arrays = {name: array[::-1] for name, array in read_npz(many).items()}
    write_npz(tmp_path / "others.npz", arrays)
    other = emu(*arguments, "--input", tmp_path / "others.npz", "--resume")
    assert other.exit_code == 2 and "was begun with other inputs" in other.stderr and other.stderr.count("\n") == 1
