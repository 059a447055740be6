"""Golden values in a file: of inner tensors, too, so that two compilers are compared tensor by tensor."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS, Emu

from emu.image.npz import read_npz, write_npz
from launch.golden.values import names_in


@pytest.fixture
def kept(emu: Emu, digits_image: Path, tmp_path: Path) -> dict[str, np.ndarray]:
    """What one program makes: its inner tensors and its outputs."""
    made = emu("launch", digits_image, "--sequential", "--keep", "all", "--save", tmp_path / "kept.npz")
    assert made.exit_code == 0, made.stderr
    return read_npz(tmp_path / "kept.npz")


@pytest.fixture
def other(emu: Emu, tmp_path: Path) -> Path:
    """Programs of the same network that were compiled otherwise."""
    out = tmp_path / "other"
    made = emu("compile", DIGITS, "-o", out, "--placement", "scatter", "--samples", "2", "--golden", "none")
    assert made.exit_code == 0, made.stderr
    return out


def test_two_compilers_are_compared_tensor_by_tensor(emu: Emu, kept: dict, other: Path, tmp_path: Path) -> None:
    path = tmp_path / "golden.npz"
    write_npz(path, kept)
    arguments = ["launch", other, "--sequential", "--golden", path, "--keep", "all", "--json"]
    right = json.loads(emu(*arguments).stdout)
    inner = set(kept) - {"out0"}
    assert {tensor["name"] for tensor in right["kept"]["tensors"]} >= inner and right["kept_not_compared"] == []
    assert right["exit_code"] == 0 and right["kept"]["source"] == str(path) and right["golden_unused"] == []
    wrong = {name: array.copy() for name, array in kept.items()}
    wrong["relu"][0, 0, 1, 2, 3] += 1
    write_npz(path, wrong)
    found = emu(*arguments)
    failed = {tensor["name"] for tensor in json.loads(found.stdout)["kept"]["tensors"] if not tensor["passed"]}
    assert found.exit_code == 1 and failed == {"relu"}


def test_what_is_compared_with_nothing_is_told(emu: Emu, kept: dict, digits_image: Path, tmp_path: Path) -> None:
    path = tmp_path / "golden.npz"
    write_npz(path, {**kept, "rellu": kept["relu"], "line\nbreak": np.zeros(3)})
    told = emu("launch", digits_image, "--sequential", "--golden", path, "--keep", "node_relu")
    assert told.exit_code == 0, told.stderr
    lines = told.stdout.splitlines()
    (idle,) = [line for line in lines if line.startswith("not compared, as they are not kept: ")]
    assert "'max_pool2d'" in idle and "'relu'" not in idle and "--keep all compares them" in idle
    (strange,) = [line for line in lines if line.startswith("not compared, as no core holds")]
    assert strange.endswith(f"'rellu', 'line\\nbreak' of {path}")


def test_what_the_file_lacks_the_model_gives(emu: Emu, kept: dict, digits_image: Path, tmp_path: Path) -> None:
    path = tmp_path / "golden.npz"
    write_npz(path, {name: kept[name] for name in ("out0", "relu")})
    arguments = ["launch", digits_image, "--sequential", "--golden", path, "--keep", "all", "--json"]
    alone = json.loads(emu(*arguments).stdout)
    assert [tensor["name"] for tensor in alone["kept"]["tensors"]] == ["relu", "out0"]
    assert "max_pool2d" in alone["kept_not_compared"]
    both = json.loads(emu(*arguments, "--model", DIGITS).stdout)
    assert both["kept"]["source"].startswith(f"{path}, of what it lacks onnxruntime") and not both["kept_not_compared"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda array: array[..., :-1], "'relu' of"),
        (lambda array: array.astype(np.float64), "convert it with .astype()"),
        (lambda array: array[:1], "different numbers of samples"),
    ],
)
def test_others_than_those_are_refused(
    emu: Emu, kept: dict, digits_image: Path, tmp_path: Path, change: object, words: str
) -> None:
    write_npz(tmp_path / "g.npz", {**kept, "relu": change(kept["relu"])})
    refused = emu("launch", digits_image, "--sequential", "--golden", tmp_path / "g.npz", "--keep", "all")
    assert refused.exit_code == 2 and words in refused.stderr


def test_shaken_values_are_no_tensors_of_their_own(tmp_path: Path) -> None:
    write_npz(tmp_path / "g.npz", {name: np.zeros(1) for name in ("a", "a/shaken0", "a/shaken1", "b/shaken0")})
    assert names_in(tmp_path / "g.npz") == ["a", "b/shaken0"]


@pytest.mark.parametrize("source", ["reference", "onnxruntime"])
def test_inner_tensors_are_compared_with_the_evaluator_of_the_outputs(emu: Emu, source: str, tmp_path: Path) -> None:
    wanted = {"reference": "onnx.reference ", "onnxruntime": "onnxruntime "}[source]
    validated = emu("validate", DIGITS, "--golden", source, "--keep", "node_relu", "--sequential", "--json")
    report = json.loads(validated.stdout)
    assert report["verdict"]["source"].startswith(wanted) and report["kept"]["source"].startswith(wanted)
    out = tmp_path / "out"
    assert emu("compile", DIGITS, "-o", out, "--golden", source).exit_code == 0
    launched = emu("launch", out, "--sequential", "--model", DIGITS, "--keep", "node_relu", "--json")
    report = json.loads(launched.stdout)
    assert report["verdict"]["source"].startswith(wanted) and report["kept"]["source"].startswith(wanted)
    assert report["verdict"]["origin"] == "stored in the image"
    assert report["kept"]["origin"].startswith("computed from ")
