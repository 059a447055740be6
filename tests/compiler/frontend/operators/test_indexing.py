"""Operators that address by data equal onnxruntime: along any axis, by known and by computed indices, in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import check, computed, granularities, node_model, numbers, shapes

from emu.errors import CompileError
from emu.noc.in_process.round_robin import ChipTrapped

F4, I4, I8 = np.dtype("f4"), np.dtype("i4"), np.dtype("i8")
numeric = st.sampled_from([F4, I4, I8])
moved = st.sampled_from([F4, I4, I8, np.dtype("i1"), np.dtype("?")])


def model_of(kind, inputs, frozen, **more):
    """The model kind(inputs), of which all but the first are constants where `frozen`; and the inputs that remain."""
    first, *rest = inputs
    if not frozen:
        return node_model(kind, inputs, **more), inputs
    kept = {first: inputs[first]}
    return node_model(kind, kept, [inputs[name] for name in rest], **more), kept


def drawn(data, size, shape, dtype=I8):
    """Indices of an axis of `size`, negative ones too."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    return np.asarray(rng.integers(-size, size, shape)).astype(dtype)


def permuted(data, shape, axis, count):
    """Indices [.., count, ..] along an axis that all differ."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    return np.argsort(rng.random(shape), axis=axis).take(range(count), axis=axis)


@given(st.data(), shapes(), moved, granularities)
def test_gather_by_indices_of_a_run(data, shape, dtype, granularity):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    wanted = data.draw(st.sampled_from([(), (1,), (7,), (2, 3)]))
    indices = drawn(data, shape[axis], wanted, data.draw(st.sampled_from([I4, I8])))
    inputs = {"x": numbers(dtype, shape), "i": indices}
    check(node_model("Gather", inputs, axis=axis), inputs, granularity)


@given(st.data(), shapes(), moved, granularities, st.booleans())
def test_gather_elements(data, shape, dtype, granularity, frozen):
    axis = data.draw(st.integers(0, len(shape) - 1))
    places = [data.draw(st.integers(1, 4 if dim == axis else size)) for dim, size in enumerate(shape)]
    inputs = {"x": numbers(dtype, shape), "i": drawn(data, shape[axis], places)}
    signed = axis - len(shape) * data.draw(st.booleans())
    model, feed = model_of("GatherElements", inputs, frozen, axis=signed)
    check(model, feed, granularity)


@given(st.data(), shapes((2, 4), 4), moved, granularities, st.booleans())
def test_gather_by_vectors(data, shape, dtype, granularity, frozen):
    batch = data.draw(st.integers(0, len(shape) - 1))
    depth = data.draw(st.integers(1, len(shape) - batch))
    places = (*shape[:batch], data.draw(st.integers(1, 4)))
    vectors = [drawn(data, size, places) for size in shape[batch : batch + depth]]
    inputs = {"x": numbers(dtype, shape), "i": np.stack(vectors, axis=-1)}
    model, feed = model_of("GatherND", inputs, frozen, batch_dims=batch)
    check(model, feed, granularity)


@given(st.data(), shapes(), numeric, granularities, st.booleans())
def test_scatter_elements(data, shape, dtype, granularity, frozen):
    axis, how = data.draw(st.integers(0, len(shape) - 1)), data.draw(st.sampled_from(["none", "add", "mul", "max"]))
    indices = permuted(data, shape, axis, data.draw(st.integers(1, shape[axis])))
    cut = tuple(slice(None if dim == axis else data.draw(st.integers(1, size))) for dim, size in enumerate(shape))
    indices = indices[cut] - shape[axis] * data.draw(st.booleans())
    x, updates = (
        np.asarray(numbers(I4, part, seed) % 9).astype(dtype) for seed, part in enumerate((shape, indices.shape))
    )
    model, feed = model_of("ScatterElements", {"x": x, "i": indices, "u": updates}, frozen, axis=axis, reduction=how)
    check(model, feed, granularity)


def test_the_old_name_of_scatter_elements():
    inputs = {"x": numbers(F4, (3, 4)), "i": np.array([[2, 0, 1]]), "u": numbers(F4, (1, 3), 1)}
    check(node_model("Scatter", inputs, opset=9, axis=0), inputs)


@given(st.data(), shapes((1, 4), 4), numeric, granularities, st.booleans())
def test_scatter_by_vectors(data, shape, dtype, granularity, frozen):
    depth, how = data.draw(st.integers(1, len(shape))), data.draw(st.sampled_from(["none", "add", "mul", "min"]))
    places = np.argwhere(np.ones(shape[:depth], bool))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    chosen = rng.permutation(places)[: data.draw(st.integers(1, len(places)))]
    updates = np.asarray(numbers(I4, (len(chosen), *shape[depth:]), 1) % 9).astype(dtype)
    inputs = {"x": np.asarray(numbers(I4, shape) % 9).astype(dtype), "i": chosen, "u": updates}
    model, feed = model_of("ScatterND", inputs, frozen, reduction=how)
    check(model, feed, granularity)


def test_updates_of_one_place_are_combined_in_their_order():
    inputs = {"x": np.ones(3, F4), "i": np.array([[1], [-2], [1]]), "u": np.array([2, 4, 8], F4)}
    for how, place in (("none", 8), ("add", 15), ("mul", 64), ("max", 8), ("min", 1)):
        found = computed(node_model("ScatterND", inputs, reduction=how), inputs)
        np.testing.assert_array_equal(found["y"], [1, place, 1])


@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
@given(st.data(), shapes(), st.sampled_from([F4, I4, np.dtype("i1"), np.dtype("u1")]), granularities)
def test_where_the_largest_stands(kind, data, shape, dtype, granularity):
    x = {"x": np.asarray(numbers(np.dtype("u1"), shape) % 4).astype(dtype)}  # many are equal
    attributes = {
        "axis": data.draw(st.integers(-len(shape), len(shape) - 1)),
        "keepdims": data.draw(st.integers(0, 1)),
        "select_last_index": data.draw(st.integers(0, 1)),
    }
    check(node_model(kind, x, types=[I8], **attributes), x, granularity)


@given(st.data(), shapes(), numeric, granularities)
def test_the_largest_in_order(data, shape, dtype, granularity):
    axis, rng = data.draw(st.integers(0, len(shape) - 1)), np.random.default_rng(data.draw(st.integers(0, 99)))
    x = {"x": (rng.permutation(int(np.prod(shape))).reshape(shape) - 7).astype(dtype)}
    attributes = {"axis": axis - len(shape) * data.draw(st.booleans()), "largest": data.draw(st.integers(0, 1))}
    count = np.array([data.draw(st.integers(1, shape[axis]))])
    model = node_model("TopK", x, [count], outputs=("y", "i"), types=[dtype, I8], **attributes)
    check(model, x, granularity)


@given(st.data(), shapes((1, 3)), st.integers(1, 5), st.sampled_from([F4, I8]), granularities)
def test_one_hot(data, shape, depth, dtype, granularity):
    inputs = {"x": drawn(data, depth + 1, shape), "d": np.array([depth]), "v": np.array([3, -4]).astype(dtype)}
    model, feed = model_of(
        "OneHot", inputs, True, types=[dtype], axis=data.draw(st.integers(-len(shape) - 1, len(shape)))
    )
    check(model, feed, granularity)


@pytest.mark.parametrize("indices", [[0, 5], [-6, 0]])
def test_an_index_outside_of_the_table_stops_the_run(indices):
    inputs = {"x": numbers(F4, (5, 2)), "i": np.array(indices)}
    with pytest.raises(ChipTrapped, match=r"index outside the table, .* limit 5"):
        computed(node_model("Gather", inputs), inputs)


X, ONE = numbers(F4, (3, 4)), np.zeros((1, 1), np.int64)


@pytest.mark.parametrize(
    ("kind", "inputs", "more", "words"),
    [
        (
            "GatherElements",
            {"i": np.zeros((4, 1), I8)},
            {"axis": 1},
            r"indices of shape \[4, 1\], which is larger than",
        ),
        ("GatherND", {"i": np.zeros((2, 3), I8)}, {}, r"index vectors of shape \[2, 3\] for data of shape \[3, 4\]"),
        ("ScatterElements", {"i": ONE, "u": X[:1, :1]}, {"reduction": "mean"}, "has the reduction 'mean'"),
        ("ScatterElements", {"i": ONE, "u": X[:2, :1]}, {}, r"has updates of shape \[2, 1\] for indices of \[1, 1\]"),
        (
            "ScatterND",
            {"i": ONE, "u": X[:1, :3]},
            {},
            r"has updates of shape \[1, 3\]: \[1, 4\] of the data's type are",
        ),
        ("Gather", {"i": np.zeros(2, np.int16)}, {}, "int16"),
    ],
)
def test_what_does_not_fit_is_refused(kind, inputs, more, words):
    feed = {"x": X, **inputs}
    with pytest.raises(CompileError, match=words):
        computed(node_model(kind, feed, **more), feed)


def test_more_than_there_are_is_refused():
    with pytest.raises(CompileError, match="wants 5 of 4 elements of float32 along axis 1"):
        computed(node_model("TopK", {"x": X}, [np.array([5])], outputs=("y", "i"), types=[F4, I8]), {"x": X})
    with pytest.raises(CompileError, match="compares elements of bool, which are no numbers"):
        computed(node_model("ArgMax", {"x": X > 0}, types=[I8]), {"x": X > 0})
