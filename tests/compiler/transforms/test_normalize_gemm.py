"""Normal form of matrix products: any Gemm attributes and bias shapes, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper
from onnx_models import make_model, one_node, random_array
from onnx_passes import agree_after, kinds

from compiler.dialects.onnx import GemmOp
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from compiler.transforms.normalize_gemm import NormalizeGemmPass

NODE = helper.make_node
scales = st.sampled_from([1.0, 0.0, 0.5, -2.0])


def gemm(rows: int, bias: np.ndarray | None, **attributes: object):
    """Gemm of [rows, 8] or its transpose with [8, 5] or its transpose."""
    x = (8, rows) if attributes.get("transA") else (rows, 8)
    w = random_array(5, 8) if attributes.get("transB") else random_array(8, 5)
    biases = [] if bias is None else [bias]
    return one_node("Gemm", x, w, *biases, **attributes)


@settings(max_examples=40)
@given(
    scales,
    scales,
    st.booleans(),
    st.sampled_from([None, (), (1,), (5,), (1, 5), (1, 1)]),
)
def test_any_attributes(alpha, beta, trans, shape):
    bias = None if shape is None else random_array(*shape, seed=1)
    module = agree_after(gemm(1, bias, alpha=alpha, beta=beta, transB=int(trans)), NormalizeGemmPass())
    assert kinds(module) == ["Gemm"]
    (op,) = (op for op in module.walk() if isinstance(op, GemmOp))
    assert set(op.properties) == {"node", "tensor"}
    assert (op.b is not None) == (shape is not None and beta != 0)
    assert op.b is None or op.b.type.get_shape() == (5,)


@pytest.mark.parametrize("beta", [1.0, 3.0])
def test_a_bias_computed_at_run_time_is_added(beta):
    nodes = [NODE("Gemm", ["x", "w", "c"], ["y"], "fc", beta=beta)]
    model = make_model(nodes, {"x": (1, 8), "c": (1, 5)}, weights={"w": random_array(8, 5)})
    module = agree_after(model, NormalizeGemmPass())
    assert kinds(module) == (["Gemm", "Add"] if beta == 1.0 else ["Gemm", "Mul", "Add"])


def test_transposing_a_column_is_a_reshape():
    agree_after(one_node("Gemm", (8, 1), random_array(8, 5), transA=1), NormalizeGemmPass())
    nodes = [NODE("Transpose", ["x"], ["t"]), NODE("Gemm", ["t", "w"], ["y"], "fc", transA=1)]
    model = make_model(nodes, {"x": (1, 8)}, weights={"w": random_array(8, 5)})
    module = agree_after(model, NormalizeGemmPass())
    assert kinds(module) == ["Transpose", "Reshape", "Gemm"]


def test_several_rows_with_a_bias_each():
    nodes = [NODE("Squeeze", ["x", "zero"], ["s"]), NODE("Gemm", ["s", "w", "c"], ["y"])]
    weights = {"zero": np.array([0]), "w": random_array(8, 5), "c": random_array(3, 1)}
    module = agree_after(make_model(nodes, {"x": (1, 3, 8)}, weights=weights), NormalizeGemmPass())
    assert kinds(module) == ["Squeeze", "Gemm", "Add"]


def test_untouched_weights_are_not_stored_again():
    context = make_context()
    module = import_model(gemm(1, random_array(5)), context).module
    NormalizeGemmPass().apply(context, module)
    assert sorted(context.weights) == ["w0", "w1"]


def test_transposed_weights_are_views():
    context = make_context()
    module = import_model(gemm(1, None, transB=1), context).module
    NormalizeGemmPass().apply(context, module)
    assert np.shares_memory(context.weights.get("w0"), context.weights.get("the_node.weight"))


@pytest.mark.parametrize(
    ("x", "w", "expected"), [((1, 8), (8, 5), 2), ((1, 3, 8), (8, 5), 2), ((1, 3, 8), (1, 8, 5), 2)]
)
def test_matmul(x, w, expected):
    module = agree_after(one_node("MatMul", x, random_array(*w)), NormalizeGemmPass())
    (op,) = (op for op in module.walk() if op.name == "onnx.MatMul")
    assert len(op.operands[1].type.get_shape()) == expected


def test_a_constant_on_the_left_is_brought_to_the_right():
    left = make_model([NODE("MatMul", ["w", "x"], ["y"], "m")], {"x": (1, 3, 4)}, weights={"w": random_array(2, 3)})
    assert kinds(agree_after(left, NormalizeGemmPass())) == ["Transpose", "MatMul", "Transpose"]
    nodes = [NODE("Gemm", ["w", "x", "c"], ["y"], "g", transB=1, alpha=2.0, beta=3.0)]
    weights = {"w": random_array(2, 3), "c": random_array(2, 1, seed=1)}
    module = agree_after(make_model(nodes, {"x": (4, 3)}, weights=weights), NormalizeGemmPass())
    assert kinds(module) == ["Transpose", "Transpose", "MatMul", "Transpose", "Add"]


def test_a_matrix_is_transposed_by_a_view():
    module = agree_after(one_node("Gemm", (3, 8), random_array(3, 5), transA=1), NormalizeGemmPass())
    assert kinds(module) == ["Transpose", "Gemm"]
