"""Networks with states, for tests: what a step makes is what the next one reads."""

import numpy as np
from onnx import TensorProto, helper
from onnx_models import Kind, make_model, random_array

INPUTS, HIDDEN = 3, 5


def accumulator():
    """y = x + s: the sum of all x so far, if s is the y before."""
    return make_model([helper.make_node("Add", ["x", "s"], ["y"])], {"x": [1, 4], "s": [1, 4]})


def cell(steps, inputs=INPUTS, hidden=HIDDEN):
    """An LSTM over `steps` steps of time, with its first and last states as inputs and outputs."""
    weights = {
        "w": random_array(1, 4 * hidden, inputs, seed=1),
        "r": random_array(1, 4 * hidden, hidden, seed=2),
        "b": random_array(1, 8 * hidden, seed=3),
    }
    node = helper.make_node(
        "LSTM", ["x", "w", "r", "b", "", "h0", "c0"], ["y", "h", "c"], "the_cell", hidden_size=hidden
    )
    state = [1, 1, hidden]
    return make_model([node], {"x": [steps, 1, inputs], "h0": state, "c0": state}, ("y", "h", "c"), weights)


def counter(kind=TensorProto.INT64):
    """y = x + n and n' = n + 1, where n and n' have elements of `kind` and y, x are int64."""
    nodes = [
        helper.make_node("Cast", ["n"], ["wide"], to=TensorProto.INT64),
        helper.make_node("Add", ["x", "wide"], ["y"]),
        helper.make_node("Add", ["wide", "one"], ["next"]),
        helper.make_node("Cast", ["next"], ["following"], to=kind),
    ]
    inputs, outputs = {"x": [1], "n": Kind(kind, [1])}, {"y": [1], "following": Kind(kind, [1])}
    return make_model(nodes, inputs, outputs, {"one": np.array([1])}, dtype=TensorProto.INT64)
