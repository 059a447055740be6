"""Every operator, as each operator set writes it, computes what onnxruntime computes."""

from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, one_node, random_array

from compiler.frontend.importer import import_model
from compiler.frontend.operators import OPERATORS
from compiler.session.context import make_context

IMAGE = (1, 6, 7, 5)
STATISTICS = [random_array(6, seed=index) for index in range(3)] + [np.abs(random_array(6, seed=4)) + 0.1]
AXES = np.array


def split_node(shape, parts, *sizes, opset=17, **attributes):
    """y0, y1, ... = Split(x), with all parts as outputs."""
    outputs = [f"y{index}" for index in range(parts)]
    node = helper.make_node("Split", ["x", *(["s"] if sizes else [])], outputs, "the_node", **attributes)
    return make_model([node], {"x": shape}, outputs, {"s": AXES(*sizes)} if sizes else {}, opset)


def check(model, *shapes) -> str:
    """Compare the imported module with the model; returns the module's text."""
    feed = {
        value.name: random_array(*shape, seed=index)
        for index, (value, shape) in enumerate(zip(model.graph.input, shapes, strict=True))
    }
    context = make_context()
    imported = import_model(model, context)
    expected = run_onnx(model, feed)
    got = evaluate_module(imported.module, context, feed)
    assert [info.shape for info in imported.outputs] == [array.shape for array in expected]
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    return str(imported.module)


CASES = {
    "conv": one_node("Conv", IMAGE, random_array(4, 6, 3, 3), random_array(4, seed=2), pads=[1, 0, 2, 1]),
    "conv grouped": one_node("Conv", IMAGE, random_array(9, 2, 3, 2), group=3, strides=[2, 1], dilations=[2, 1]),
    "conv depthwise": one_node("Conv", IMAGE, random_array(6, 1, 3, 3), group=6, auto_pad="SAME_UPPER"),
    "conv same lower": one_node("Conv", IMAGE, random_array(2, 6, 4, 2), strides=[2, 2], auto_pad="SAME_LOWER"),
    "conv valid": one_node("Conv", IMAGE, random_array(2, 6, 4, 2), auto_pad="VALID"),
    "conv signal": one_node(
        "Conv", (1, 4, 9), random_array(6, 2, 3), random_array(6), group=2, pads=[1, 2], strides=[2]
    ),
    "conv signal same": one_node("Conv", (1, 4, 9), random_array(3, 4, 4), auto_pad="SAME_LOWER"),
    "conv volumes": one_node("Conv", (2, 4, 5, 3, 4), random_array(6, 2, 3, 1, 2), group=2, pads=[1, 0, 1, 0, 2, 0]),
    "conv transpose": one_node(
        "ConvTranspose", IMAGE, random_array(6, 2, 3, 2), random_array(4), group=2, strides=[2, 1]
    ),
    "conv transpose padded": one_node(
        "ConvTranspose", (2, 3, 4), random_array(3, 2, 3), strides=[3], pads=[1, 0], output_padding=[2], dilations=[2]
    ),
    "conv transpose same": one_node(
        "ConvTranspose", IMAGE, random_array(6, 2, 4, 4), strides=[2, 2], auto_pad="SAME_LOWER"
    ),
    "conv transpose shape": one_node(
        "ConvTranspose", IMAGE, random_array(6, 2, 3, 3), strides=[2, 2], output_shape=[15, 10]
    ),
    "relu": one_node("Relu", IMAGE),
    "sigmoid": one_node("Sigmoid", IMAGE),
    "tanh": one_node("Tanh", IMAGE),
    "leaky": one_node("LeakyRelu", IMAGE, alpha=0.2),
    "leaky default": one_node("LeakyRelu", IMAGE),
    "clip 7": one_node("Clip", IMAGE, opset=7, min=-0.5, max=0.25),
    "clip 7 min": one_node("Clip", IMAGE, opset=7, min=-0.5),
    "clip 11": one_node("Clip", IMAGE, np.float32(-0.5), np.float32(0.25), opset=11),
    "clip 13 max": one_node("Clip", IMAGE, None, np.float32(0.25), opset=13),
    "clip 13 none": one_node("Clip", IMAGE, opset=13),
    "clip one element": one_node("Clip", IMAGE, np.full((), -0.5, np.float32)),
    "add": one_node("Add", IMAGE, random_array(6, 1, 1)),
    "sub": one_node("Sub", IMAGE, random_array(1, 1, 1, 1)),
    "mul": one_node("Mul", IMAGE, random_array(5)),
    "div": one_node("Div", IMAGE, random_array(7, 1, seed=3) + 3),
    "add wider": one_node("Add", (1, 5), random_array(4, 5)),
    "sum of one": one_node("Sum", IMAGE),
    "sum": one_node("Sum", IMAGE, random_array(6, 1, 1), random_array(5, seed=1)),
    "dropout 7": one_node("Dropout", IMAGE, opset=7, ratio=0.3),
    "dropout 13": one_node("Dropout", IMAGE, np.float32(0.3), np.array(False), opset=13),
    "dropout mask": make_model([helper.make_node("Dropout", ["x"], ["y", "mask"])], {"x": IMAGE}),
    "identity": one_node("Identity", IMAGE),
    "max pool": one_node("MaxPool", IMAGE, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]),
    "max pool ceil": one_node("MaxPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
    "max pool indices": make_model([helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2])], {"x": IMAGE}),
    "average pool": one_node("AveragePool", IMAGE, kernel_shape=[3, 2], pads=[1, 1, 1, 0]),
    "average pool 7": one_node("AveragePool", IMAGE, opset=7, kernel_shape=[3, 3], auto_pad="SAME_UPPER"),
    "average pool all": one_node("AveragePool", IMAGE, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1),
    "average pool ceil": one_node(
        "AveragePool", IMAGE, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, count_include_pad=1
    ),
    "max pool signal": one_node("MaxPool", (1, 4, 9), kernel_shape=[3], strides=[2], pads=[1, 0], ceil_mode=1),
    "average pool signal": one_node("AveragePool", (1, 4, 9), kernel_shape=[3], pads=[1, 1], count_include_pad=1),
    "global pool signal": one_node("GlobalAveragePool", (1, 4, 9)),
    "global pool": one_node("GlobalAveragePool", IMAGE),
    "global maximum": one_node("GlobalMaxPool", (2, 3, 4, 2, 5)),
    "mean 13": one_node("ReduceMean", IMAGE, opset=13, axes=[-1, 2], keepdims=0),
    "mean 18": one_node("ReduceMean", IMAGE, AXES([-1, 2]), opset=18),
    "mean 18 all": one_node("ReduceMean", IMAGE, opset=18, keepdims=0),
    "mean 18 noop": one_node("ReduceMean", IMAGE, opset=18, noop_with_empty_axes=1),
    "gemm": one_node("Gemm", (1, 8), random_array(8, 5), random_array(5, seed=1)),
    "gemm attributes": one_node("Gemm", (1, 8), random_array(5, 8), random_array(1, 5), alpha=0.5, beta=2.0, transB=1),
    "gemm transposed": one_node("Gemm", (1, 4), random_array(1, 5), transA=1),
    "matmul": one_node("MatMul", (1, 8), random_array(8, 5)),
    "matmul sequence": one_node("MatMul", (1, 3, 8), random_array(8, 5)),
    "matmul vectors": one_node("MatMul", (8,), random_array(8)),
    "matmul column": one_node("MatMul", (2, 3, 8), random_array(8)),
    "matmul row": one_node("MatMul", (8,), random_array(2, 8, 3)),
    "concat": one_node("Concat", IMAGE, random_array(1, 2, 7, 5), axis=-3),
    "flatten": one_node("Flatten", IMAGE),
    "flatten 11": one_node("Flatten", IMAGE, opset=11, axis=-1),
    "flatten rank": one_node("Flatten", IMAGE, axis=4),
    "reshape": one_node("Reshape", IMAGE, AXES([0, -1, 7])),
    "reshape allowzero": one_node("Reshape", IMAGE, AXES([1, 210]), allowzero=1),
    "split 11": split_node(IMAGE, 2, opset=11, axis=1, split=[1, 5]),
    "split 11 equally": split_node(IMAGE, 3, opset=11, axis=1),
    "split 13": split_node(IMAGE, 3, [2, 4, 1], opset=13, axis=-2),
    "split 13 equally": split_node(IMAGE, 3, opset=13, axis=1),
    "split 18": split_node(IMAGE, 3, opset=18, axis=2, num_outputs=3),
    "split 18 with nothing": split_node(IMAGE, 3, [5, 0, 0], opset=18, axis=3),
    "split into one": split_node(IMAGE, 1, axis=3),
    "squeeze 11": one_node("Squeeze", (1, 3, 1, 4), opset=11, axes=[-2]),
    "squeeze 13": one_node("Squeeze", (1, 3, 1, 4), AXES([0, 2]), opset=13),
    "squeeze all": one_node("Squeeze", (1, 3, 1, 4)),
    "unsqueeze 11": one_node("Unsqueeze", (1, 3), opset=11, axes=[3, 0]),
    "unsqueeze 13": one_node("Unsqueeze", (1, 3), AXES([-1, 1]), opset=13),
    "transpose": one_node("Transpose", IMAGE),
    "transpose perm": one_node("Transpose", IMAGE, perm=[0, 2, 3, 1]),
    "softmax 13": one_node("Softmax", IMAGE, opset=13, axis=1),
    "softmax 13 last": one_node("Softmax", IMAGE, opset=13),
    "softmax 7": one_node("Softmax", IMAGE, opset=7),
    "softmax 11": one_node("Softmax", IMAGE, opset=11, axis=-2),
    "softmax 11 vector": one_node("Softmax", (1, 9), opset=11),
    "softmax 11 pixel": one_node("Softmax", (1, 9, 1, 1), opset=11),
    "lrn": one_node("LRN", IMAGE, size=3, alpha=0.5, beta=0.6, bias=1.5),
    "lrn default": one_node("LRN", IMAGE, size=5),
    "batch norm 7": one_node("BatchNormalization", IMAGE, *STATISTICS, opset=7),
    "batch norm 9": one_node("BatchNormalization", IMAGE, *STATISTICS, opset=9, epsilon=1e-2),
    "batch norm 15": one_node("BatchNormalization", IMAGE, *STATISTICS, opset=15),
}


@pytest.mark.parametrize("name", CASES)
def test_imported_operator_computes_the_same(name):
    model = CASES[name]
    dims = model.graph.input[0].type.tensor_type.shape.dim
    check(model, tuple(dim.dim_value for dim in dims))


def test_every_operator_is_covered():
    """Here, or by the test of the file of its import function."""
    files = {path.stem.removeprefix("test_") for path in (Path(__file__).parent / "operators").glob("test_*.py")}
    apart = {kind for kind, function in OPERATORS.items() if function.__module__.rpartition(".")[2] in files}
    assert {node.op_type for model in CASES.values() for node in model.graph.node} | apart == set(OPERATORS)


def test_softmax_before_13_becomes_a_matrix_softmax():
    text = check(one_node("Softmax", IMAGE, opset=11), IMAGE)
    assert "tensor<1x210xf32>) -> tensor<1x210xf32>" in text
    assert 'node = "the_node/flatten", tensor = "y/flatten"' in text and 'node = "the_node", tensor = "y"' in text
    assert "onnx.Reshape" not in check(one_node("Softmax", (1, 9), opset=11), (1, 9))


@pytest.mark.parametrize(("axis", "shape"), [(1, (6,)), (1, (6, 7)), (2, (7, 5)), (-2, (7, 5)), (0, IMAGE)])
def test_broadcasting_before_7(axis, shape):
    """onnxruntime does not have it: the later form is the golden."""
    b, context, x = random_array(*shape, seed=1), make_context(), random_array(*IMAGE)
    module = import_model(one_node("Mul", IMAGE, b, opset=6, broadcast=1, axis=axis), context).module
    wanted = x * b.reshape(*shape, *(1,) * (4 - axis % 4 - len(shape)))
    np.testing.assert_array_equal(evaluate_module(module, context, {"x": x})[0], wanted)


def test_a_constant_on_either_side():
    node = helper.make_node("Sub", ["w", "x"], ["y"])
    check(make_model([node], {"x": (1, 4)}, weights={"w": random_array(4)}), (1, 4))


LARGEST = float(np.finfo(np.float32).max)


@pytest.mark.parametrize("low", [None, -np.inf, -LARGEST, -1.0, LARGEST])
@pytest.mark.parametrize("high", [None, np.inf, LARGEST, 1.0, -LARGEST, -5.0])
def test_clip_of_infinities(low, high):
    """A bound that is left out is the largest finite number, an infinite one does not bind."""
    x = np.array([[-np.inf, -3e38, -2, 0, 2, 3e38, np.inf, np.nan]], np.float32)
    model = one_node("Clip", x.shape, *(None if bound is None else np.float32(bound) for bound in (low, high)))
    context = make_context()
    module = import_model(model, context).module
    np.testing.assert_array_equal(evaluate_module(module, context, {"x": x})[0], run_onnx(model, {"x": x})[0])
