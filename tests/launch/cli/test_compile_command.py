"""`emu compile`: what it writes and prints, stages as text, refusals."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from commands import DIGITS, Emu
from onnx_nets import Net

from emu.image.reader import open_image


@pytest.mark.full
def test_granularity_rows_is_as_right_and_smaller(emu: Emu, tmp_path: Path) -> None:
    memory: dict[str, int] = {}
    for kind in ("image", "rows:1"):
        out = tmp_path / kind.replace(":", "")
        assert emu("compile", DIGITS, "-o", out, "--arch", "tiny", "--granularity", kind).exit_code == 0
        assert open_image(out).manifest.options["granularity"] == kind
        result = emu("launch", out, "--sequential", "--json")
        assert result.exit_code == 0
        assert json.loads(result.stdout)["verdict"]["passed"]
        info = json.loads(emu("info", out, "--per-core", "--json").stdout)
        memory[kind] = max(core["memory"] for core in info["cores"])
    assert memory["rows:1"] < memory["image"]


def test_a_static_batch_can_be_compiled_for_one_sample(emu: Emu, tmp_path: Path) -> None:
    net = Net([4, 3, 8, 8])
    y = net.add("Relu", net.conv("x", 3, 5, (3, 3)))
    onnx.save(net.model(net.conv(y, 5, 2, (1, 1))), str(tmp_path / "batch.onnx"))
    model, out = tmp_path / "batch.onnx", tmp_path / "out"
    assert emu("compile", model, "-o", out, "--cores", 4, "--shape", "x=1,3,8,8").stderr == ""
    result = emu("launch", out, "--sequential", "--model", model, "--seed", 3, "--keep", "all", "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["verdict"]["passed"], report["kept"]["passed"]) == (0, True, True)


def test_a_chip_whose_laws_are_beyond_their_range_is_warned_of(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[chip]\nbase = "isaac"\n[crossbar]\nadc_bits = 3\n')
    result = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", tmp_path / "own.toml", "--golden", "none")
    assert result.exit_code == 0
    assert "warning: law adc-sar of adc: crossbar.adc_bits 3 is outside its range of 4 to 10" in result.stderr


def damaged(path: Path) -> Path:
    """A variance below zero: refused inside of a pass."""
    names = ("scale", "bias", "mean", "variance")
    node = onnx.helper.make_node("BatchNormalization", ["x", *names], ["y"], "norm")
    infos = [onnx.helper.make_tensor_value_info(name, 1, [1, 2, 4, 4]) for name in "xy"]
    weights = [onnx.numpy_helper.from_array(np.full(2, -1, np.float32), name) for name in names]
    graph = onnx.helper.make_graph([node], "net", infos[:1], infos[1:], weights)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def test_a_refusal_inside_of_a_pass_is_one_sentence(emu: Emu, tmp_path: Path) -> None:
    model = damaged(tmp_path / "damaged.onnx")
    sentence = f"error: {model}: node 'norm' (BatchNormalization) has a variance that is not positive"
    for command in (["compile", model, "-o", tmp_path / "x"], ["validate", model]):
        result = emu(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith(sentence)
    result = emu("compile", model, "-o", tmp_path / "x", "--debug")
    assert result.exit_code == 2
    assert '"onnx.BatchNormalization"' in result.stderr and "Traceback" in result.stderr


def test_a_dynamic_batch_is_one(emu: Emu, tmp_path: Path) -> None:
    model = onnx.load(str(DIGITS))
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(model, str(tmp_path / "batch.onnx"))
    result = emu("compile", tmp_path / "batch.onnx", "-o", tmp_path / "x", "--cores", 16, "--json")
    assert result.exit_code == 0
    (warning,) = json.loads(result.stdout)["warnings"]
    assert "input 'in0' is [batch, 1, 8, 8]: compiled for one sample at a time" in warning
    assert warning in result.stderr
    assert emu("launch", tmp_path / "x", "--sequential").exit_code == 0
