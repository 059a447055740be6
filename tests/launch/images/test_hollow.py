"""A comparison that says nothing of a chip is no success, whoever asks for it."""

import json

import host_nets
import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper

from compiler import compile
from emu.errors import EmuError, InputError
from emu.image.reader import open_image
from launch import backend
from launch.cli import cli
from launch.conformance.result import REFUSED
from launch.conformance.trial import ConformanceTrial, run_trial
from launch.images.hollow import hollow
from launch.processes.zygote_process import FreshZygotes
from launch.testing import assert_valid

NO_CORE, NO_PRODUCT = "no core has a program", "no multiplication ran on a core"
SMALL = {"arch": "tiny", "cores": 8}


def emu(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


def products_on_the_host():
    """A recurrence that is too large for any core of the chip, and an addition."""
    hidden, rng = 96, np.random.default_rng(0)
    shapes = {"w": (1, 4 * hidden, 4), "r": (1, 4 * hidden, hidden)}
    arrays = [numpy_helper.from_array(rng.standard_normal(s).astype(np.float32), name) for name, s in shapes.items()]
    nodes = [
        helper.make_node("Add", ["x", "x"], ["a"], "add"),
        helper.make_node("LSTM", ["a", "w", "r"], ["y"], "recurrence", hidden_size=hidden),
    ]
    return host_nets.model(nodes, {"x": [3, 1, 4]}, {"y": [3, 1, 1, hidden]}, *arrays)


def without_products():
    """A refused node, and one for cores."""
    nodes = [host_nets.reversing("x", "a", "turn"), helper.make_node("Relu", ["a"], ["y"], "relu")]
    return host_nets.model(nodes, {"x": [2, 4]}, {"y": [2, 4]}, host_nets.LENGTHS)


HOLLOW = {"no core": (host_nets.nothing_for_cores, NO_CORE), "no product": (products_on_the_host, NO_PRODUCT)}
SOUND = (without_products, host_nets.sandwich, host_nets.first_and_last)


@pytest.mark.parametrize("name", HOLLOW)
def test_what_is_hollow(name, tmp_path):
    made, said = HOLLOW[name]
    compile(made(), out=tmp_path / "out", host_fallback=True, **SMALL)
    assert hollow(open_image(tmp_path / "out"), "net").startswith(f"net: {said}")


@pytest.mark.parametrize("made", SOUND)
def test_what_is_not(made, tmp_path):
    compile(made(), out=tmp_path / "out", host_fallback=True, **SMALL)
    assert hollow(open_image(tmp_path / "out"), "net") == ""


@pytest.mark.parametrize("name", HOLLOW)
def test_validate_launch_and_suites_end_with_2(name, tmp_path):
    made, said = HOLLOW[name]
    path, other, out = (tmp_path / name for name in ("net.onnx", "other.onnx", "out"))
    for file in (path, other):
        onnx.save(made(), file)
    chip = ["--arch", "tiny", "--cores", "8", "--host-fallback"]
    validated = emu("validate", path, *chip, "--sequential")
    assert validated.exit_code == 2 and said in validated.stderr and "PASS" not in validated.stdout
    assert f"{path}: {said}" in validated.stderr
    told = json.loads(emu("validate", path, *chip, "--sequential", "--json").stdout)
    assert told["exit_code"] == 2 and said in told["reason"]
    assert told["verdict"]["passed"] is False
    assert emu("validate", path, *chip, "--sequential", "--golden", "none").exit_code == 0
    assert emu("compile", path, *chip, "-o", out).exit_code == 0
    launched = emu("launch", out, "--sequential")
    assert launched.exit_code == 2 and said in launched.stderr
    assert emu("launch", out, "--sequential", "--golden", "none").exit_code == 0
    suite = emu("validate", path, other, *chip, "--sequential", "--jobs", "1")
    assert suite.exit_code == 2 and said in suite.output


def test_there_is_nothing_to_prove_without_a_program(tmp_path):
    compile(host_nets.nothing_for_cores(), out=tmp_path / "out", host_fallback=True, **SMALL)
    done = emu("check", tmp_path / "out")
    assert done.exit_code == 2 and "nothing to prove" in done.stderr


@pytest.mark.parametrize("name", HOLLOW)
def test_assertions_and_the_backend_raise(name, tmp_path):
    made, said = HOLLOW[name]
    with pytest.raises(EmuError, match=said) as raised:
        assert_valid(made(), host_fallback=True, sequential=True, **SMALL)
    assert raised.value.exit_code == 2
    with pytest.raises(InputError, match=said):
        backend.prepare(made(), host_fallback=True, **SMALL)


def test_conformance_does_not_count_it_as_hosted(tmp_path):
    model = host_nets.nothing_for_cores()
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    wanted = np.array([[2, 1, 0, 3], [5, 4, 6, 7]], np.float32)
    trial = ConformanceTrial("case", "node", "Turn", model.SerializeToString(), [([x], [wanted])], 1e-3, 1e-5, 8, True)
    result = run_trial(trial, tmp_path, FreshZygotes())
    assert result.outcome == REFUSED and NO_CORE in result.reason


def test_outputs_without_elements_verify_nothing(tmp_path):
    shape = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [0, 4]) for name in "xy"}
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], "relu")], "net", [shape["x"]], [shape["y"]])
    path = tmp_path / "net.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    done = emu("validate", path, "--arch", "tiny", "--cores", "8", "--sequential")
    assert done.exit_code == 2 and "nothing is verified" in done.stderr
