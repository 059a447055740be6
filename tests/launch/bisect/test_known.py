"""Bytes are recognised as a tensor in every order of its axes, and not when an element differs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.bisect.known import Knowledge, KnownRows, KnownTensor

ROOM = 1e-5


@st.composite
def tensors(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return values + np.float32(draw(st.integers(-3, 3)))


def as_bytes(values: np.ndarray) -> np.ndarray:
    return np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)


@given(tensors(), st.randoms())
def test_any_order_of_the_axes_is_the_tensor(values: np.ndarray, random) -> None:
    order = list(range(values.ndim))
    random.shuffle(order)
    assert KnownTensor("t", values, ROOM).order_of(as_bytes(values.transpose(order))) is not None


@given(tensors().filter(lambda values: values.size > 1), st.data())
def test_an_element_that_differs_makes_it_another_tensor(values: np.ndarray, data: st.DataObject) -> None:
    changed = values.copy()
    changed.flat[data.draw(st.integers(0, values.size - 1))] += 0.25
    assert KnownTensor("t", values, ROOM).order_of(as_bytes(changed)) is None
    knowledge = Knowledge([KnownTensor("t", values, ROOM)])
    assert knowledge.find(as_bytes(changed)) is None
    found = knowledge.find(as_bytes(values))
    assert found is not None and found.name == "t"


def test_what_is_the_same_everywhere_tells_nothing() -> None:
    knowledge = Knowledge([KnownTensor("zeros", np.zeros(8, np.float32), ROOM)])
    assert knowledge.find(np.zeros(32, np.uint8)) is None


def test_rounded_elements_are_within_the_room() -> None:
    values = np.linspace(-1, 1, 16, dtype=np.float32)
    assert KnownTensor("t", values, ROOM).order_of(as_bytes(values + np.float32(ROOM / 2))) is not None
    assert KnownTensor("t", values, ROOM).order_of(as_bytes(values + np.float32(ROOM * 2))) is None


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 5), (0, 6)])
def test_rows_that_follow_each_other_are_recognised(first: int, last: int) -> None:
    values = np.arange(24, dtype=np.float32).reshape(6, 4)
    knowledge = Knowledge()
    knowledge.add_rows([KnownRows("t", values, ROOM)])
    assert knowledge.find(as_bytes(values[first:last])) is not None
    assert knowledge.find(as_bytes(values[first:last] + 0.5)) is None


def test_a_message_may_carry_some_rows_and_what_stands_in_memory_may_not() -> None:
    values = np.arange(24, dtype=np.float32).reshape(6, 4)
    knowledge, rows = Knowledge([KnownTensor("t", values, ROOM)]), [KnownRows("t", values, ROOM)]
    assert knowledge.find_message(as_bytes(values), rows) is not None
    assert knowledge.find_message(as_bytes(values[1:4]), rows) is not None
    assert knowledge.find_message(as_bytes(values[1:4] + 0.5), rows) is None
    assert knowledge.find(as_bytes(values[1:4])) is None


def test_trusted_bytes_are_known() -> None:
    knowledge = Knowledge()
    knowledge.trust("t", [b"abcd"])
    found = knowledge.find(np.frombuffer(b"abcd", np.uint8))
    assert found is not None and found.name == "t"
    assert knowledge.find(np.frombuffer(b"abce", np.uint8)) is None
