"""Normalisations by channels, groups, axes and norms give what onnxruntime gives."""

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


@st.composite
def group_norms(draw):
    groups, part = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rest = draw(st.lists(SIZES, min_size=1, max_size=3))
    shape, seed = (draw(st.integers(1, 2)), groups * part, *rest), draw(st.integers(0, 9))
    kind = draw(st.sampled_from(["InstanceNormalization", "GroupNormalization"]))
    inputs = {"x": numbers(shape, seed), "s": numbers(shape[1], seed + 1), "b": numbers(shape[1], seed + 2)}
    constants = {name: inputs.pop(name) for name in ("s", "b")} if draw(st.booleans()) else {}
    attributes = {} if kind == "InstanceNormalization" else {"num_groups": groups}
    model = operator_model(kind, inputs, constants, opset=21, epsilon=1e-3, **attributes)
    return model, inputs


@given(group_norms(), st.sampled_from(GRANULARITIES), st.sampled_from(["batch", "step"]))
def test_instance_and_group_normalization(case, granularity, engine):
    check_operator(*case, granularity, engine, bound=3e-5)


@given(st.lists(SIZES, min_size=1, max_size=5).map(tuple), st.integers(0, 9), st.data())
def test_normalisation_by_a_norm(shape, seed, data):
    x = numbers(shape, seed)
    x[..., 0] = 0
    attributes = {"axis": data.draw(st.integers(-len(shape), len(shape) - 1)), "p": data.draw(st.sampled_from([1, 2]))}
    granularity = data.draw(st.sampled_from(GRANULARITIES))
    check_operator(operator_model("LpNormalization", {"x": x}, opset=17, **attributes), {"x": x}, granularity)


@given(st.lists(SIZES, min_size=4, max_size=4).map(tuple), st.integers(0, 9), st.data())
def test_mean_variance_normalization(shape, seed, data):
    x = numbers(shape, seed)
    axes = data.draw(st.lists(st.integers(0, 3), min_size=1, unique=True))
    if np.prod([shape[axis] for axis in axes]) < 3:
        return  # of few elements the deviation may be 0, where onnxruntime's is rounding alone
    granularity = data.draw(st.sampled_from(GRANULARITIES))
    model = operator_model("MeanVarianceNormalization", {"x": x}, opset=13, axes=axes)
    check_operator(model, {"x": x}, granularity, bound=1e-4)


@pytest.mark.parametrize("kind", ["LpNormalization", "MeanVarianceNormalization"])
def test_constant_input_divides_by_no_zero(kind):
    x = np.zeros((2, 3, 4, 5), FLOAT)
    check_operator(operator_model(kind, {"x": x}, opset=9), {"x": x}, wanted={"y": x})


def test_what_is_refused():
    x, three = numbers((2, 4, 5), 1), np.ones(3, FLOAT)
    for model, words in (
        (operator_model("InstanceNormalization", {"x": x}, {"s": three, "b": three}), "not one number per channel of"),
        (
            operator_model("GroupNormalization", {"x": x}, {"s": three, "b": three}, num_groups=3, opset=21),
            "are no multiple",
        ),
        (operator_model("LpNormalization", {"x": x}, p=3), "only the norms 1 and 2"),
    ):
        with pytest.raises(CompileError, match=words):
            run_on_cores(model, {"x": x})
