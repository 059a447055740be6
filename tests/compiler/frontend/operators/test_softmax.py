"""Softmax, LogSoftmax and Hardmax of any rank, along any axis, of every operator set."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import GRANULARITIES, check_operator, operator_model


@st.composite
def softmaxes(draw):
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=6)))
    opset = draw(st.sampled_from([7, 11, 13, 18]))
    axis = draw(st.integers(0 if opset < 11 else -len(shape), len(shape) - 1))
    kind = draw(st.sampled_from(["Softmax", "LogSoftmax", "Hardmax"]))
    dtype = np.float32 if opset < 13 or kind == "Hardmax" else draw(st.sampled_from([np.float32, np.float16]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = (rng.integers(-9, 9, shape) if kind == "Hardmax" else rng.standard_normal(shape) * 9).astype(dtype)
    return operator_model(kind, {"x": x}, opset=opset, axis=axis), x


@given(softmaxes(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_random_softmaxes(case, granularity, engine):
    model, x = case
    check_operator(model, {"x": x}, granularity, engine, bound=1e-5 if x.dtype == np.float32 else 2e-3)
