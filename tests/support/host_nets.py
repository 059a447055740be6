"""Networks with nodes that the compiler refuses."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from onnx_models import make_model


def _array(name: str, *shape: int) -> TensorProto:
    values = np.random.default_rng(len(name) + sum(shape)).standard_normal(shape).astype(np.float32) * 0.3
    return numpy_helper.from_array(values, name)


def model(nodes: list[NodeProto], inputs: dict[str, list[int]], outputs: dict[str, list[int]], *arrays: TensorProto):
    """A model of float32 inputs and outputs."""
    return make_model(nodes, inputs, outputs, {array.name: array for array in arrays})


def reversing(source: str, target: str, name: str) -> NodeProto:
    """A refused node that keeps the shape [2, 4, ...]: it takes the initialiser `lengths`."""
    return helper.make_node("ReverseSequence", [source, "lengths"], [target], name, batch_axis=0, time_axis=1)


LENGTHS = numpy_helper.from_array(np.array([3, 2], np.int64), "lengths")


def sandwich(groups: int = 1) -> ModelProto:
    """Convolutions with `groups` refused nodes between them: conv0, grid0, conv1, ..., of input x to output y."""
    nodes, arrays, last = [], [_array("grid", 1, 6, 6, 2)], "x"
    for place in range(groups + 1):
        arrays.append(_array(f"w{place}", 3, 3, 3, 3))
        nodes.append(helper.make_node("Conv", [last, f"w{place}"], [f"c{place}"], f"conv{place}", pads=[1, 1, 1, 1]))
        last = f"c{place}"
        if place < groups:
            nodes.append(helper.make_node("GridSample", [last, "grid"], [f"g{place}"], f"grid{place}"))
            last = f"g{place}"
    nodes.append(helper.make_node("Relu", [last], ["y"], "relu"))
    return model(nodes, {"x": [1, 3, 6, 6]}, {"y": [1, 3, 6, 6]}, *arrays)


def first_and_last() -> ModelProto:
    """Host, cores, host: the last two make an output each, and one of the host's has a dynamic shape inside."""
    nodes = [
        reversing("x", "a", "first"),
        helper.make_node("Gemm", ["a", "w"], ["b"], "product"),
        helper.make_node("NonZero", ["b"], ["places"], "places"),
        helper.make_node("Cast", ["places"], ["wide"], "wide", to=TensorProto.DOUBLE),
        helper.make_node("ReduceSum", ["wide"], ["total"], "total", keepdims=0),
        helper.make_node("Cast", ["total"], ["y"], "narrow", to=TensorProto.FLOAT),
    ]
    return model(nodes, {"x": [2, 4]}, {"b": [2, 5], "y": []}, LENGTHS, _array("w", 4, 5))


def nothing_for_cores() -> ModelProto:
    """One refused node alone."""
    return model([reversing("x", "y", "alone")], {"x": [2, 4]}, {"y": [2, 4]}, LENGTHS)
