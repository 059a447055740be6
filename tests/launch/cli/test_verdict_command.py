"""What `emu launch` and `emu validate` count as success, and the record of a run in --json."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from commands import DIGITS, SAMPLES, Emu
from images import byte_tensor, write_image
from onnx_models import one_node, random_array
from stepper import program

from emu.image.npz import read_npz, write_npz
from emu.image.reader import open_image
from emu.image.version import VERSION
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Data, Program
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


def test_nodes_are_known_without_the_model(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    path = tmp_path / "k.npz"
    result = emu("launch", digits_image, "--sequential", "--keep", "node_max_pool2d", "--save", path)
    assert result.exit_code == 0, result.stderr
    assert "kept, not compared (no golden values): max_pool2d" in result.stdout
    assert read_npz(path)["max_pool2d"].shape[:2] == (2, 1)
    for name, words in (
        ("node_Conv_36", "--keep 'node_Conv_36': fused into node 'node_relu'; can be kept: "),
        ("node_max_pol2d", "no node or tensor called node_max_pol2d (did you mean 'node_max_pool2d')"),
        ("in0", "it is an input of the network"),
    ):
        refused = emu("launch", digits_image, "--sequential", "--keep", name, "--save", tmp_path / "x.npz")
        assert refused.exit_code == 2 and words in refused.stderr and not (tmp_path / "x.npz").exists()


# nothing to compare ---------------------------------------------------------------------------------------------------


def test_no_golden_is_no_success_unless_asked_for(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    inputs = tmp_path / "x.npz"
    write_npz(inputs, {"in0": read_npz(SAMPLES)["in0"][:1]})
    save_to = tmp_path / "out.npz"
    refused = emu("launch", digits_image, "--sequential", "--input", inputs, "--save", save_to)
    assert (refused.exit_code, refused.stdout, save_to.exists()) == (2, "", False)
    assert "give --model FILE.onnx, --golden FILE.npz, or --golden none" in refused.stderr
    assert emu("launch", digits_image, "--sequential", "--input", inputs, "--golden", "none").exit_code == 0
    asked = emu("validate", DIGITS, "--golden", "none", "--sequential")
    assert asked.exit_code == 0 and asked.stdout.splitlines()[-1] == "not compared (--golden none)"


def test_hand_written_programs_have_no_model_to_give(emu: Emu, tmp_path: Path) -> None:
    written = program(0, ("lldi", 0, 1, 8), ("st", 0, 0, 8))
    out = write_image(tmp_path / "out", {0: written}, outputs=(byte_tensor("y", 8, 0),), global_size=64)
    told = emu("launch", out, "--sequential")
    assert told.exit_code == 0
    known = (
        "not compared: the programs were not compiled from a model (--golden FILE.npz or --model FILE.onnx compares)"
    )
    assert told.stdout.splitlines()[-1] == known
    write_npz(tmp_path / "g.npz", {"y": np.ones((1, 8), np.uint8)})
    assert emu("launch", out, "--sequential", "--golden", tmp_path / "g.npz").exit_code == 0
    write_npz(tmp_path / "g.npz", {"y": np.ones((3, 8), np.uint8)})
    many = emu("launch", out, "--sequential", "--golden", tmp_path / "g.npz")
    assert many.exit_code == 2 and "are of 3 samples, the inputs are 1" in many.stderr


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


def test_a_run_can_be_repeated_from_its_record(emu: Emu, tmp_path: Path) -> None:
    options = ["--seed", "5", "--samples", "2", "--arch", "tiny", "--placement", "pack", "--sequential"]
    report = json.loads(emu("validate", DIGITS, *options, "--json").stdout)
    run = report["run"]
    assert report["schema"] == 1 and report["options"]["seed"] == run["seed"] == 5
    assert run["command"] == ["validate", str(DIGITS), *options, "--json"]
    assert run["model"]["path"] == str(DIGITS)
    assert run["model"]["sha256"] == hashlib.sha256(DIGITS.read_bytes()).hexdigest()
    assert run["arch"]["name"] == "tiny" and run["arch"]["crossbar"]["rows"] == 16 and run["crossbars"] > 10
    assert run["image"]["options"]["placement"] == "pack" and run["image"]["options"]["samples"] == "2"
    assert {"emu", "python", "numpy", "onnx", "onnxruntime", "pyzmq"} <= run["versions"].keys()
    assert run["host"]["cpus"] >= 1 and run["warnings"] == []
    again = json.loads(emu(*run["command"]).stdout)
    assert again["run"] == run and again["verdict"] == report["verdict"]
    out = tmp_path / "out"
    assert emu("compile", DIGITS, "-o", out, *options[:-1]).exit_code == 0
    manifest = hashlib.sha256((out / "manifest.json").read_bytes()).hexdigest()
    assert run["image"]["manifest_sha256"] == manifest


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
    for command in ("launch", "info", "check", "disasm"):
        result = emu(command, own_image)
        assert result.exit_code == 2
        assert f"image format version 1 is older than this emulator's {VERSION}: compile again" in result.stderr


# chaos and stepped loops ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [(), ("--chaos-runs", "3")])
def test_chaos_that_never_strikes_is_no_success(emu: Emu, digits_image: Path, runs: tuple[str, ...]) -> None:
    result = emu("launch", digits_image, "--chaos", "kill:0@9999", *runs)
    told = "3 runs" if runs else "this run"
    assert result.exit_code == 2
    nothing = f"nothing was injected in {told}: kill never triggered, so nothing was tested"
    assert result.stderr.startswith(f"error: {nothing}")
    assert "PASS  out0" in result.stdout and "injected nothing (kill never triggered)" in result.stdout
    report = json.loads(emu("launch", digits_image, "--chaos", "kill:0@9999", *runs, "--json").stdout)
    assert report["exit_code"] == 2 and report["error"].startswith("nothing was injected in ")


@pytest.mark.parametrize("more", [(), ("--chaos-runs", "2"), ("--json",)])
def test_a_stress_test_whose_chaos_never_strikes_is_no_success(emu: Emu, more: tuple[str, ...]) -> None:
    result = emu("stress", "ring", "--cores", "3", "--count", "2", "--chaos", "kill:0@99999", *more)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: nothing was injected in ")
    assert more != ("--json",) or json.loads(result.stdout)["exit_code"] == 2


def hard_loops() -> Program:
    """Two loops over addresses that double each time: no plan is possible."""
    build = SectionBuilder()
    for _ in range(2):
        build.emit("sldi", rd=1, imm=1)
        with build.loop(3):
            build.emit("smul", rd=1, rs1=1, rs2=1)
            build.emit("sadd", rd=1, rs1=1, rs2=1)
            build.emit("vsadd", (DType.i8,), (Address(0), Address(0, (), 1)), n=1, imm=0)
    build.emit("st", (), (Address(0), Address(0)), size=8)
    return Program(0, data=(Data(0, bytes(1 << 16)),), main=build.finish())


@pytest.mark.parametrize("how", [["--sequential"], []])
def test_stepped_loops_are_told(emu: Emu, tmp_path: Path, how: list[str]) -> None:
    out = write_image(tmp_path / "out", {0: hard_loops()}, outputs=(byte_tensor("y", 8, 0),), global_size=64)
    arguments = ("launch", out, "--golden", "none", "--no-check", "--repeat", "3", *how)
    result = emu(*arguments)
    assert result.exit_code == 0, result.stderr
    line = "2 loops of core 0 ran one instruction at a time, for lack of a plan: slower, the results are the same"
    assert line in result.stdout.splitlines()
    assert json.loads(emu(*arguments, "--json").stdout)["stepped_loops"] == {"0": 2}
    step = json.loads(emu(*arguments, "--engine", "step", "--json").stdout)
    assert step["stepped_loops"] == {}  # that engine plans nothing


def test_planned_runs_say_nothing_of_loops(emu: Emu, digits_image: Path) -> None:
    report = json.loads(emu("launch", digits_image, "--json").stdout)
    assert report["stepped_loops"] == {}
