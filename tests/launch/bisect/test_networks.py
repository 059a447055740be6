"""Networks of other kinds: several outputs, states that are kept from step to step, integers."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import stepped_nets
from bisect_faults import MAKERS, Fault, Subject
from bisect_table import faulty
from click.testing import CliRunner
from onnx import helper
from onnx_models import make_model, random_array

from launch.bisect.finding import BisectResult
from launch.bisect.search import Question, bisect
from launch.cli import cli
from launch.images.compilation import compile_image


def search(subject: Subject, model: Path, bad: Path, recompile: bool) -> BisectResult:
    inputs = subject.image.default_inputs()
    assert inputs is not None
    return bisect(Question(image=bad, model=model, inputs=inputs, recompile=recompile))


@pytest.fixture
def heads(tmp_path: Path) -> tuple[Subject, Path]:
    """One layer that two outputs are computed from."""
    weights = {f"w{k}": random_array(24, 24, seed=k) for k in range(3)}
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["middle"], "trunk")]
    nodes += [helper.make_node("MatMul", ["middle", f"w{k}"], [f"y{k}"], f"head{k}") for k in (1, 2)]
    model = tmp_path / "heads.onnx"
    onnx.save(make_model(nodes, {"x": [1, 24]}, ("y1", "y2"), weights), model)
    compile_image(model, tmp_path / "out", arch="tiny", quiet=True)
    return Subject(tmp_path / "out"), model


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(4))
def test_of_several_outputs_the_wrong_one_is_named(heads: tuple[Subject, Path], tmp_path: Path, seed: int) -> None:
    subject, model = heads
    fault = faulty(subject, "weight", tmp_path / "bad", seed)
    for recompile in (False, True):
        finding = search(subject, model, tmp_path / "bad", recompile)
        assert (finding.core, finding.node) == (fault.core, fault.node.partition("/")[0])
    wrong = finding.wrong
    assert wrong is not None and wrong.tensor == {"trunk": "middle", "head1": "y1", "head2": "y2"}[finding.node]


def test_the_step_that_differs_is_searched(tmp_path: Path) -> None:
    """A step depends on all before it: they are run again, too."""
    model, out, bad = tmp_path / "cell.onnx", tmp_path / "out", tmp_path / "bad"
    onnx.save(stepped_nets.cell(1), model)
    compile_image(model, out, arch="tiny", states={"h0": "h", "c0": "c"}, quiet=True)
    fault = faulty(Subject(out), "weight", bad)
    np.savez(tmp_path / "in.npz", x=np.random.default_rng(0).standard_normal((3, 1, 1, 3)).astype(np.float32))
    arguments = ("launch", bad, "--sequential", "--stateful", "--input", tmp_path / "in.npz", "--model", model)
    done = CliRunner().invoke(cli, [*map(str, arguments), "--bisect", "--json"])
    report = json.loads(done.stdout)
    found = report["bisect"]
    assert report["exit_code"] == done.exit_code == 1
    assert found["sample"] == report["verdict"]["tensors"][0]["worst"][0]
    assert (found["core"], found["node"], found["by"]) == (fault.core, "the_cell", "recompilation")


@pytest.fixture(scope="module")
def integers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """LeNet on integers: its file, and a folder."""
    folder = tmp_path_factory.mktemp("integers")
    done = CliRunner().invoke(cli, ["export", "lenet5", "-o", str(folder / "m.onnx"), "--quantize", "qoperator"])
    assert done.exit_code == 0, done.output
    return folder / "m.onnx", folder


@pytest.mark.full
@pytest.mark.parametrize("granularity", ["image", "rows:4", "auto"])
def test_integers_that_stream_are_searched_too(integers: tuple[Path, Path], tmp_path: Path, granularity: str) -> None:
    model, folder = integers
    out = folder / granularity.replace(":", "-")
    compile_image(model, out, granularity=granularity, quiet=True)
    subject = Subject(out)
    for kind in [kind for kind in MAKERS if kind not in ("crossbar index", "swapped messages")]:
        fault: Fault = faulty(subject, kind, tmp_path / "bad")
        by_values, compared = (search(subject, model, tmp_path / "bad", recompile) for recompile in (False, True))
        assert by_values.core == fault.core, kind
        assert (compared.core, compared.node) == (fault.core, fault.node.partition("/")[0]), kind
