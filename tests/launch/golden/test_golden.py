"""Golden values from a child process: two sources, intermediate tensors, refusals, a dying evaluator."""

import os
import signal
import sys
from pathlib import Path

import leaks
import numpy as np
import onnx
import pytest
from bombs import HARMLESS_NETWORKS
from commands import DIGITS
from onnx import TensorProto, helper

from emu.arch import Arch
from emu.errors import InputError
from emu.image.manifest import Manifest, ModelInfo, TensorOrigin, TensorSpec
from emu.isa.dtypes import DType
from emu.program.form import Form
from launch.golden.fitting import check_model, model_digest, of_model
from launch.golden.golden_process import GoldenError, evaluate
from launch.golden.values import compute_golden
from launch.golden.verdict import compare_all
from launch.system.process_state import stopped_by


def save(path: Path, *nodes: onnx.NodeProto, opset: int = 18, ir: int = 10) -> Path:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2, 3, 3]) for name in ("x", "y")]
    graph = helper.make_graph(list(nodes), "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir)
    onnx.save(model, str(path))
    return path


def samples(count: int) -> dict[str, np.ndarray]:
    return {"x": np.random.default_rng(1).standard_normal((count, 1, 2, 3, 3)).astype(np.float32)}


def test_sources_agree_on_outputs_and_intermediate_tensors() -> None:
    image = np.random.default_rng(0).random((3, 1, 1, 8, 8), np.float32)
    values = [compute_golden(DIGITS, source, {"in0": image}, ["out0", "relu"]) for source in ("onnxruntime", "numpy")]
    assert values[0].source.startswith("onnxruntime ")
    assert values[1].source.startswith("onnx.reference ")
    assert {name: array.shape for name, array in values[0].tensors.items()} == {
        "out0": (3, 1, 10),
        "relu": (3, 1, 16, 8, 8),
    }
    assert compare_all(values[1].tensors, values[0].tensors, "onnxruntime").passed


def test_newest_container_version_is_accepted(tmp_path: Path) -> None:
    model = save(tmp_path / "m.onnx", helper.make_node("Neg", ["x"], ["y"]), ir=14)
    x = samples(2)
    assert np.array_equal(compute_golden(model, "onnxruntime", x, ["y"]).tensors["y"], -x["x"])


@pytest.mark.parametrize("ir", [10, 14])
def test_inputs_may_have_other_shapes_than_the_file_says(tmp_path: Path, ir: int) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["m"]), helper.make_node("Abs", ["m"], ["y"])]
    model = save(tmp_path / "m.onnx", *nodes, ir=ir)
    x = np.random.default_rng(1).standard_normal((2, 1, 3, 4, 5)).astype(np.float32)
    golden = compute_golden(model, "onnxruntime", {"x": x}, ["y", "m"])
    assert np.array_equal(golden.tensors["y"], abs(x))
    assert np.array_equal(golden.tensors["m"], -x)


@pytest.mark.parametrize(("op", "opset"), [("LRN", 18), ("Softmax", 11)])
def test_reference_is_refused_where_it_is_wrong(tmp_path: Path, op: str, opset: int) -> None:
    attributes = {"size": 3} if op == "LRN" else {}
    model = save(tmp_path / "m.onnx", helper.make_node(op, ["x"], ["y"], name="bad", **attributes), opset=opset)
    with pytest.raises(GoldenError, match=f"wrong for {op} at opset {opset} .node 'bad'"):
        compute_golden(model, "reference", samples(1), ["y"])


def test_refusals_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"junk")
    for source in ("onnxruntime", "reference"):
        with pytest.raises(GoldenError, match=r"bad\.onnx") as caught:
            compute_golden(tmp_path / "bad.onnx", source, samples(1), ["y"])
        assert "\n" not in str(caught.value)
    with pytest.raises(GoldenError, match="nope"):
        compute_golden(DIGITS, "onnxruntime", samples(1), ["nope"])


@pytest.mark.parametrize(("number", "words"), [("SIGKILL", "out of memory"), ("SIGSEGV", "died of SIGSEGV")])
def test_a_dying_evaluator_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str, words: str) -> None:
    suicide = tmp_path / "python"
    suicide.write_text(f"#!{sys.executable}\nimport os, signal\nos.kill(os.getpid(), signal.{number})\n")
    suicide.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(suicide))
    with pytest.raises(GoldenError, match=f"digits_cnn.onnx with onnxruntime failed .*{words}"):
        compute_golden(DIGITS, "onnxruntime", {}, ["out0"])


def test_model_must_be_the_compiled_one(tmp_path: Path) -> None:
    compiled = Manifest(Arch(), (), (), (), 0, ModelInfo("digits", model_digest(DIGITS)))
    check_model(DIGITS, compiled, "out")
    other = tmp_path / "other.onnx"
    other.write_bytes(b"x")
    with pytest.raises(InputError, match="other SHA-256"):
        check_model(other, compiled, "out")
    with pytest.raises(InputError, match="does not exist"):
        check_model(tmp_path / "none.onnx", compiled, "out")


def spec(name: str, shape: tuple[int, ...], dtype: DType = DType.f32) -> TensorSpec:
    return TensorSpec(name, Form(shape, (1,), ("C",)), dtype, ())


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [
        ([spec("in0", (1, 1, 8, 8))], [spec("out0", (1, 10))], ""),
        ([spec("in0", (1, 1, 8, 8))], [spec("relu", (1, 16, 8, 8))], ""),
        ([spec("in0", (1, 1, 8, 8))], [], ""),
        ([spec("in0", (1, 1, 8, 9))], [spec("out0", (1, 10))], r"input 'in0' of out has shape \[1, 1, 8, 9\], in the"),
        ([spec("in0", (1, 1, 8, 8), DType.i8)], [], "input 'in0' of out is int8, in the model float32"),
        ([spec("in0", (1, 1, 8, 8))], [spec("out0", (10,))], r"output 'out0' of out has shape \[10\], in the model"),
        ([spec("in0", (1, 1, 8, 8))], [spec("out1", (1, 10))], "name of output 'out1' of out; did you mean 'out0'"),
        ([], [spec("out0", (1, 10))], "out has no input 'in0', which .* has: its own are none"),
        ([spec("in0", (1, 1, 8, 8)), spec("more", (1,))], [], "no tensor of the name of input 'more' of out"),
    ],
)
def test_programs_of_others_fit_a_model_by_names_and_shapes(inputs: list, outputs: list, words: str) -> None:
    manifest = Manifest(Arch(), (), tuple(inputs), tuple(outputs), 0)
    if not words:
        check_model(DIGITS, manifest, "out")
        return
    with pytest.raises(InputError, match=words):
        check_model(DIGITS, manifest, "out")


def test_the_tensors_of_a_model_are_those_of_programs_that_list_none() -> None:
    origins = {origin.tensor: origin.node for origin in of_model(Manifest(Arch(), (), (), (), 0), DIGITS).tensors}
    assert origins["relu"] == "node_relu" and list(origins)[-1] == "out0"
    own = Manifest(Arch(), (), (), (), 0, tensors=(TensorOrigin("a", "b"),))
    assert of_model(own, DIGITS) is own


def test_golden_values_of_nothing_are_none(tmp_path: Path) -> None:
    assert compute_golden(DIGITS, "onnxruntime", {"in0": np.zeros((1, 1, 1, 8, 8), np.float32)}, []).tensors == {}


@pytest.mark.parametrize("source", ["onnxruntime", "reference"])
def test_nodes_that_nothing_needs_are_not_evaluated(tmp_path: Path, source: str) -> None:
    """They would take a terabyte: what is compiled leaves them out, too."""
    path = tmp_path / "m.onnx"
    path.write_bytes(HARMLESS_NETWORKS["huge nodes that nothing needs"]().SerializeToString())
    x = np.array([[1, -2, 3, -4, 5, -6, 7, -8]], np.float32)
    golden = compute_golden(path, source, {"x": x[np.newaxis]}, ["y"])
    assert golden.tensors["y"].tolist() == [[[1, 0, 3, 0, 5, 0, 7, 0]]]


NODE = helper.make_node


def test_operator_sets_that_onnxruntime_does_not_know(tmp_path: Path) -> None:
    """Old ones are converted, newer ones lowered where operators mean the same, or replaced by their definitions."""
    x = samples(1)
    value = x["x"]
    swish = value / (1 + np.exp(-value))
    cases = [
        ([NODE("Relu", ["x"], ["y"], consumed_inputs=[1])], 1, 3, np.maximum(value, 0)),
        ([NODE("Cast", ["x"], ["i"], to=6), NODE("Cast", ["i"], ["y"], to=1)], 28, 14, np.trunc(value)),
        ([NODE("SwiGLU", ["x", "x"], ["y"])], 28, 14, swish * value),
        ([NODE("Swish", ["x"], ["y"])], 24, 10, swish),
    ]
    for nodes, opset, ir, expected in cases:
        model = save(tmp_path / "m.onnx", *nodes, opset=opset, ir=ir)
        values = compute_golden(model, "onnxruntime", x, ["y"])
        assert values.source.startswith("onnxruntime ")
        np.testing.assert_allclose(values.tensors["y"], expected, rtol=1e-5, atol=1e-6)


def test_what_is_too_new_for_onnxruntime_is_computed_by_the_reference(tmp_path: Path) -> None:
    """SpaceToDepth has an attribute that it had not before."""
    model = save(tmp_path / "m.onnx", NODE("SpaceToDepth", ["x"], ["y"], blocksize=1, mode="CRD"), opset=28)
    values = compute_golden(model, "onnxruntime", samples(1), ["y"])
    assert values.source.startswith(("onnx.reference ", "onnxruntime "))
    np.testing.assert_array_equal(values.tensors["y"], samples(1)["x"])


def test_conversions_that_are_wrong_are_refused(tmp_path: Path) -> None:
    model = save(tmp_path / "m.onnx", NODE("PRelu", ["x", "x"], ["y"]), opset=6, ir=3)
    with pytest.raises(GoldenError, match="PRelu of operator set 6 cannot be converted"):
        compute_golden(model, "onnxruntime", samples(1), ["y"])


def test_weights_of_an_edited_model_stay_in_their_file(tmp_path: Path) -> None:
    x, weights = samples(1), np.full((3, 3), 2, np.float32)
    graph = helper.make_graph(
        [NODE("MatMul", ["x", "w"], ["m"]), NODE("Neg", ["m"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 3, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, 3, 3])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=14)
    path = tmp_path / "m.onnx"
    onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    values = compute_golden(path, "onnxruntime", x, ["y", "m"])
    np.testing.assert_allclose(values.tensors["m"], x["x"] @ weights, rtol=1e-5)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["m.onnx", "w.bin"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise ValueError('first line\\nlast line')", r"failed \(last line\)"),
        ("raise Refused('not of this kind')", r"^not of this kind$"),
        ("sys.exit(3)", r"failed \(exit code 3\)"),
        ("print('nobody'); print('some words', file=sys.stderr); sys.exit(4)", r"failed \(some words\)"),
        ("raise MemoryError", r"failed \(MemoryError\)"),
        ("atexit.register(os._exit, 5); raise Refused('at last')", r"^at last$"),
        ("atexit.register(os._exit, 5)", r"failed \(exit code 5\)"),
    ],
)
def test_what_an_evaluator_does_is_told_in_one_sentence(tmp_path: Path, body: str, words: str) -> None:
    evaluators = tmp_path / "evaluators.py"
    evaluators.write_text(
        "import atexit, os, sys\n"
        "class Refused(Exception): pass\n"
        f"def source(model, tensors, shapes):\n    {body}\n    return 'own 1', lambda given: []\n"
        "SOURCES = {'own': source}\n"
    )
    request = {"evaluators": str(evaluators), "model": "m", "source": "own", "inputs": {}, "states": []}
    with pytest.raises(GoldenError, match=words) as raised:
        evaluate(tmp_path, Path("m.onnx"), "own", {**request, "samples": 1, "tensors": []})
    assert raised.value.exit_code == 2


def test_an_evaluator_has_its_temporary_files_in_its_folder(tmp_path: Path) -> None:
    evaluators = tmp_path / "evaluators.py"
    evaluators.write_text(
        "import tempfile\n"
        "class Refused(Exception): pass\n"
        "SOURCES = {'own': lambda *asked: (tempfile.mkdtemp(), lambda given: [])}\n"
    )
    request = {"evaluators": str(evaluators), "model": "m", "source": "own", "inputs": {}, "states": []}
    result = evaluate(tmp_path, Path("m.onnx"), "own", {**request, "samples": 1, "tensors": []})
    assert Path(result["source"]).parent == tmp_path and result["perturbed"] == 0


def test_a_stopped_evaluator_is_told(tmp_path: Path) -> None:
    """It goes on when it is continued."""
    evaluators, told = tmp_path / "evaluators.py", []
    evaluators.write_text(
        "import os, signal\n"
        "class Refused(Exception): pass\n"
        "def source(*asked):\n    os.kill(os.getpid(), signal.SIGSTOP)\n    return 'own 1', lambda given: []\n"
        "SOURCES = {'own': source}\n"
    )

    def resume(line: str) -> None:
        told.append(line)
        (child,) = (process for process in leaks.descendants() if stopped_by(process))
        os.kill(child, signal.SIGCONT)

    request = {"evaluators": str(evaluators), "model": "m", "source": "own", "inputs": {}, "states": []}
    evaluate(tmp_path, Path("m.onnx"), "own", {**request, "samples": 1, "tensors": []}, resume)
    assert "the process of golden values is stopped (SIGSTOP)" in told[0]
