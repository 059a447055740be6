"""Scaler, Normalizer, ArrayFeatureExtractor of ONNX-ML compute what onnxruntime does."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from one_nodes import check_operator, granularities, operator_model

from emu.errors import CompileError

ML = "ai.onnx.ml"
relaxed = settings(max_examples=examples(15, 100))
shapes = st.one_of(st.tuples(st.integers(1, 9)), st.tuples(st.integers(1, 4), st.integers(1, 9)))
dtypes = st.sampled_from([np.float32, np.int32, np.int64])


def model(kind, inputs, constants=None, outputs=None, **attributes):
    made = operator_model(kind, inputs, constants, outputs=outputs or {"y": np.float32}, domain=ML, **attributes)
    made.opset_import.add(domain=ML, version=3)
    return made


def drawn(seed, shape, dtype):
    return np.asarray(np.random.default_rng(seed).standard_normal(shape) * 9).astype(dtype)


@relaxed
@given(shapes, dtypes, st.booleans(), granularities, st.integers(0, 10**6))
def test_scaler(shape, dtype, single, granularity, seed):
    x, size = drawn(seed, shape, dtype), 1 if single else shape[-1]
    attributes = {"offset": drawn(seed + 1, size, np.float32), "scale": drawn(seed + 2, size, np.float32)}
    check_operator(model("Scaler", {"x": x}, **attributes), {"x": x}, granularity)


@relaxed
@given(shapes, dtypes, st.sampled_from(["MAX", "L1", "L2"]), granularities, st.booleans(), st.integers(0, 10**6))
def test_normalizer(shape, dtype, norm, granularity, some_of_nothing, seed):
    x = drawn(seed, shape, dtype)
    if some_of_nothing:
        x[0] = 0  # a sample of zeros, or a feature
    check_operator(model("Normalizer", {"x": x}, norm=norm), {"x": x}, granularity)


@relaxed
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), dtypes, st.booleans(), st.data(), st.integers(0, 10**6))
def test_extracting(shape, dtype, known, data, seed):
    wanted = data.draw(st.lists(st.integers(0, shape[-1] - 1), min_size=1, max_size=6))
    indices = np.array(wanted, np.int64).reshape(data.draw(st.sampled_from([(-1,), (1, -1)])))
    x = drawn(seed, shape, dtype)
    given = {"x": x} if known else {"x": x, "i": indices}
    constants = {"i": indices} if known else {}
    check_operator(model("ArrayFeatureExtractor", given, constants, outputs={"y": dtype}), given)


def test_extracting_from_a_constant_by_what_is_computed():
    """As the classes of a classifier are looked up."""
    given = {"i": np.array([[2], [0], [2]], np.int64)}
    classes = {"x": np.array([7, 8, 9], np.int64)}
    made = model("ArrayFeatureExtractor", given, classes, outputs={"y": np.int64}, operands=["x", "i"])
    check_operator(made, given)


@pytest.mark.parametrize(
    ("kind", "shape", "attributes", "said"),
    [
        ("Scaler", (2, 3), {"offset": [1.0], "scale": [1.0, 2.0]}, "1 offsets and 2 scales for 3 features"),
        ("Scaler", (2, 3, 4), {"offset": [1.0], "scale": [1.0]}, r"\[samples, features\] is needed"),
        ("Normalizer", (2, 3), {"norm": "L7"}, "has the norm 'L7', which ONNX does not know"),
    ],
)
def test_what_onnxruntime_refuses_is_refused(kind, shape, attributes, said):
    x = {"x": np.zeros(shape, np.float32)}
    with pytest.raises(CompileError, match=said):
        check_operator(model(kind, x, **attributes), x)
