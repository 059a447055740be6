"""Messages between the launcher and its workers: what is sent comes as it was, and lies are told as such."""

from __future__ import annotations

import contextlib
import math
import socket
import struct
import threading
from typing import Any

import ml_dtypes
import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from launch.workers.channel import SocketChannel, packed, unpacked
from launch.workers.failures import UnreadableMessage

NARROW = [
    np.dtype(getattr(ml_dtypes, name))
    for name in (
        *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
        *("float4_e2m1fn", "int4", "uint4", "int2", "uint2"),
    )
]
ENDS = ("<", ">", "=")
NUMBERS = st.one_of(
    st.sampled_from(NARROW),
    arrays.boolean_dtypes(),
    *(
        kind(endianness=end)
        for kind in (arrays.integer_dtypes, arrays.unsigned_integer_dtypes, arrays.floating_dtypes)
        for end in ENDS
    ),
    arrays.complex_number_dtypes(),
    arrays.unicode_string_dtypes(max_len=4),
    arrays.byte_string_dtypes(max_len=4),
)
TEXTS = st.text(st.characters())  # with halves of surrogate pairs, as names of files may have them
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | TEXTS | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.integers(-9, 9), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def array(draw: st.DrawFn) -> np.ndarray:
    """An array of any type, shape and bytes, sometimes not contiguous."""
    dtype = draw(NUMBERS)
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    if dtype.kind == "U":  # not every number is a letter
        made = draw(arrays.arrays(dtype, shape))
    else:
        size = math.prod(shape) * dtype.itemsize
        content = draw(st.binary(min_size=size, max_size=size))
        if dtype.kind == "b":
            content = bytes(byte & 1 for byte in content)
        made = np.frombuffer(content, dtype).reshape(shape) if size else np.zeros(shape, dtype)
    return made.T if draw(st.booleans()) else made


OBJECTS = st.lists(PLAIN, max_size=4).map(lambda items: _of_objects(items))
VALUES = st.recursive(
    PLAIN | array() | array().filter(lambda made: made.size > 0).map(lambda made: made.ravel()[0]) | OBJECTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


def _of_objects(items: list[Any]) -> np.ndarray:
    made = np.empty(len(items), object)
    for place, item in enumerate(items):
        made[place] = item
    return made


def same(got: Any, want: Any) -> bool:
    """Whether two values are of one kind and equal, bit by bit."""
    if isinstance(want, np.ndarray | np.generic):
        if type(got) is not type(want) or (got.dtype, got.shape) != (want.dtype, want.shape):
            return False
        if got.dtype == object:
            return all(map(same, got.ravel().tolist(), want.ravel().tolist()))
        return got.tobytes() == want.tobytes()
    if type(got) is not type(want):
        return False
    if isinstance(want, list):
        return len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return list(got) == list(want) and all(same(got[name], want[name]) for name in want)
    return got == want or (got != got and want != want)


def through(message: Any) -> Any:
    """What comes of a message at the other end of a socket, whatever the sizes of buffers."""
    ready = packed(message)
    here, there = socket.socketpair()
    with here, there:
        writer = threading.Thread(target=lambda: SocketChannel(here, lambda writing: None).send(ready))
        writer.start()
        try:
            return SocketChannel(there, lambda writing: None).receive()
        finally:
            there.close()
            writer.join()


@given(VALUES)
def test_what_is_sent_comes_as_it_was(value: Any) -> None:
    assert same(through(value), value)


@given(VALUES, st.data())
def test_what_is_in_a_file_is_read_as_it_was_and_cut_it_is_damaged(value: Any, data: st.DataObject) -> None:
    content = b"".join(packed(value))
    assert same(unpacked(memoryview(content)), value)
    with pytest.raises(UnreadableMessage):
        unpacked(memoryview(content)[: data.draw(st.integers(0, len(content) - 1))])


@pytest.mark.parametrize(
    "value",
    [
        np.float32(3.5),
        np.float64(0.1),
        np.str_(""),
        np.array(7, np.int64),
        np.array("text", object),
        np.zeros((0, 4), np.int64),
        np.arange(6, dtype=np.float16).reshape(2, 3).T,
        np.arange(6, dtype=">i4"),
        np.array([["a", "äöü"], ["", "d"]], object),
        np.array([["a", "äöü"]]),
        [np.ones(2, np.bool_), np.zeros((1, 1), np.uint8)],
        np.array([{1: 0.5, 2: 0.25}], object),
        _of_objects([np.arange(3), None, [1, 2], np.float32(1)]),
        np.zeros(1 << 20),
        *(np.arange(2).astype(dtype) for dtype in NARROW),
    ],
)
def test_values_of_all_kinds_come_as_they_were(value: Any) -> None:
    assert same(through({"y": value, "name": ["x", None, 1]}), {"y": value, "name": ["x", None, 1]})


def test_tuples_become_lists() -> None:
    assert through((1, ("x", ()))) == [1, ["x", []]]


@pytest.mark.parametrize("value", [object(), {1, 2}, np.zeros(2, "i4,f4"), 1 << 70, {"x": range(3)}])
def test_what_cannot_be_sent_is_told_before_anything_is(value: Any) -> None:
    with pytest.raises((TypeError, OverflowError)):
        packed(value)


def _framed(content: bytes) -> bytes:
    return struct.pack("!Q", len(content)) + content


def _extension(kind: int, *values: Any) -> bytes:
    return _framed(msgpack.packb(msgpack.ExtType(kind, msgpack.packb(values))))


@pytest.mark.parametrize(
    "content",
    [
        b"\xff" * 8,
        struct.pack("!Q", (1 << 28) + 1),
        _framed(b"\xc1"),
        _framed(b""),
        _framed(b"\x01\x02"),
        _framed(b"\xdd\xff\xff\xff\xff"),
        _extension(9, "<f4", [1]),
        _extension(1, "<f4", [1 << 40]),
        _extension(1, "<f4", [-1, -4]),
        _extension(1, "<f4", "x"),
        _extension(1, "O", [1]),
        _extension(1, "i4,O", [1]),
        _extension(1, "i4,f4", [1]),
        _extension(1, "no such type", [1]),
        _extension(1, 5, [1]),
        _extension(1, "<f4"),
        _extension(2, ["x"], [1 << 60]),
        _extension(2, ["x"], [2]),
        _extension(3, "<f4", b"x"),
        _extension(3, "<f4", b"xxxxx"),
        _extension(3, "O", b"x" * 8),
    ],
)
def test_what_is_no_message_is_told(content: bytes) -> None:
    here, there = socket.socketpair()
    with here, there:
        here.sendall(content)
        with pytest.raises(UnreadableMessage):
            SocketChannel(there, lambda writing: None).receive()


@given(st.binary(max_size=80))
def test_any_bytes_are_a_message_or_damaged(content: bytes) -> None:
    """Nothing else is raised, and nothing is believed of the lengths in them."""
    here, there = socket.socketpair()
    with here, there:
        here.sendall(_framed(content))
        here.close()
        with contextlib.suppress(UnreadableMessage, EOFError):
            SocketChannel(there, lambda writing: None).receive()


@pytest.mark.parametrize("kept", [0, 3, 8, 12, -1])
def test_a_message_that_ends_too_early(kept: int) -> None:
    here, there = socket.socketpair()
    with there:
        with here:
            here.sendall(b"".join(packed([np.arange(3), "text"]))[:kept])
        with pytest.raises(EOFError):
            SocketChannel(there, lambda writing: None).receive()
