"""Recurrent networks as exporters write them: two layers of 256, batch first, a product on the last step."""

import numpy as np
from onnx import helper
from onnx_models import make_model

GATES = {"GRU": 3, "LSTM": 4}


def two_layers(kind, steps=100, size=256, classes=10, seed=0):
    """Samples [1, steps, size] go through two layers; the last state of the second one is classified."""
    rng, nodes, stored = np.random.default_rng(seed), [], {}
    nodes.append(helper.make_node("Transpose", ["x"], ["time_first"], "to_time", perm=[1, 0, 2]))
    source = "time_first"
    for layer in range(2):
        gates = size * GATES[kind]
        names = [f"{name}{layer}" for name in "wrb"]
        for name, shape in zip(names, ((1, gates, size), (1, gates, size), (1, 2 * gates)), strict=True):
            stored[name] = (rng.uniform(-1, 1, shape) / np.sqrt(size)).astype(np.float32)
        made = [f"states{layer}", f"last{layer}"]
        nodes.append(helper.make_node(kind, [source, *names], made, f"layer{layer}", hidden_size=size))
        source = f"sequence{layer}"
        nodes.append(helper.make_node("Squeeze", [made[0], "axis"], [source], f"squeeze{layer}"))
    nodes.append(helper.make_node("Squeeze", ["last1", "direction"], ["row"], "squeeze_last"))
    nodes.append(helper.make_node("Gemm", ["row", "classes"], ["y"], "classify"))
    stored["classes"] = rng.standard_normal((size, classes)).astype(np.float32)
    stored |= {"axis": np.array([1]), "direction": np.array([0])}
    return make_model(nodes, {"x": [1, steps, size]}, {"y": [1, classes]}, stored)
