"""Networks with host nodes run: right, in every form, and with deaths that are told."""

import csv
import json
import os
import signal

import host_nets
import numpy as np
import onnx
import onnxruntime
import pytest
from click.testing import CliRunner

from compiler import compile
from emu.errors import InputError
from launch import power_on
from launch.chips.segmented import power_on_segments
from launch.cli import cli
from launch.conformance.result import FAILED, HOSTED, REFUSED
from launch.conformance.trial import ConformanceTrial, run_trial
from launch.processes.zygote_process import FreshZygotes
from launch.supervision.errors import CoreDied, HostNodesFailed

NETS = {
    "one group": host_nets.sandwich(1),
    "several groups": host_nets.sandwich(3),
    "host first and last": host_nets.first_and_last(),
    "host alone": host_nets.nothing_for_cores(),
}


def built(model, folder):
    compile(model, "tiny", cores=8, out=folder, host_fallback=True)
    return folder


def inputs_of(model, seed=0):
    rng = np.random.default_rng(seed)
    shapes = {value.name: [d.dim_value for d in value.type.tensor_type.shape.dim] for value in model.graph.input}
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def expected(model, inputs):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, inputs), strict=True))


def emu(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.mark.few(4)
@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_it_gives_what_onnxruntime_gives(name, sequential, tmp_path):
    model = NETS[name]
    samples = [inputs_of(model, seed) for seed in range(3)]
    with power_on_segments(built(model, tmp_path / "out"), sequential=sequential) as chip:
        results = list(chip.stream(samples))
    assert [result.sample for result in results] == [0, 1, 2]
    for inputs, result in zip(samples, results, strict=True):
        for output, array in expected(model, inputs).items():
            np.testing.assert_allclose(result.outputs[output], array, rtol=1e-4, atol=1e-5)


def test_a_killed_host_process_is_named(tmp_path):
    model = NETS["one group"]
    with power_on_segments(built(model, tmp_path / "out")) as chip:
        name = next(name for name in chip.processes if "host process" in name)
        chip.run(inputs_of(model))
        os.kill(chip.processes[name], signal.SIGKILL)
        with pytest.raises(CoreDied, match=r"segment_01\.onnx \(grid0 \(GridSample\)\) was killed by SIGKILL") as died:
            chip.run(inputs_of(model))
        assert died.value.exit_code == 5
        with pytest.raises(CoreDied):  # it stays so
            chip.run(inputs_of(model))


def test_a_killed_core_is_named(tmp_path):
    model = NETS["one group"]
    with power_on_segments(built(model, tmp_path / "out")) as chip:
        chip.run(inputs_of(model))
        os.kill(chip.processes["segment_02: core 0"], signal.SIGKILL)
        with pytest.raises(CoreDied, match="core 0 was killed by SIGKILL"):
            chip.run(inputs_of(model))


def test_what_the_host_cannot_compute_is_told_with_its_nodes(tmp_path):
    """The lengths of ReverseSequence are those of an input, and too long for it."""
    node = host_nets.reversing("x", "y", "turn")
    model = host_nets.model([node], {"x": [2, 4]}, {"y": [2, 4]})
    model.graph.input.append(onnx.helper.make_tensor_value_info("lengths", onnx.TensorProto.INT64, [2]))
    with power_on_segments(built(model, tmp_path / "out")) as chip:
        given = inputs_of(NETS["host alone"])
        with pytest.raises(HostNodesFailed, match=r"turn \(ReverseSequence\)\) cannot compute them"):
            chip.run({**given, "lengths": np.array([3, 99], np.int64)})


def test_inputs_are_checked_as_those_of_any_network(tmp_path):
    with power_on_segments(built(NETS["host alone"], tmp_path / "out")) as chip:
        with pytest.raises(InputError, match="'x' is missing"):
            chip.run({})
        with pytest.raises(InputError, match="expected float32"):
            chip.run({"x": np.zeros((2, 4))})


def test_options_of_one_chip_are_refused(tmp_path):
    out = built(NETS["one group"], tmp_path / "out")
    for options in (["--keep", "all"], ["--cores", "9"], ["--chaos", "delay:0.1,1"], ["--trace", "run.json"]):
        done = emu("launch", out, "--golden", "none", *options)
        assert done.exit_code == 2 and "has host nodes" in done.stderr and options[0] in done.stderr
    with pytest.raises(InputError, match="segment_00"), power_on(out):
        pass
    assert emu("export", "--to", "asm", out).exit_code == 2


def test_commands_tell_of_the_host(tmp_path):
    path, out = tmp_path / "net.onnx", tmp_path / "out"
    onnx.save(NETS["one group"], path)
    done = emu("compile", path, "--arch", "tiny", "--cores", "8", "-o", out, "--host-fallback", "--report", "--json")
    told = json.loads(done.stdout)
    assert (told["host"]["operators"], told["host"]["all"]["operators"]) == (1, 4)
    assert told["host"]["shares"]["operators"] == 0.25 and told["check"]["proved"]
    nodes = {node["node"]: node["where"] for node in told["report"]["nodes"]}
    assert nodes["grid0"] == "host" and nodes["conv0"] == nodes["conv1"] == "crossbar"
    assert told["cores"] == told["report"]["cores"] and told["crossbars"] == told["report"]["crossbars"]
    launched = emu("launch", out, "--json")
    assert launched.exit_code == 0 and json.loads(launched.stdout)["verdict"]["passed"]
    info = json.loads(emu("info", out, "--json").stdout)
    assert info["host"] == told["host"] and info["segments"].keys() == {"segment_00", "segment_02"}
    assert "1 of 4 operators (25.0%)" in emu("info", out).stdout
    assert emu("info", out, "--details", "--csv", tmp_path / "parts.csv").exit_code == 0
    *rows, total = csv.DictReader((tmp_path / "parts.csv").read_text().splitlines())
    for name in ("executed", "messages", "crossbars", "macs"):
        parts = sum(part["total"][name] for part in info["segments"].values())
        assert (parts, total["core"]) == (int(total[name]), "total")
        assert parts == sum(int(row[name]) for row in rows)
    assert emu("check", out).exit_code == 0
    validated = emu("validate", path, "--arch", "tiny", "--cores", "8", "--host-fallback", "--sequential")
    assert validated.exit_code == 0 and "1 of 4 operators (25.0%)" in validated.stdout
    for idle in (["--until", "spat"], ["--dump", tmp_path / "dump", "-o", out]):
        assert "--host-fallback" in emu("compile", path, "--host-fallback", *idle).stderr


def test_a_changed_segment_is_noticed_until_it_is_sealed(tmp_path):
    out = built(NETS["one group"], tmp_path / "out")
    manifest = out / "segment_00" / "manifest.json"
    manifest.write_text(manifest.read_text() + "\n")
    done = emu("launch", out, "--golden", "none", "--sequential")
    assert done.exit_code == 2 and "segment_00" in done.stderr
    assert emu("import", "--seal", out).exit_code == 0
    assert emu("launch", out, "--golden", "none", "--sequential").exit_code == 0


@pytest.mark.parametrize(("host_fallback", "outcome"), [(True, HOSTED), (False, REFUSED)])
def test_conformance_counts_it_apart(host_fallback, outcome, tmp_path):
    model = NETS["one group"]
    inputs = inputs_of(model)
    data = [([inputs["x"]], [expected(model, inputs)["y"]])]
    trial = ConformanceTrial(
        "case", "node", "GridSample", model.SerializeToString(), data, 1e-3, 1e-5, 8, host_fallback
    )
    result = run_trial(trial, tmp_path, FreshZygotes())
    assert result.outcome == outcome
    assert "grid0 (GridSample)" in result.reason if host_fallback else "GridSample" in result.reason


def test_a_hosted_case_that_is_wrong_has_failed(tmp_path):
    model = NETS["host alone"]
    inputs = inputs_of(model)
    data = [([inputs["x"]], [expected(model, inputs)["y"] + 1])]
    trial = ConformanceTrial("case", "node", "ReverseSequence", model.SerializeToString(), data, 1e-3, 1e-5, 8, True)
    assert run_trial(trial, tmp_path, FreshZygotes()).outcome == FAILED
