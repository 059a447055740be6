"""LinearClassifier and LinearRegressor of ONNX-ML compute what onnxruntime does, their products on crossbars."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from one_nodes import check_operator, granularities, operator_model
from onnx import helper

from compiler import compile
from compiler.frontend.graph_checks import ML_OPERATORS
from compiler.frontend.operators import ML as OPERATORS
from emu.census.instructions import MULTIPLIES
from emu.errors import CompileError
from emu.image.reader import open_image

ML = "ai.onnx.ml"
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
relaxed = settings(max_examples=examples(12, 100))
BOTH = {"label": np.int64, "scores": np.float32}


def linear(kind, rows, scores, seed, *, outputs=None, intercepts=True, **attributes):
    """A node of so many scores, and its input; scores are between 0 and 1, as PROBIT needs them."""
    rng = np.random.default_rng(seed)
    x = {"x": rng.uniform(0, 1, rows).astype(np.float32)}
    weights = rng.uniform(0, 0.9 / rows[-1], (scores, rows[-1])).astype(np.float32)
    if intercepts:
        attributes["intercepts"] = rng.uniform(0.01, 0.1, scores).astype(np.float32)
    attributes["coefficients"] = weights.ravel()
    made = operator_model(kind, x, outputs=outputs or {"y": np.float32}, domain=ML, **attributes)
    made.opset_import.add(domain=ML, version=3)
    return made, x


def bound_of(transform):
    """onnxruntime's formula for PROBIT loses half of the digits of a score near 1/2."""
    return 2e-3 if transform == "PROBIT" else 1e-5


samples = st.one_of(st.tuples(st.integers(1, 9)), st.tuples(st.integers(1, 4), st.integers(1, 9)))


@relaxed
@given(samples, st.integers(1, 5), st.sampled_from(TRANSFORMS), st.booleans(), granularities, st.integers(0, 10**6))
def test_regressor(shape, targets, transform, intercepts, granularity, seed):
    named = {"targets": targets, "post_transform": transform, "intercepts": intercepts}
    check_operator(*linear("LinearRegressor", shape, targets, seed, **named), granularity, bound=bound_of(transform))


@relaxed
@given(samples, st.integers(1, 5), st.sampled_from(TRANSFORMS), st.data(), granularities, st.integers(0, 10**6))
def test_classifier(shape, scores, transform, data, granularity, seed):
    if scores == 1 and transform == "PROBIT":
        transform = "NONE"
    count = max(2, scores)
    labels = data.draw(
        st.one_of(st.just(list(range(count))), st.lists(st.integers(-9, 9), min_size=count, max_size=count))
    )
    named = {"classlabels_ints": labels, "post_transform": transform, "outputs": BOTH}
    made, x = linear("LinearClassifier", shape, scores, seed, **named)
    idle = data.draw(st.sampled_from([None, 0, 1]))  # an output that nobody uses
    if idle is not None:
        del made.graph.output[idle]
    check_operator(made, x, granularity, bound=bound_of(transform))


def test_scores_of_both_signs_and_zeros():
    for transform in TRANSFORMS[:4]:
        attributes = {"coefficients": np.eye(3, dtype=np.float32).ravel(), "intercepts": [0.0] * 3}
        x = {"x": np.array([[-1, 0, 2], [0, 0, 1e-8], [-90, 3, -80]], np.float32)}
        made = operator_model(
            "LinearClassifier",
            x,
            outputs=BOTH,
            domain=ML,
            post_transform=transform,
            classlabels_ints=[4, 5, 6],
            **attributes,
        )
        made.opset_import.add(domain=ML, version=3)
        check_operator(made, x)


def test_the_product_is_on_crossbars(tmp_path):
    made, _ = linear("LinearClassifier", (1, 9), 3, 0, outputs=BOTH, classlabels_ints=[1, 2, 3])
    image = open_image(compile(made, "tiny", out=tmp_path / "out").out)
    ops = np.concatenate([image.program(core).main.columns["op"] for core in image.cores])
    assert MULTIPLIES[ops].any()


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"classlabels_strings": ["a", "b", "c"]}, "labels that are strings: export the model with integer labels"),
        ({"classlabels_ints": [1, 2]}, "2 integer labels, but 3 rows"),
        ({"classlabels_ints": [1, 2, 3], "post_transform": "CUBE"}, "post_transform 'CUBE', which ONNX does not know"),
    ],
)
def test_what_is_refused(attributes, said):
    with pytest.raises(CompileError, match=said):
        check_operator(*linear("LinearClassifier", (2, 4), 3, 0, outputs=BOTH, **attributes))


def test_coefficients_that_do_not_fit():
    made, x = linear("LinearRegressor", (2, 4), 2, 0, targets=3)
    with pytest.raises(CompileError, match="8 coefficients for 3 scores of 4 features"):
        check_operator(made, x)


def test_the_operators_of_its_domain_are_those_of_the_table():
    assert set(OPERATORS) == ML_OPERATORS


def test_an_operator_of_another_domain_is_not_ours():
    x = {"x": np.ones((1, 4), np.float32)}
    made = operator_model("Relu", x, domain="my.own")
    made.opset_import.add(domain="my.own", version=1)
    with pytest.raises(CompileError, match=r"my\.own\.Relu"):
        check_operator(made, x)
    assert helper.make_node("Relu", [], []).domain == ""
