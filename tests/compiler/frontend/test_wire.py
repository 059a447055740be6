"""Splitting a serialised model loses nothing, and no bytes make it fail in an undeclared way."""

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_models import one_node, random_array

from compiler.frontend.wire import LARGE, WireError, split_model


def sized_model(*sizes: int) -> onnx.ModelProto:
    """A model with initialisers of `sizes` floats."""
    model = one_node("Relu", (1, 4))
    for index, size in enumerate(sizes):
        model.graph.initializer.append(onnx.numpy_helper.from_array(random_array(size, seed=index), f"w{index}"))
    return model


@given(st.lists(st.sampled_from([0, 1, LARGE // 4 - 1, LARGE // 4, LARGE // 4 + 100, 20_000]), max_size=5))
def test_structure_and_raw_bytes_make_up_the_model(sizes):
    model = sized_model(*sizes)
    data = model.SerializeToString()
    split = split_model(memoryview(data))
    restored = onnx.ModelProto.FromString(split.structure)
    for index, span in split.raw.items():
        restored.graph.initializer[index].raw_data = data[span.begin : span.end]
    assert restored == model
    assert sorted(split.raw) == [index for index, size in enumerate(sizes) if 4 * size >= LARGE]
    assert len(split.structure) < 20 * LARGE


@given(st.binary(max_size=300))
def test_garbage_is_refused_or_split(data):
    try:
        split = split_model(memoryview(data))
    except WireError:
        return
    assert split.structure == data


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_truncation_is_noticed(cut):
    data = sized_model(5000).SerializeToString()
    with pytest.raises(WireError):
        split_model(memoryview(data)[: len(data) // 2 + cut])


def test_a_length_beyond_the_file_is_refused_without_allocating():
    with pytest.raises(WireError, match="beyond"):
        split_model(memoryview(bytes([0x3A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])))


def test_numbers_are_at_most_ten_bytes():
    with pytest.raises(WireError, match="does not end"):
        split_model(memoryview(bytes([0x08]) + b"\xff" * 20))
    assert np.frombuffer(split_model(memoryview(b"\x08\x09")).structure, np.uint8).tolist() == [8, 9]
