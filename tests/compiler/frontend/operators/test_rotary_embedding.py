"""Features turned by their positions: all forms of input, whole and in part, in halves and in pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import GRANULARITIES, check_operator, operator_model, run_on_cores

from emu.errors import CompileError

FLOAT, HALF = np.float32, np.float16


def turned(x, cosine, sine, interleaved, count):
    """x [B,S,H,D], caches [B,S,count/2], as complex numbers."""
    part = x[..., :count].astype(np.float64)
    first, second = (part[..., 0::2], part[..., 1::2]) if interleaved else np.split(part, 2, axis=-1)
    points = (first + 1j * second) * (cosine + 1j * sine.astype(np.float64))[:, :, None]
    both = np.stack([points.real, points.imag], -1) if interleaved else np.stack([points.real, points.imag], -2)
    return np.concatenate([both.reshape(part.shape), x[..., count:]], axis=-1)


@st.composite
def rotations(draw):
    batch, tokens, heads, half = (draw(st.integers(1, 3)) for _ in range(4))
    features, interleaved = 2 * (half + draw(st.integers(0, 2))), draw(st.integers(0, 1))
    count, dtype, four = 2 * half, draw(st.sampled_from([FLOAT, HALF])), draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = rng.standard_normal((batch, tokens, heads, features)).astype(dtype)
    angles = rng.uniform(0, 7, (batch, tokens, half))
    caches = {"c": np.cos(angles).astype(dtype), "s": np.sin(angles).astype(dtype)}
    wanted = turned(x, caches["c"], caches["s"], interleaved, count).astype(dtype)
    attributes = {"interleaved": interleaved}
    if count != features or draw(st.booleans()):
        attributes["rotary_embedding_dim"] = count
    if four:
        x, wanted = x.transpose(0, 2, 1, 3).copy(), wanted.transpose(0, 2, 1, 3).copy()
    else:
        x, wanted = (array.reshape(batch, tokens, -1) for array in (x, wanted))
        attributes["num_heads"] = heads
    inputs = {"x": x, **caches}
    if draw(st.booleans()):  # the rows of a cache, by position
        order = rng.permutation(batch * tokens)
        rows = {name: array.reshape(-1, half)[order] for name, array in caches.items()}
        inputs = {"x": x, **rows, "p": np.argsort(order).reshape(batch, tokens)}
    operands = list(inputs)
    constants = {name: inputs.pop(name) for name in operands[1:] if draw(st.booleans())}
    model = operator_model("RotaryEmbedding", inputs, constants, operands, opset=23, **attributes)
    return model, inputs, wanted


@given(rotations(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_random_rotations(case, granularity, engine):
    model, inputs, wanted = case
    check_operator(
        model, inputs, granularity, engine, wanted={"y": wanted}, bound=1e-5 if wanted.dtype == FLOAT else 2e-3
    )


def test_what_is_refused():
    x, cache = np.ones((2, 3, 8), FLOAT), np.ones((2, 3, 4), FLOAT)
    for constants, attributes, words in (
        ({"c": cache, "s": cache}, {}, r"has an input of shape \[2, 3, 8\] and num_heads 0"),
        ({"c": cache, "s": cache}, {"num_heads": 2}, r"has a cache of shape \[2, 3, 4\], where \[2, 3, 2\] is needed"),
        ({"c": cache, "s": cache}, {"num_heads": 1, "rotary_embedding_dim": 5}, "turns 5 of 8 features"),
        (
            {"c": cache[0], "s": cache[0], "p": np.full((2, 2), 0)},
            {"num_heads": 1},
            r"has a cache \[3, 4\] and position_ids \[2, 2\], where \[positions, 4\] and \[2, 3\] are needed",
        ),
    ):
        model = operator_model("RotaryEmbedding", {"x": x}, constants, opset=23, **attributes)
        with pytest.raises(CompileError, match=words):
            run_on_cores(model, {"x": x})
