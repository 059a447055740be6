"""Samples that are right alone and wrong behind others; kept tensors alone that differ; what lies elsewhere."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from bisect_faults import Columns, Subject, edited, make, op, replace_file
from click.testing import CliRunner, Result
from commands import DIGITS, Emu
from onnx import helper, numpy_helper

from emu.image.seal import seal
from emu.program.section import INSTRUCTION_COLUMNS, OPERAND_COLUMNS
from launch.bisect.search import Question, bisect
from launch.cli import cli
from launch.images.compilation import compile_image


@pytest.fixture
def emu() -> Emu:
    """Run `emu` with the given arguments in this process."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="module")
def spoilt(digits: Subject, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, int]:
    """A copy in which a core fills its bias in place of its `halt`: folder, core, index of that instruction."""
    out = tmp_path_factory.mktemp("spoilt") / "out"
    digits.copy(out)
    fills = digits.instructions(
        lambda p, k: op(p, k) == "lldi" and bool(p.data) and len(p.main.decode(k).operands) == 1
    )
    core, index = next((c, k) for c, k in fills if not digits.programs[c].main.decode(k).operands[0].terms)
    program = digits.programs[core]

    def edit(columns: Columns) -> None:
        operand, terms = int(columns["operand"][index]), len(columns["loop"])
        for name in INSTRUCTION_COLUMNS:
            columns[name][-1] = columns[name][index]
        columns["operand"][-1] = len(columns["base"])
        for name in OPERAND_COLUMNS:
            columns[name] = np.append(columns[name], columns[name][operand])
        columns["base"][-1], columns["term"][-1] = program.data[0].address, terms
        columns["n"][-1] = len(program.data[0].content)

    edited(digits, out, "", core, index, edit)
    replace_file(out / "manifest.json", (out / "manifest.json").read_bytes())
    seal(out)
    return out, core, len(program.main) - 1


@pytest.mark.parametrize("sample", [1, 3])
def test_what_writes_over_a_constant_is_found_though_the_sample_is_right_alone(
    spoilt: tuple[Path, int, int], sample: int
) -> None:
    out, core, index = spoilt
    given = Subject(out).image.default_inputs()
    assert given is not None
    inputs = {name: np.concatenate([array[:1]] * 4) for name, array in given.items()}
    finding = bisect(Question(image=out, model=DIGITS, inputs=inputs, sample=sample, recompile=False))
    assert finding.site is not None and finding.wrong is not None
    assert (finding.core, finding.site.index, finding.before) == (core, index, 1)
    assert "which stood there from power-on" in finding.message
    assert "alone the sample is right: the sample before it must leave something" in "\n".join(finding.lines())


def test_the_first_sample_of_such_a_run_is_right(spoilt: tuple[Path, int, int]) -> None:
    out, core, _ = spoilt
    given = Subject(out).image.default_inputs()
    assert given is not None
    finding = bisect(Question(image=out, model=DIGITS, inputs=given))
    assert finding.note and finding.before == 0
    assert finding.changes is not None and [change.site.core for change in finding.changes] == [core]


def test_a_golden_file_of_other_values_is_told_from_wrong_programs(emu: Emu, digits: Subject, tmp_path: Path) -> None:
    name = digits.image.manifest.outputs[0].name
    stored = np.load(digits.out / digits.image.manifest.golden)
    np.savez(tmp_path / "golden.npz", **{name: stored[name] + 5})
    arguments = ("launch", digits.out, "--sequential", "--model", DIGITS, "--bisect", "--golden")
    result = emu(*arguments, tmp_path / "golden.npz")
    assert result.exit_code == 1
    assert "bisect: run again in one process, " in result.stdout
    assert "golden.npz has other values than those that the model gives" in result.stdout


def test_a_kept_tensor_that_differs_is_looked_for_though_outputs_are_right(emu: Emu, tmp_path: Path) -> None:
    """Far below zero it makes no difference behind a Relu how far."""
    names = {"x": [1, 8], "y": [1, 8], "z": [1, 8]}
    tensors = {
        name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in names.items()
    }
    nodes = [
        helper.make_node("Add", ["x", "c"], ["a"], name="add"),
        helper.make_node("Relu", ["a"], ["y"], name="relu"),
        helper.make_node("Max", ["a", "zero"], ["z"], name="most"),
    ]
    constants = {"c": np.full((1, 8), -100, np.float32), "zero": np.zeros((1, 8), np.float32)}
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "net", [tensors["x"]], [tensors["y"], tensors["z"]], initializers)
    model, out, bad = tmp_path / "m.onnx", tmp_path / "out", tmp_path / "bad"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    compile_image(model, out, arch="tiny", quiet=True)
    fault = make(Subject(out), "wrong bias", bad, "0")
    assert fault is not None and fault.node == "add"
    arguments = ("launch", bad, "--sequential", "--model", model, "--keep", "all", "--bisect", "--json")
    report = json.loads(emu(*arguments).stdout)
    assert report["exit_code"] == 1 and all(tensor["passed"] for tensor in report["verdict"]["tensors"])
    assert (report["bisect"]["node"], report["bisect"]["core"]) == ("add", fault.core)
