"""Networks with states, for tests: what a step makes is what the next one reads."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx_models import make_model, random_array

INPUTS, HIDDEN = 3, 5


def accumulator():
    """y = x + s: the sum of all x so far, if s is the y before."""
    return make_model([helper.make_node("Add", ["x", "s"], ["y"])], {"x": [1, 4], "s": [1, 4]})


def cell(steps):
    """An LSTM over `steps` steps of time, with its first and last states as inputs and outputs."""
    weights = {
        "w": random_array(1, 4 * HIDDEN, INPUTS, seed=1),
        "r": random_array(1, 4 * HIDDEN, HIDDEN, seed=2),
        "b": random_array(1, 8 * HIDDEN, seed=3),
    }
    node = helper.make_node(
        "LSTM", ["x", "w", "r", "b", "", "h0", "c0"], ["y", "h", "c"], "the_cell", hidden_size=HIDDEN
    )
    state = [1, 1, HIDDEN]
    return make_model([node], {"x": [steps, 1, INPUTS], "h0": state, "c0": state}, ("y", "h", "c"), weights)


def counter(kind=TensorProto.INT64):
    """y = x + n and n' = n + 1, where n and n' have elements of `kind` and y, x are int64."""
    nodes = [
        helper.make_node("Cast", ["n"], ["wide"], to=TensorProto.INT64),
        helper.make_node("Add", ["x", "wide"], ["y"]),
        helper.make_node("Add", ["wide", "one"], ["next"]),
        helper.make_node("Cast", ["next"], ["following"], to=kind),
    ]
    infos = [helper.make_tensor_value_info(*info) for info in (("x", TensorProto.INT64, [1]), ("n", kind, [1]))]
    made = [helper.make_tensor_value_info(*info) for info in (("y", TensorProto.INT64, [1]), ("following", kind, [1]))]
    graph = helper.make_graph(nodes, "counter", infos, made, [numpy_helper.from_array(np.array([1]), "one")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
