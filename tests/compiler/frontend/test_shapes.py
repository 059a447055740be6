"""Values of any rank, of any batch, scalars and values without elements compute what onnxruntime computes."""

import numpy as np
import pytest
from onnx import helper
from onnx_models import make_model, one_node, random_array
from onnx_passes import agree_after

from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from compiler.transforms.onnx_pipeline import ONNX_PASSES

VIDEO, BATCH, EMPTY = (2, 3, 4, 5, 6), (8, 3, 4, 5), (2, 0, 3)
PASSES = [kind() for kind in ONNX_PASSES.values()]


def two(kind, left, right, **attributes):
    """y = kind(a, b) of two inputs."""
    return make_model([helper.make_node(kind, ["a", "b"], ["y"], **attributes)], {"a": left, "b": right})


CASES = {
    "relu of rank 5": one_node("Relu", VIDEO),
    "relu of rank 9": one_node("Relu", (1, 2, 1, 2, 1, 2, 1, 2, 1)),
    "softmax of rank 5": one_node("Softmax", VIDEO, axis=2),
    "mean of rank 5": one_node("ReduceMean", VIDEO, np.array([1, -1]), opset=18),
    "transposed rank 5": one_node("Transpose", VIDEO, perm=[4, 0, 3, 1, 2]),
    "flattened rank 5": one_node("Flatten", VIDEO, axis=3),
    "batch through relu": one_node("Relu", BATCH),
    "batch through add": one_node("Add", BATCH, random_array(8, 1, 1, 5)),
    "batch through concat": two("Concat", BATCH, (2, 3, 4, 5), axis=0),
    "batch through conv": one_node("Conv", BATCH, random_array(2, 3, 3, 3), pads=[1, 1, 1, 1]),
    "batch through pool": one_node("MaxPool", BATCH, kernel_shape=[2, 2]),
    "batch through mean": one_node("ReduceMean", BATCH, np.array([2, 3]), opset=18, keepdims=0),
    "batch through gemm": one_node("Gemm", (8, 3), random_array(3, 5), random_array(5)),
    "batch through normalisation": one_node("BatchNormalization", BATCH, *[np.ones(3, np.float32)] * 4),
    "batch of signals": one_node("AveragePool", (8, 3, 9), kernel_shape=[3]),
    "relu of a scalar": one_node("Relu", ()),
    "clip of a scalar": one_node("Clip", (), np.float32(0)),
    "sum of scalars": two("Add", (), ()),
    "scalar broadcast": two("Mul", (2, 3), ()),
    "constant and scalar": one_node("Sub", (), random_array(2, 3)),
    "scalar as a vector": one_node("Unsqueeze", (), np.array([0])),
    "vector as a scalar": one_node("Squeeze", (1,)),
    "matrix as a scalar": one_node("Reshape", (1, 1), np.array([], np.int64)),
    "mean as a scalar": one_node("ReduceMean", (2, 3), opset=18, keepdims=0),
    "transposed scalar": one_node("Transpose", ()),
    "mean of a scalar": one_node("ReduceMean", (), opset=18),
    "relu of nothing": one_node("Relu", EMPTY),
    "nothing broadcast": two("Add", EMPTY, (1, 3)),
    "nothing joined": two("Concat", (2, 0, 3), (2, 4, 3), axis=1),
    "a constant of nothing joined": one_node("Concat", (2, 4), random_array(2, 0), axis=1),
    "nothing transposed": one_node("Transpose", EMPTY, perm=[1, 2, 0]),
    "nothing flattened": one_node("Flatten", EMPTY, axis=2),
    "nothing reshaped": one_node("Reshape", EMPTY, np.array([0, 0, 3])),
    "nothing reshaped by allowzero": one_node("Reshape", EMPTY, np.array([5, 0, 7]), allowzero=1),
    "nothing counted": one_node("Reshape", EMPTY, np.array([3, -1])),
    "gemm of nothing": one_node("Gemm", (0, 3), random_array(3, 5), random_array(1, 5)),
    "normalised batch of nothing": one_node("Gemm", (0, 3), random_array(5, 3), random_array(5), transB=1, alpha=2.0),
    "product of nothing": one_node("MatMul", (0, 3), random_array(3, 5)),
}


@pytest.mark.parametrize("name", CASES)
def test_any_shape_is_imported_and_normalised(name):
    agree_after(CASES[name])
    agree_after(CASES[name], *PASSES)


def test_shapes_of_inputs_and_outputs():
    imported = import_model(two("Concat", EMPTY, (2, 4, 3), axis=1), make_context())
    assert [info.shape for info in (*imported.inputs, *imported.outputs)] == [EMPTY, (2, 4, 3), (2, 4, 3)]
    imported = import_model(one_node("Relu", ()), make_context())
    assert [info.shape for info in (*imported.inputs, *imported.outputs)] == [(), ()]
