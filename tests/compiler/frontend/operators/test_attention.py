"""Attention in all its forms equals onnxruntime: masks, windows, caches, shared heads, bounded scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import golden
from one_nodes import GRANULARITIES, check_operator, operator_model, run_on_cores
from onnx import helper

from emu.errors import CompileError

FLOAT = np.float32


def random(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(FLOAT)


def attention(inputs, outputs=("y",), opset=23, **attributes):
    """The model outputs = Attention(q, k, v, mask, past key, past value), of which some are left out."""
    names = [name if name in inputs else "" for name in ("q", "k", "v", "mask", "past_key", "past_value")]
    while not names[-1]:
        names.pop()
    return operator_model("Attention", inputs, {}, names, opset, dict.fromkeys(outputs, FLOAT), **attributes)


@st.composite
def attentions(draw):
    """Inputs and attributes; heads as a dimension or within the features."""
    batch, groups, shared, width, value_width = (draw(st.integers(1, size)) for size in (2, 2, 2, 4, 4))
    queries, keys, past = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(0, 2))
    causal = draw(st.booleans())
    if causal and past:  # onnxruntime aligns the last query with the last key, the standard the first with the first
        keys = queries
    heads, flat = groups * shared, draw(st.booleans())
    inputs = {
        "q": random((batch, heads, queries, width), 1),
        "k": random((batch, groups, keys, width), 2),
        "v": random((batch, groups, keys, value_width), 3),
    }
    attributes = {}
    if flat:
        inputs = {name: x.transpose(0, 2, 1, 3).reshape(batch, x.shape[2], -1) for name, x in inputs.items()}
        attributes = {"q_num_heads": heads, "kv_num_heads": groups}
    if past:
        inputs["past_key"] = random((batch, groups, past, width), 4)
        inputs["past_value"] = random((batch, groups, past, value_width), 5)
    mask = draw(st.sampled_from([None, "float", "bool"]))
    if mask:
        shape = draw(st.sampled_from([(queries, past + keys), (1, 1, queries, past + keys)]))
        values = random(shape, 6)
        inputs["mask"] = values if mask == "float" else (values > 0) | (np.arange(past + keys) == 0)
    if causal:
        attributes["is_causal"] = 1
    if draw(st.booleans()):
        attributes["softcap"] = 1.5
    if draw(st.booleans()):
        attributes["scale"] = 0.3
    return inputs, attributes, past


@given(attentions(), st.sampled_from(GRANULARITIES))
def test_random_attention(case, granularity):
    inputs, attributes, past = case
    outputs = ("y", "present_key", "present_value") if past else ("y",)
    check_operator(attention(inputs, outputs, **attributes), inputs, granularity)


@pytest.mark.parametrize("mode", range(4))
def test_scores_that_are_asked_for(mode):
    inputs = {"q": random((1, 2, 3, 4), 1), "k": random((1, 2, 5, 4), 2), "v": random((1, 2, 5, 4), 3)}
    node = helper.make_node("Attention", ["q", "k", "v"], ["y", "", "", "s"], "n", qk_matmul_output_mode=mode)
    model = attention(inputs, ("y", "s"))
    model.graph.node[0].CopyFrom(node)
    check_operator(model, inputs)


def test_it_is_softmax_of_products_times_values():
    q, k, v = random((1, 1, 3, 4), 1), random((1, 1, 5, 4), 2), random((1, 1, 5, 2), 3)
    scores = (q @ k.swapaxes(-1, -2)).astype(np.float64) / 2
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    inputs = {"q": q, "k": k, "v": v}
    check_operator(attention(inputs), inputs, wanted={"y": (weights @ v).astype(FLOAT)})


@pytest.mark.parametrize("seed", range(5))
def test_float16_is_rounded_once(seed):
    """Everything between the inputs and the outputs is in float32."""
    half = {name: random((2, 3, 8, 8), 3 * seed + place).astype(np.float16) for place, name in enumerate("qkv")}
    model = operator_model("Attention", half, {}, [*half], 23, {"y": np.float16, "s": np.float16})
    node = helper.make_node("Attention", ["q", "k", "v"], ["y", "", "", "s"], "n", qk_matmul_output_mode=0)
    model.graph.node[0].CopyFrom(node)
    q, k, v = (half[name].astype(FLOAT) for name in "qkv")
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(FLOAT(8))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    found = run_on_cores(model, half)
    for name, exact in (("y", weights / weights.sum(-1, keepdims=True) @ v), ("s", scores)):
        assert found[name].dtype == np.float16
        steps = np.abs(found[name].astype(FLOAT) - exact) / np.spacing(np.abs(exact).astype(np.float16)).astype(FLOAT)
        assert steps.max() <= 0.55, "more than the rounding of one number"


def test_a_query_that_may_attend_to_nothing_gives_zeros():
    inputs = {"q": random((1, 1, 2, 4), 1), "k": random((1, 1, 3, 4), 2), "v": random((1, 1, 3, 4), 3)}
    inputs["mask"] = np.array([[True, False, True], [False] * 3])
    found = run_on_cores(attention(inputs), inputs)["y"]
    assert np.isfinite(found).all() and not found[0, 0, 1].any() and found[0, 0, 0].any()
    np.testing.assert_allclose(found[:, :, 0], golden(attention(inputs), inputs)["y"][:, :, 0], atol=1e-6)


Q, CACHE = random((1, 2, 3, 4), 0), random((1, 2, 5, 4), 1)


@pytest.mark.parametrize(
    ("inputs", "attributes", "words"),
    [
        ({"q": Q[0], "k": Q[0], "v": Q[0]}, {}, "rank 3, and so needs q_num_heads and kv_num_heads|q_num_heads"),
        ({"q": Q, "k": Q[..., :3], "v": Q}, {}, "has query, key and value of shapes"),
        ({"q": Q, "k": Q, "v": Q, "past_key": CACHE}, {}, "has a past key or value without the other"),
        ({"q": Q, "k": Q, "v": Q, "mask": random((2, 3), 1)}, {}, r"has a mask of shape \[2, 3\], which does not"),
    ],
)
def test_what_does_not_fit_is_refused(inputs, attributes, words):
    with pytest.raises(CompileError, match=words):
        run_on_cores(attention(inputs, **attributes), inputs)
