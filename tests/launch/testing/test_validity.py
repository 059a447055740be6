"""`assert_valid`: wrong results are AssertionErrors that say what the command says, all else is an EmuError."""

import inspect
import json
import shlex
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from commands import DIGITS, SAMPLES

from emu.chaos.spec import Chaos
from emu.errors import EmuError, InputError
from launch import validate
from launch.cli import cli
from launch.supervision.errors import CoreDied
from launch.testing import assert_valid

QUICK = {"cores": 16, "sequential": True}
NOTHING = {"tolerance": 1e-30, **QUICK}


def wrong(model, *arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_valid(model, *arguments, **options)
    return str(caught.value)


def command_of(text):
    (line,) = (line for line in text.splitlines() if line.startswith("repeat it: "))
    return shlex.split(line.removeprefix("repeat it: "))


def test_what_is_right_gives_the_report():
    report = assert_valid(DIGITS, **QUICK, samples=2)
    assert report.exit_code == 0 and report.verdict.tensors[0].samples == 2
    assert assert_valid(str(DIGITS), "tiny", sequential=True).verdict.passed


@pytest.mark.full
def test_the_command_prints_the_same_and_repeats_it():
    """But for times and the sentence that sums up; the run is the same to the bit."""
    text = wrong(DIGITS, "tiny", keep=["relu_1"], tolerance=1e-30, sequential=True, seed=3)
    _, *command = command_of(text)
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 1
    told = [line for line in text.splitlines()[1:] if not line.startswith(("started in", "repeat it"))]
    printed = done.output.splitlines()
    assert set(told) <= set(printed) and any(line.startswith("FAIL") for line in told)
    ours = validate(DIGITS, "tiny", keep=["relu_1"], tolerance=1e-30, sequential=True, seed=3).to_dict()
    theirs = json.loads(CliRunner().invoke(cli, [*command, "--json"]).stdout)
    assert json.loads(json.dumps(ours["verdict"])) == theirs["verdict"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_messages": 1}, "messages"),
        ({"input": SAMPLES, "labels": "labels", "min_accuracy": 1.0}, "accuracy"),
    ],
)
def test_budgets_and_accuracy_count(options, words):
    text = wrong(DIGITS, **QUICK, **options)
    assert words in text.splitlines()[0]
    assert f"--{next(iter(options)).replace('_', '-')}" in command_of(text)


def test_a_model_in_memory_stays_where_it_is_wanted(tmp_path):
    model = onnx.load(DIGITS)
    assert assert_valid(model, **QUICK).verdict.passed
    text = wrong(model, folder=tmp_path, **NOTHING)
    assert command_of(text)[2] == str(tmp_path / "model.onnx") and (tmp_path / "model.onnx").exists()
    text = wrong(model, **NOTHING)
    assert command_of(text)[2] == "model.onnx" and text.endswith("first write it to model.onnx with onnx.save)")


def test_inputs_of_the_test_are_told(tmp_path):
    inputs = {"in0": np.zeros(onnx_shape(), np.float32)}
    text = wrong(DIGITS, input=inputs, tolerance=1e-30, **QUICK)
    assert text.endswith("lacks the inputs of the test: write them to a file, and name it, too)")


def onnx_shape():
    (value,) = onnx.load(DIGITS).graph.input
    return [size.dim_value or 1 for size in value.type.tensor_type.shape.dim]


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        ("missing.onnx", {}, "missing.onnx does not exist"),
        (7, {}, "a path or an onnx.ModelProto, not int"),
        (DIGITS, {"samples": 0}, "samples 0 is no whole number"),
        (onnx.ModelProto(), {"folder": "missing"}, "the model cannot be written to missing/model.onnx: "),
        (onnx.ModelProto(), {}, "model.onnx"),
    ],
)
def test_what_is_refused_is_no_wrong_result(model, options, words):
    with pytest.raises(EmuError, match=words) as caught:
        assert_valid(model, **options)
    assert caught.value.exit_code == 2


def test_failures_of_the_machine_are_no_wrong_results(emu_zygotes):
    options = {"cores": 16, "timeout": 60, "golden": "none", "zygotes": emu_zygotes}
    with pytest.raises(CoreDied, match="was killed by SIGKILL"):
        assert_valid(DIGITS, chaos=Chaos(("kill:random@0",)), **options)
    with pytest.raises(EmuError, match="nothing was injected") as caught:
        assert_valid(DIGITS, chaos=Chaos(("drop:0@100000",)), **options)
    assert caught.value.exit_code == 2
    with pytest.raises(EmuError, match="SIGKILL") as caught:
        assert_valid(DIGITS, chaos=Chaos(("kill:random@0",)), chaos_runs=1, **options)
    assert caught.value.exit_code == 5
    assert not isinstance(caught.value, InputError)


def test_it_takes_what_validate_takes():
    ours, theirs = (set(inspect.signature(each).parameters) for each in (assert_valid, validate))
    assert ours - theirs == {"folder"} and theirs <= ours
    with pytest.raises(TypeError, match="speed"):
        assert_valid(Path("nowhere"), speed=2)
