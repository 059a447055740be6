"""Origins: any view of a tensor, and views of what was made from views, know which element stands where."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compiler.basis.origin import ElementOrigin
from compiler.basis.weights import WeightStore


def elements(origin: ElementOrigin) -> np.ndarray:
    """The element of each place."""
    total = np.array(origin.start)
    for move in origin.moves:
        total = np.add.outer(total, move)
    return total


def changed(draw: st.DrawFn, array: np.ndarray) -> np.ndarray:
    """A view of `array`."""
    kind = draw(st.sampled_from(("transpose", "slice", "split", "merge", "index")))
    if kind == "transpose":
        return array.transpose(draw(st.permutations(range(array.ndim))))
    axis = draw(st.integers(0, array.ndim - 1))
    size, before = array.shape[axis], (slice(None),) * axis
    if kind == "slice":
        low = draw(st.integers(0, size - 1))
        step = draw(st.sampled_from((1, 2, -1, -2)))
        return array[(*before, slice(low, None, step))]
    if kind == "index" and array.ndim > 1:
        return array[(*before, draw(st.integers(0, size - 1)))]
    if kind == "split" and size % 2 == 0:
        return array.reshape(*array.shape[:axis], 2, size // 2, *array.shape[axis + 1 :])
    return array


def is_sum(array: np.ndarray) -> bool:
    """Whether each element is the first one and what its index adds on every axis."""
    total, first = np.full(array.shape, array.flat[0]), (0,) * array.ndim
    for axis, size in enumerate(array.shape):
        line = array[(*first[:axis], slice(None), *first[axis + 1 :])] - array.flat[0]
        total += line.reshape(size, *[1] * (array.ndim - axis - 1))
    return np.array_equal(total, array)


def test_a_merged_axis_that_is_cut_across_is_no_sum() -> None:
    tensor = np.arange(12).reshape(3, 4)
    merged = tensor[:, 2:].reshape(6).copy()
    origin = ElementOrigin.of("w", tensor).of_view(tensor, tensor[:, 2:], (6,))
    assert origin is not None
    assert origin.of_view(merged, merged.reshape(3, 2), (3, 2)) is not None
    assert origin.of_view(merged, merged.reshape(2, 3), (2, 3)) is None


@given(st.data(), st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_views_of_views(data: st.DataObject, shape: list[int]) -> None:
    tensor = np.arange(np.prod(shape)).reshape(shape)
    array, origin = tensor, ElementOrigin.of("w", tensor)
    for _ in range(3):
        view = changed(data.draw, array) if data.draw(st.booleans()) else array
        sizes = view.shape
        if view.ndim > 1 and data.draw(st.booleans()):  # a copy with two axes made one
            sizes = (sizes[0] * sizes[1], *sizes[2:])
        found = origin.of_view(array, view, sizes)
        if found is None:  # as of a part of a merged axis that begins and ends in the middle of what was merged
            assert not is_sum(view.reshape(sizes))
            return
        assert found.tensor == "w" and found.shape == tuple(shape) and found.fits(sizes)
        assert np.array_equal(elements(found), view.reshape(sizes))
        assert np.array_equal(elements(ElementOrigin.from_texts(*found.texts())), view.reshape(sizes))
        array, origin = (view if sizes == view.shape else view.reshape(sizes).copy()), found


def test_what_is_no_view_has_no_origin() -> None:
    tensor = np.ones((3, 4), np.float32)
    origin = ElementOrigin.of("w", tensor)
    assert origin.of_view(tensor, tensor.copy(), (3, 4)) is None
    assert origin.of_view(tensor, tensor[:0], (0, 4)) is None
    one = np.broadcast_to(np.float32(1), (3, 4))  # all elements in one place
    assert ElementOrigin.of("one", one).of_view(one, one, (3, 4)) is None


def test_the_store_keeps_origins_until_an_array_is_discarded() -> None:
    store, tensor = WeightStore(), np.arange(6.0).reshape(2, 3)
    key = store.put("w", tensor, ElementOrigin.of("w", tensor))
    turned = store.derive("t", tensor.T, key)
    scaled = store.derive("s", tensor.T * 2, key, tensor.T)
    assert store.derive("alone", tensor * 2, key) and store.origin("alone") is None
    for name in (turned, scaled):
        origin = store.origin(name)
        assert origin is not None and np.array_equal(elements(origin), tensor.T)
    store.discard(key)
    assert store.origin(key) is None and store.origin(turned) is not None
    assert store.derive("later", tensor, store.put("unknown", tensor)) and store.origin("later") is None
