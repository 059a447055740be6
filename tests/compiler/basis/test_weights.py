"""The weight store keeps views, read-only, under unique keys."""

import numpy as np
import pytest

from compiler.basis.weights import WeightStore


def test_put_gives_unique_keys():
    store = WeightStore()
    keys = [store.put("w", np.full(2, index)) for index in range(3)]
    assert keys == ["w", "w.1", "w.2"]
    assert [int(store.get(key)[0]) for key in keys] == [0, 1, 2]
    assert "w.2" in store and "w.3" not in store and len(store) == 3


def test_arrays_are_neither_copied_nor_writable():
    store, array = WeightStore(), np.zeros(4, np.float32)
    view = store.get(store.put("w", array))
    assert np.shares_memory(view, array)
    assert array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1


def test_discard_forgets():
    store = WeightStore()
    store.discard(store.put("w", np.zeros(1)))
    assert list(store) == []
    with pytest.raises(KeyError):
        store.get("w")


def test_equal_arrays_that_are_shared_have_one_key():
    store = WeightStore()
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    key = store.share("constant", array)
    assert store.share("constant", array.copy()) == key and store.copy().share("constant", array) == key
    others = {
        store.share(*given) for given in (("table", array), ("constant", array.T), ("constant", array.view("i4")))
    }
    assert len(others) == 3 and key not in others
    store.discard(key)
    np.testing.assert_array_equal(store.get(store.share("constant", array)), array)
