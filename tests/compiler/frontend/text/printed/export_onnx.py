"""Writes a small quantised network as ONNX 1.23, and what onnxruntime computes."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)


def array(name, values):
    return numpy_helper.from_array(values, name)


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], **attributes)


WEIGHTS = [
    array("k", rng.integers(-9, 10, (4, 3, 3, 3)).astype(np.int8)),
    array("ks", np.float32(0.05)),
    array("zero", np.int8(0)),
    array("bias", rng.standard_normal(4).astype(np.float32)),
    array("s", np.float32(0.04)),
    array("z", np.int8(-3)),
    array("w", (rng.standard_normal((64, 6)) / 8).astype(np.float32)),
    array("b", rng.standard_normal(6).astype(np.float32)),
    array("flat", np.array([1, 64])),
]
NODES = [
    node("QuantizeLinear", ["x", "s", "z"], "xq"),
    node("DequantizeLinear", ["xq", "s", "z"], "xd"),
    node("DequantizeLinear", ["k", "ks", "zero"], "kd"),
    node("Conv", ["xd", "kd", "bias"], "c", pads=[1, 1, 1, 1], strides=[2, 2]),
    node("Relu", ["c"], "r"),
    node("Reshape", ["r", "flat"], "f"),
    node("Gemm", ["f", "w", "b"], "g"),
    node("Softmax", ["g"], "y", axis=1),
]


def value(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


graph = helper.make_graph(NODES, "main", [value("x", [1, 3, 8, 8])], [value("y", [1, 6])], WEIGHTS)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
Path("iree_onnx.onnx").write_bytes(model.SerializeToString())

if __name__ == "__main__":
    import onnxruntime

    x = np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)
    (y,) = onnxruntime.InferenceSession("iree_onnx.onnx").run(None, {"x": x})
    np.savez("iree_onnx.npz", x=x, y0=y)
