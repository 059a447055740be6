"""What `emu launch` and `emu validate` count as success, and the record of a run in --json."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from commands import DIGITS, SAMPLES, Emu
from images import write_image
from onnx_models import one_node, random_array
from stepper import program

from emu.image.npz import read_npz, write_npz
from emu.image.reader import open_image
from emu.image.version import VERSION
from launch.golden.values import Golden, compute_golden
from launch.runs import expecting


def save(folder: Path, model: onnx.ModelProto) -> Path:
    onnx.save(model, folder / "net.onnx")
    return folder / "net.onnx"


# kept tensors ---------------------------------------------------------------------------------------------------------


def test_a_kept_tensor_that_differs_fails_the_run(
    emu: Emu, digits_image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def off(*arguments: Any) -> Golden:
        golden = compute_golden(*arguments)
        moved = {name: array.copy() for name, array in golden.tensors.items()}
        for array in moved.values():
            array[1, 0, 3, 2, 1] += 1
        return Golden(golden.source, moved)

    monkeypatch.setattr(expecting, "compute_golden", off)
    arguments = ["launch", digits_image, "--sequential", "--model", DIGITS, "--keep", "node_relu"]
    failed = emu(*arguments)
    lines = failed.stdout.splitlines()
    assert failed.exit_code == 1
    assert lines[0].endswith("engine batch") and lines[2].startswith("intermediate tensors, golden onnxruntime")
    assert lines[2].endswith("; limit 0.001")
    (row,) = [line.split() for line in lines if line.startswith(" node_relu ")]
    assert row[-1] == "FAIL" and row[5:-1] == ["1", "[0,", "3,", "2,", "1]"]
    assert lines[-1].startswith("PASS  out0")
    assert emu(*arguments, "--keep-informs").exit_code == 0
    report = json.loads(emu(*arguments, "--json").stdout)
    assert report["exit_code"] == 1 and report["kept"]["passed"] is False and report["keep_informs"] is False


# nothing to compare ---------------------------------------------------------------------------------------------------


def test_no_outputs_are_no_success(emu: Emu, tmp_path: Path) -> None:
    out = write_image(tmp_path / "out", {0: program(0, ("lldi", 0, 1, 8))})
    write_npz(tmp_path / "g.npz", {"y": np.ones((1, 8), np.uint8)})
    refused = emu("launch", out, "--sequential", "--golden", tmp_path / "g.npz")
    assert refused.exit_code == 2 and "has no outputs, so nothing can be compared: give --golden none" in refused.stderr
    assert emu("launch", out, "--sequential").exit_code == 0


def test_a_network_of_nan_is_no_success(emu: Emu, tmp_path: Path) -> None:
    weights = random_array(3, 2, 1, 1)
    weights[:, 0] = np.nan
    model = save(tmp_path, one_node("Conv", [1, 2, 4, 4], weights))
    failed = emu("validate", model, "--sequential", "--json")
    report = json.loads(failed.stdout)
    assert failed.exit_code == 1 == report["exit_code"]
    assert report["verdict"]["tensors"][0]["only_nan"] and not report["verdict"]["passed"]
    assert any("hold NaN or infinity" in warning for warning in report["run"]["warnings"])
    shown = emu("validate", model, "--sequential")
    assert shown.exit_code == 1 and "FAIL  y: " in shown.stdout
    assert "48 of 48 elements are NaN, all golden elements are NaN: nothing is verified" in shown.stdout
    assert emu("validate", model, "--sequential", "--allow-nan").exit_code == 0


def test_labels_need_classes(emu: Emu, tmp_path: Path) -> None:
    model = save(tmp_path, one_node("Conv", [1, 2, 4, 4], random_array(3, 2, 1, 1)))
    assert emu("compile", model, "-o", tmp_path / "out").exit_code == 0
    write_npz(tmp_path / "x.npz", {"x": random_array(2, 2, 4, 4), "labels": np.array([1, 2])})
    arguments = ("--input", tmp_path / "x.npz", "--labels", "labels", "--model", model)
    result = emu("launch", tmp_path / "out", "--sequential", *arguments)
    assert result.exit_code == 2
    assert "output 'y' has shape [1, 3, 4, 4], which is no score per class" in result.stderr


# the record -----------------------------------------------------------------------------------------------------------


def test_the_record_names_the_inputs(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    inputs = tmp_path / "x.npz"
    write_npz(inputs, {"in0": read_npz(SAMPLES)["in0"][:1]})
    common = ("launch", digits_image, "--sequential", "--golden", "none", "--json")
    of_file, stored, seeded = (
        json.loads(emu(*common, *more).stdout)["run"] for more in (("--input", inputs), (), ("--seed", 7))
    )
    assert of_file["inputs"]["from"] == "file" and of_file["seed"] is None
    assert of_file["inputs"]["file_sha256"] == hashlib.sha256(inputs.read_bytes()).hexdigest()
    assert (stored["inputs"]["from"], stored["seed"]) == ("default", 0)
    assert (seeded["inputs"]["from"], seeded["seed"]) == ("seed", 7)
    assert len({run["inputs"]["sha256"] for run in (of_file, stored, seeded)}) == 3


def test_an_image_says_how_it_was_compiled(emu: Emu, tmp_path: Path) -> None:
    model = save(tmp_path, one_node("Conv", ["batch", 2, "h", "w"], random_array(3, 2, 1, 1)))
    arguments = ("--shape", "x=1,2,4,4", "--seed", 3, "--samples", 2)
    for name in ("a", "b"):
        assert emu("compile", model, "-o", tmp_path / name, *arguments).exit_code == 0
    options = json.loads(emu("info", tmp_path / "a", "--json").stdout)["options"]
    assert options == {
        "compiler": open_image(tmp_path / "a").manifest.options["compiler"],
        "cores": "64",
        "packing": "dense",
        "placement": "frugal",
        "granularity": "image",
        "shape x": "1,2,4,4",
        "seed": "3",
        "samples": "2",
    }
    first, second = ((tmp_path / name / "manifest.json").read_bytes() for name in "ab")
    assert first == second


def test_images_of_the_earlier_format_are_refused(emu: Emu, own_image: Path) -> None:
    path = own_image / "manifest.json"
    path.write_text(path.read_text().replace(f'"version": {VERSION}', '"version": 1', 1))
    for command in (["launch"], ["info"], ["check"], ["export", "--to", "asm"]):
        result = emu(*command, own_image)
        assert result.exit_code == 2
        assert f"image format version 1 is older than this emulator's {VERSION}: compile again" in result.stderr


# chaos and stepped loops ----------------------------------------------------------------------------------------------
