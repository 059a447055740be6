"""What a validation run leaves: nothing if it is right, all that is needed to repeat it if it fails."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS

from emu.arch.read import load_arch
from emu.chaos.spec import Chaos
from emu.errors import EmuError, InputError
from emu.image.npz import read_npz
from launch import validate
from launch.cli.signals import Terminated
from launch.runs.artefacts import Artefacts

CORES = 16


def test_a_run_that_is_right_leaves_nothing(tmp_path: Path) -> None:
    report = validate(DIGITS, cores=CORES, sequential=True, keep_artifacts=tmp_path / "kept")
    assert report.exit_code == 0 and not report.left
    assert not list((tmp_path / "kept").iterdir())


def repeated(folder: Path) -> subprocess.CompletedProcess[str]:
    """The script of artefacts, run elsewhere, by the `emu` of these tests."""
    commands = folder.parent / "commands"
    commands.mkdir(exist_ok=True)
    emu = commands / "emu"
    emu.write_text(f'#!/bin/sh\nexec {sys.executable} -m launch "$@"\n')
    emu.chmod(0o755)
    root = Path(__file__).parents[3]
    environment = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}", "PYTHONPATH": str(root)}
    return subprocess.run(["sh", str(folder / "repeat.sh")], env=environment, capture_output=True, text=True)


def test_a_wrong_run_leaves_all_that_is_needed_to_repeat_it(tmp_path: Path) -> None:
    report = validate(
        DIGITS, cores=CORES, sequential=True, tolerance=1e-30, samples=2, keep_artifacts=tmp_path, name="a b"
    )
    folder = tmp_path / "a b"
    assert report.exit_code == 1 and str(folder) in report.left
    assert {"image", "inputs.npz", "outputs.npz", "golden.npz", "report.json", "repeat.sh"} <= {
        path.name for path in folder.iterdir()
    }
    told = json.loads((folder / "report.json").read_text())
    assert told["exit_code"] == 1 and "max|diff|" in told["reason"]
    inputs, outputs, golden = (read_npz(folder / f"{name}.npz") for name in ("inputs", "outputs", "golden"))
    assert len(next(iter(inputs.values()))) == 2
    assert set(outputs) == set(golden)
    assert all(array.tobytes() == report.result.outputs[name].tobytes() for name, array in outputs.items())
    done = repeated(folder)
    assert done.returncode == 1 and "FAIL" in done.stdout
    assert (folder / "repeat.sh").exists()
    launch = next(line for line in (folder / "repeat.sh").read_text().splitlines() if line.startswith("# the compiled"))
    (folder / "repeat.sh").write_text(launch.partition(": ")[2] + "\n")
    again = repeated(folder)
    assert again.returncode == 1 and "FAIL" in again.stdout


def test_an_architecture_made_in_python_is_left_as_a_file(tmp_path: Path) -> None:
    arch = replace(load_arch("tiny"), cores=15)
    report = validate(DIGITS, arch, sequential=True, tolerance=1e-30, timeout=None, keep_artifacts=tmp_path)
    folder = tmp_path / DIGITS.stem
    assert report.exit_code == 1 and load_arch(str(folder / "arch.toml")) == arch
    assert "--timeout 0" in (folder / "repeat.sh").read_text()
    done = repeated(folder)
    assert done.returncode == 1 and "FAIL" in done.stdout and "15 cores" in done.stdout


def test_a_killed_core_leaves_finished_samples_and_logs(tmp_path: Path) -> None:
    chaos = Chaos(("kill:1@9",))
    with pytest.raises(EmuError, match="killed by SIGKILL") as caught:
        validate(DIGITS, cores=CORES, samples=8, chaos=chaos, timeout=100, keep_artifacts=tmp_path)
    assert any("repeat.sh" in note for note in caught.value.__notes__)
    folder = tmp_path / DIGITS.stem
    told = json.loads((folder / "report.json").read_text())
    assert told["exit_code"] == 5 and "killed by SIGKILL" in told["error"]
    assert len(list((folder / "logs").iterdir())) > 1
    golden = read_npz(folder / "golden.npz")
    if (folder / "outputs.npz").exists():  # as many samples as were finished when the core died
        for name, array in read_npz(folder / "outputs.npz").items():
            assert 0 < len(array) < 8
            np.testing.assert_allclose(array, golden[name][: len(array)], rtol=1e-3, atol=1e-3)
    assert not list(folder.glob("*.partial"))
    done = repeated(folder)
    assert done.returncode == 5 and "killed by SIGKILL" in done.stderr


def test_what_cannot_be_compiled_leaves_why(tmp_path: Path) -> None:
    (tmp_path / "no.onnx").write_bytes(b"no network")
    with pytest.raises(EmuError):
        validate(tmp_path / "no.onnx", keep_artifacts=tmp_path / "kept")
    assert json.loads((tmp_path / "kept" / "no" / "report.json").read_text())["exit_code"] == 2


def test_an_end_by_a_signal_keeps_them_too(tmp_path: Path) -> None:
    with pytest.raises(Terminated), Artefacts(tmp_path, "run", ["emu"]):
        raise Terminated(15)
    assert "terminated" in (tmp_path / "run" / "report.json").read_text()


def test_only_what_runs_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with Artefacts(tmp_path, "run") as artefacts:  # an empty folder is nobody's
        artefacts.failed({})
    with Artefacts(tmp_path, "run") as artefacts:
        assert [path.name for path in artefacts.folder.iterdir()] == ["repeat.sh"]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine").touch()
    with pytest.raises(InputError, match="was not left by a validation run"), Artefacts(tmp_path, "run"):
        pass
    assert (tmp_path / "run" / "mine").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="was not left by a validation run"), Artefacts(tmp_path, "file"):
        pass
    for place in (tmp_path / "file", Path("/proc")):
        with pytest.raises(InputError, match="cannot be written"), Artefacts(place, "run"):
            pass


@pytest.mark.parametrize("name", ["..", "a/b", "a\0b", "."])
def test_names_stay_inside_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="is no name of a folder"):
        Artefacts(tmp_path, name)
