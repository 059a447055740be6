"""Golden values of networks that round floats to integers: where they are uncertain, and how far."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from compiler import evaluation
from emu.image.manifest import TensorSpec
from emu.image.npz import write_npz
from emu.isa.dtypes import DType
from emu.output.whole_file import WholeFile
from emu.program.form import Form
from launch.golden.rounding import UNITS, perturbed, rounds_inexact, shake
from launch.golden.values import compute_golden, read_golden
from launch.golden.verdict import compare_all


def node(kind: str, *names: str, domain: str = "", **attributes: object) -> onnx.NodeProto:
    return helper.make_node(kind, names[:-1], names[-1:], domain=domain, **attributes)


def network(*nodes: onnx.NodeProto, made: int = TensorProto.FLOAT) -> onnx.ModelProto:
    """From `x` [1, 64] to `y`; the scale is 1/8, the zero point 0."""
    constants = [
        helper.make_tensor("scale", TensorProto.FLOAT, [], [0.125]),
        helper.make_tensor("zero", TensorProto.INT8, [], [0]),
    ]
    ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])]
    graph = helper.make_graph(list(nodes), "g", ends, [helper.make_tensor_value_info("y", made, [1, 64])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def pair(before: str, after: str) -> tuple[onnx.NodeProto, onnx.NodeProto]:
    middle = f"{before}/integers"
    return (
        node("QuantizeLinear", before, "scale", "zero", middle),
        node("DequantizeLinear", middle, "scale", "zero", after),
    )


QUANTISED = pair("a", "y")


@pytest.mark.parametrize(
    ("nodes", "inexact"),
    [
        ((node("Tanh", "x", "a"), *QUANTISED), True),
        ((node("Tanh", "x", "t"), node("Reshape", "t", "shape", "r"), node("Mul", "r", "r", "a"), *QUANTISED), True),
        ((node("Softmax", "x", "t"), node("Round", "t", "y")), True),
        ((node("Mul", "x", "scale", "a"), *QUANTISED), False),
        ((*pair("x", "a"), *QUANTISED), False),
        ((node("Mul", "x", "scale", "a"), *pair("a", "d"), node("Tanh", "d", "y")), False),
        ((node("Tanh", "x", "y"),), False),
    ],
    ids=["float operator", "through a move", "rounded", "IEEE", "integers", "nothing rounded behind", "floats alone"],
)
def test_floats_are_inexact_behind_operators_that_approximate(nodes: tuple, inexact: bool) -> None:
    assert rounds_inexact(network(*nodes)) == inexact


@pytest.mark.parametrize("direction", [1, -1])
def test_floats_are_moved_where_they_are_rounded_and_nowhere_else(direction: int) -> None:
    model = network(node("Tanh", "x", "a"), node("Neg", "a", "n"), *QUANTISED)
    before = [one.SerializeToString() for one in model.graph.node]
    made = shake(model, direction).graph.node
    assert [one.op_type for one in made] == ["Tanh", "Neg", "Constant", "Mul", "QuantizeLinear", "DequantizeLinear"]
    factor = onnx.numpy_helper.to_array(made[2].attribute[0].t)
    assert (factor - 1) / np.finfo(np.float32).eps == pytest.approx(direction * UNITS)
    made[4].input[0] = "a"
    assert [one.SerializeToString() for one in (*made[:2], *made[4:])] == before
    onnx.checker.check_model(model)


def on_edges(model: onnx.ModelProto, path: Path) -> np.ndarray:
    """Inputs [1, 1, 64], half of which the network rounds at once from the middle of two steps."""
    onnx.save(model, str(path))
    steps = (np.arange(64) % 6 + 0.5) / 8
    return np.where(np.arange(64) % 2, np.arctanh(steps), 0).astype(np.float32).reshape(1, 1, 64)


@pytest.mark.parametrize("source", ["onnxruntime", "reference"])
def test_elements_may_differ_by_the_step_that_a_float_in_the_middle_makes(tmp_path: Path, source: str) -> None:
    path = tmp_path / "m.onnx"
    x = on_edges(network(node("Tanh", "x", "a"), *QUANTISED), path)
    golden = compute_golden(path, source, {"x": x}, ["y"])
    assert len(golden.perturbed) == 2
    want, (up, down) = golden.tensors["y"], (np.asarray(other["y"]) for other in golden.perturbed)
    assert (up != down).mean() == 0.5 and (up >= want).all() and (down <= want).all()
    assert abs(up - down).max() == 0.125

    def verdict(got: np.ndarray) -> object:
        return compare_all({"y": got}, golden.tensors, golden.source, perturbed=golden.perturbed)

    for right in (want, up, down):
        assert verdict(np.array(right)).passed
    shifted = np.array(want) + 3 * 0.125
    assert not verdict(shifted).passed and "beyond" in str(verdict(shifted).tensors[0])
    assert not compare_all({"y": up + down - want}, golden.tensors, golden.source).passed


def test_too_many_elements_that_are_a_step_off_fail(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    x = on_edges(network(node("Tanh", "x", "a"), *QUANTISED), path)
    x[..., 4:] = 0
    golden = compute_golden(path, "onnxruntime", {"x": x}, ["y"])
    got = np.array(golden.tensors["y"]) + 0.125
    (tensor,) = compare_all({"y": got}, golden.tensors, golden.source, perturbed=golden.perturbed).tensors
    assert not tensor.mismatches and tensor.moved == 64 and tensor.may_move <= 4
    assert not tensor.passed and f"more than {tensor.may_move} is wrong" in str(tensor)


def test_integer_networks_keep_their_limit(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    x = on_edges(network(node("Mul", "x", "scale", "a"), *QUANTISED), path)
    golden = compute_golden(path, "onnxruntime", {"x": x}, ["y"])
    assert golden.perturbed == () and perturbed(evaluation, "onnxruntime", path, ["y"], {}) == []


def test_uncertain_golden_values_stand_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    x = on_edges(network(node("Tanh", "x", "a"), *QUANTISED), path)
    golden = compute_golden(path, "onnxruntime", {"x": x}, ["y"])
    with WholeFile(tmp_path / "golden.npz") as file:
        write_npz(file, golden.arrays)
    read = read_golden(tmp_path / "golden.npz", [TensorSpec("y", Form((1, 64), (64, 1, 1), ("", "C")), DType.f32, ())])
    assert len(read.perturbed) == 2
    for ours, theirs in zip((golden.tensors, *golden.perturbed), (read.tensors, *read.perturbed), strict=True):
        np.testing.assert_array_equal(ours["y"], theirs["y"])
