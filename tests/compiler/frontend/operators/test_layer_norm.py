"""LayerNormalization and RMSNormalization of random shapes, axes and types give what onnxruntime gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import GRANULARITIES, check_operator, operator_model, run_on_cores

from emu.errors import CompileError

SIZES = st.integers(1, 5)
FLOAT, HALF = np.float32, np.float16


def numbers(shape, seed, dtype=FLOAT):
    return (np.random.default_rng(seed).standard_normal(shape) * 3 + 1).astype(dtype)


def bound_of(dtype):
    return 1e-5 if dtype == FLOAT else 2e-3


@st.composite
def layer_norms(draw):
    shape = tuple(draw(st.lists(SIZES, min_size=1, max_size=5)))
    axis, seed = draw(st.integers(-len(shape), len(shape) - 1)), draw(st.integers(0, 9))
    kind, dtype = (
        draw(st.sampled_from(["LayerNormalization", "RMSNormalization"])),
        draw(st.sampled_from([FLOAT, HALF])),
    )
    last = shape[axis % len(shape) :]
    inputs = {"x": numbers(shape, seed, dtype), "scale": numbers(last, seed + 1, dtype)}
    outputs = {"y": dtype}
    if kind == "LayerNormalization":
        if draw(st.booleans()):
            inputs["bias"] = numbers(last, seed + 2, dtype)
        outputs.update(dict([("mean", FLOAT), ("factor", FLOAT)][: draw(st.integers(0, 2))]))
    frozen = draw(st.booleans())
    constants = {name: inputs.pop(name) for name in list(inputs)[1:]} if frozen else {}
    opset = 17 if kind == "LayerNormalization" else 23
    attributes = {"axis": axis, "epsilon": draw(st.sampled_from([1e-5, 0.1]))}
    return operator_model(kind, inputs, constants, opset=opset, outputs=outputs, **attributes), inputs, dtype


@given(layer_norms(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_layer_and_rms_normalization(case, granularity, engine):
    model, inputs, dtype = case
    check_operator(model, inputs, granularity, engine, bound=bound_of(dtype))


def test_what_is_refused():
    x, three = numbers((2, 4, 5), 1), np.ones(3, FLOAT)
    for model, words in (
        (operator_model("LayerNormalization", {"x": x}, {"s": three}), "do not broadcast"),
        (operator_model("LayerNormalization", {"x": x}, {"s": np.ones((7, 1, 4, 5), FLOAT)}), "do not broadcast to"),
        (
            operator_model("LayerNormalization", {"x": x}, {"s": x[0, 0]}, stash_type=16),
            "computes its statistics in bf",
        ),
    ):
        with pytest.raises(CompileError, match=words):
            run_on_cores(model, {"x": x})
