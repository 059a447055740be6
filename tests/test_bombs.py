"""Small files that stand for something huge are refused with a sentence, in seconds and within a gigabyte."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from bombs import HARMLESS_NETWORKS, NETWORKS, SLOW_NETWORKS, npz_with_bomb
from tensors import tensor

from emu.errors import InputError
from emu.image.npz import read_npz
from emu.isa.dtypes import DType
from launch.samples.inputs import load_inputs, load_labels, load_outputs

PEAK = 1 << 30  # bytes of resident memory
CPU = 30  # seconds of one network; the slowest takes a third of it
PATIENCE = 900  # seconds for all of them, on a machine that does other things, too


def compiled(directory: Path, networks: dict) -> dict[str, dict]:
    """How the compilation of each network went, in one child process."""
    files = []
    for number, make in enumerate(networks.values()):
        model = make()
        files.append(directory / f"net{number}.onnx")
        files[-1].write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    child = [sys.executable, str(Path(__file__).parent / "support" / "bomb_child.py"), *map(str, files)]
    done = subprocess.run(child, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(networks, map(json.loads, done.stdout.splitlines()), strict=True))


def check(networks: dict, directory: Path) -> None:
    found = compiled(directory, {name: make for name, (make, _) in networks.items()})
    for name, (_, words) in networks.items():
        result = found[name]
        assert words in result["sentence"], f"{name}: {result['sentence']}"
        assert "net" in result["sentence"] or "node" in result["sentence"] or "input" in result["sentence"]
        assert len(result["sentence"]) < 1000 and "\n" not in result["sentence"]
        assert result["peak"] < PEAK and result["seconds"] < CPU, f"{name}: {result}"


@pytest.mark.timeout(PATIENCE)
def test_networks_that_are_refused(tmp_path: Path) -> None:
    check(NETWORKS, tmp_path)


@pytest.mark.full
@pytest.mark.timeout(PATIENCE)
def test_networks_that_are_refused_late(tmp_path: Path) -> None:
    check(SLOW_NETWORKS, tmp_path)


@pytest.mark.timeout(PATIENCE)
def test_networks_that_only_look_dangerous(tmp_path: Path) -> None:
    for name, result in compiled(tmp_path, HARMLESS_NETWORKS).items():
        assert not result["sentence"], f"{name}: {result['sentence']}"
        assert result["peak"] < PEAK and result["seconds"] < CPU, f"{name}: {result}"


SPEC = tensor("in0", (1, 4), DType.f32, (4, 1, 1), ("", "C"), ((0, 4), 0))


def test_an_array_that_nobody_asked_for_costs_nothing(tmp_path: Path) -> None:
    inputs = {"in0": np.ones((2, 1, 4), "<f4"), "labels": np.array([1, 2])}
    npz_with_bomb(tmp_path / "x.npz", inputs, "spare", (1 << 26,))
    begin = time.process_time()
    assert load_inputs(tmp_path / "x.npz", [SPEC])["in0"].tolist() == inputs["in0"].tolist()
    assert load_labels(tmp_path / "x.npz", "labels", 2).tolist() == [1, 2]
    assert load_outputs(tmp_path / "x.npz", [SPEC])["in0"].shape == (2, 1, 4)
    reading = time.process_time() - begin
    begin = time.process_time()
    assert read_npz(tmp_path / "x.npz")["spare"].shape == (1 << 26,)
    assert reading < (time.process_time() - begin) / 3  # it is the spare array that takes the time


def test_an_input_of_a_wrong_shape_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emu.image.npz.read_elements", lambda *_: pytest.fail("it was read"))
    npz_with_bomb(tmp_path / "x.npz", {}, "in0", (1 << 20, 5))
    with pytest.raises(InputError, match=r"'in0' of .*x\.npz has shape \(1048576, 5\), expected"):
        load_inputs(tmp_path / "x.npz", [SPEC])


def test_a_compressed_array_beyond_the_limit_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emu.image.npz.MAX_INFLATED", 1000)
    npz_with_bomb(tmp_path / "x.npz", {}, "in0", (1000, 4))
    with pytest.raises(InputError, match="array 'in0': 16000 bytes are more than the 1000 that a compressed array may"):
        load_inputs(tmp_path / "x.npz", [SPEC])
