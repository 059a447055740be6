"""Small decoders with key-value caches that grow, as exporters write them, for tests."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx_models import random_array

HEADS, WIDTH, VOCABULARY = 2, 4, 11


def decoder(tokens="tokens", mask=None, layers=2, batch=1, **attributes):
    """Token numbers [batch, tokens] to scores, by layers of Attention with caches [batch, HEADS, past, WIDTH].

    `mask` is None, or the element type of an input `mask` [tokens, total].
    """
    size = HEADS * WIDTH
    weights = {"table": random_array(VOCABULARY, size, seed=1), "head": random_array(size, VOCABULARY, seed=2)}
    nodes = [helper.make_node("Gather", ["table", "ids"], ["x0"], "embed")]
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, [batch, tokens])]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [batch, tokens, VOCABULARY])]
    if mask is not None:
        inputs.append(helper.make_tensor_value_info("mask", mask, [tokens, "total"]))
    for layer in range(layers):
        for place, role in enumerate(("query", "key", "value")):
            weights[f"{role}{layer}"] = random_array(size, size, seed=10 * layer + place + 3, scale=0.4)
            nodes.append(
                helper.make_node("MatMul", [f"x{layer}", f"{role}{layer}"], [f"{role}{layer}_out"], f"{role}{layer}_of")
            )
        operands = [*(f"{role}{layer}_out" for role in ("query", "key", "value")), "mask" if mask is not None else ""]
        results = [f"attended{layer}", f"present.{layer}.key", f"present.{layer}.value"]
        pasts = [f"past_key_values.{layer}.{part}" for part in ("key", "value")]
        heads = {"q_num_heads": HEADS, "kv_num_heads": HEADS}
        nodes.append(
            helper.make_node(
                "Attention", [*operands, *pasts], results, f"attention{layer}", **{"is_causal": 1} | heads | attributes
            )
        )
        nodes.append(helper.make_node("Add", [f"x{layer}", f"attended{layer}"], [f"x{layer + 1}"], f"residual{layer}"))
        for past, present in zip(pasts, results[1:], strict=True):
            inputs.append(helper.make_tensor_value_info(past, TensorProto.FLOAT, [batch, HEADS, "past", WIDTH]))
            outputs.append(helper.make_tensor_value_info(present, TensorProto.FLOAT, [batch, HEADS, "total", WIDTH]))
    nodes.append(helper.make_node("MatMul", [f"x{layers}", "head"], ["scores"], "head_of"))
    arrays = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "decoder", inputs, outputs, arrays)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def empty_caches(layers=2, batch=1):
    """What the caches are before the first token."""
    names = [f"past_key_values.{layer}.{part}" for layer in range(layers) for part in ("key", "value")]
    return {name: np.zeros((batch, HEADS, 0, WIDTH), np.float32) for name in names}
