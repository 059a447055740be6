"""Where and Trilu choose between elements of every type as ONNX says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import computed, dtypes, granularities, node_model, numbers, shapes

from emu.errors import CompileError


@given(st.data(), shapes(), dtypes, granularities)
def test_where(data, shape, dtype, granularity):
    parts = [
        tuple(data.draw(st.sampled_from([1, size])) for size in shape[data.draw(st.integers(0, len(shape))) :])
        for _ in range(2)
    ]
    order = data.draw(st.permutations([shape, *parts]))
    given = {
        "c": numbers(np.dtype(bool), order[0], 1),
        "a": numbers(dtype.numpy, order[1], 2),
        "b": numbers(dtype.numpy, order[2], 3),
    }
    found = computed(node_model("Where", given, types=[dtype.numpy]), given, granularity)
    np.testing.assert_array_equal(found["y"], np.where(given["c"], given["a"], given["b"]))


@given(st.data(), shapes(ranks=(2, 4)), dtypes, granularities, st.booleans(), st.booleans())
def test_triangles(data, shape, dtype, granularity, upper, computed_k):
    k = data.draw(st.integers(-6, 6))
    x = {"x": numbers(dtype.numpy, shape)}
    diagonal = np.array(k, np.int64)
    given = {**x, "k": diagonal} if computed_k else x
    model = node_model("Trilu", given, [] if computed_k else [diagonal], upper=int(upper))
    wanted = (np.triu if upper else np.tril)(x["x"], k)
    np.testing.assert_array_equal(computed(model, given, granularity)["y"], wanted)


def test_a_vector_has_no_triangle():
    x = {"x": numbers(np.dtype("f4"), (3,))}
    with pytest.raises(CompileError, match=r"needs two dimensions or more|shapes do not fit"):
        computed(node_model("Trilu", x), x)


def test_a_condition_is_of_booleans():
    given = {"c": numbers(np.dtype("f4"), (3,)), "a": numbers(np.dtype("f4"), (3,)), "b": numbers(np.dtype("f4"), (3,))}
    with pytest.raises(CompileError, match="float32"):
        computed(node_model("Where", given), given)
