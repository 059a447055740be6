"""Quantised networks of the zoo: onnxruntime runs each of them, and the compiler computes the same numbers."""

import numpy as np
import pytest
from in_process import compile_in_memory, golden, run_in_process
from onnx import helper, numpy_helper

from emu.arch import Arch
from launch import zoo
from launch.zoo.quantised import quantised

BIG = Arch(name="big", cores=64)


@pytest.mark.parametrize("form", ["qoperator", "qdq"])
@pytest.mark.parametrize("name", ["kernels/wavenet", "kernels/batched-matmul", "kernels/lstm"])
def test_kernels(name, form):
    model = quantised(zoo.build(name, 0), form, 0)
    rng = np.random.default_rng(1)
    sample = {
        value.name: rng.standard_normal([dim.dim_value for dim in value.type.tensor_type.shape.dim]).astype(np.float32)
        for value in model.graph.input
    }
    (found,), wanted = run_in_process(compile_in_memory(model, BIG, 64), [sample]), golden(model, sample)
    for key, array in wanted.items():
        np.testing.assert_allclose(found[key], array, rtol=0, atol=1e-5 * float(np.abs(array).max()))


def test_inputs_of_integers():
    """Tokens and masks are drawn as integers that tables have."""
    table = np.arange(12, dtype=np.float32).reshape(3, 4)
    weights = {"table": table, "w": np.eye(4, dtype=np.float32)}
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "words"], ["rows"]), helper.make_node("MatMul", ["rows", "w"], ["y"])],
        "net",
        [helper.make_tensor_value_info("words", 7, (1, 5))],
        [helper.make_tensor_value_info("y", 1, (1, 5, 4))],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    kinds = {node.op_type for node in quantised(model, "qoperator", 0).graph.node}
    assert "QLinearMatMul" in kinds
