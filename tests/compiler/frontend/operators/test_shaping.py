"""Constants among what is joined, and operands without elements, in every operator that only moves."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from one_nodes import check, dtypes, granularities, node_model, numbers, shapes

relaxed = settings(max_examples=examples(15, 100))
F4 = np.dtype("f4")


@relaxed
@given(st.data(), shapes(), dtypes, granularities, st.sampled_from([1, 3, 8]))
def test_constants_are_joined_with_tensors(data, shape, dtype, granularity, cores):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    place = axis % len(shape)
    joined = [(*shape[:place], size, *shape[place + 1 :]) for size in sizes]
    constants = [numbers(dtype.numpy, part, seed) for seed, part in enumerate(joined)]
    x = {"x": numbers(dtype.numpy, shape, 9)}
    check(node_model("Concat", x, constants, axis=axis), x, granularity, cores)


EMPTY = {"x": numbers(F4, (2, 0, 3))}


@pytest.mark.parametrize(
    "model",
    [
        node_model("Reshape", EMPTY, [np.array([3, 0])], allowzero=1),
        node_model("Reshape", EMPTY, [np.array([0, -1])]),
        node_model("Flatten", EMPTY),
        node_model("Transpose", EMPTY),
        node_model("Tile", EMPTY, [np.array([2, 2, 2])]),
        node_model("Slice", EMPTY, [np.array([0]), np.array([2]), np.array([1])]),
        node_model("Cast", EMPTY, to=7, types=[np.int64]),
        node_model("CumSum", EMPTY, [np.array(1)]),
        node_model("Expand", {"x": EMPTY["x"]}, [np.array([4, 2, 0, 3])]),
    ],
    ids=lambda model: model.graph.node[0].op_type,
)
def test_tensors_without_elements(model):
    check(model, EMPTY)
