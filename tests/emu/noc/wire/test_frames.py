"""Headers survive the wire, and nothing malformed gets through."""

import contextlib

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.noc.wire.frames import (
    VERSION,
    FrameHeader,
    FrameKind,
    MalformedFrame,
    decode_control,
    decode_header,
    encode_control,
    encode_header,
)

int64 = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.tuples(st.sampled_from(FrameKind), st.integers(0, 1 << 20), int64, int64, int64, int64))
def test_round_trip(fields):
    assert decode_header(encode_header(*fields)) == FrameHeader(*fields)


def test_fields_of_later_versions_are_ignored():
    data = msgpack.packb([VERSION, 0, 1, 2, 3, 4, 5, {"clock": 9}])
    assert decode_header(data) == FrameHeader(FrameKind.DATA, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x00" * 300,
        msgpack.packb([VERSION + 1, 0, 1, 2, 3, 4, 5]),
        msgpack.packb([VERSION, 99, 1, 2, 3, 4, 5]),
        msgpack.packb([VERSION, 0, 1, 2]),
        msgpack.packb([VERSION, 0, "1", 2, 3, 4, 5]),
        msgpack.packb([VERSION, True, 1, 2, 3, 4, 5]),
        msgpack.packb({"a": 1}),
    ],
)
def test_malformed_headers_are_refused(data):
    with pytest.raises(MalformedFrame):
        decode_header(data)


def decoded(data):
    """The header in `data`; None if it is refused."""
    try:
        return decode_header(data)
    except MalformedFrame:
        return None


@given(st.binary(max_size=64))
def test_any_bytes_are_refused_or_a_header_like_any_other(data):
    header = decoded(data)
    assert header is None or decode_header(encode_header(*header)) == header
    with contextlib.suppress(MalformedFrame):
        assert decode_control(encode_control(value := decode_control(data))) == value or value != value


@given(
    st.tuples(st.sampled_from(FrameKind), *[st.integers(0, 1 << 20)] * 5), st.integers(0, 1 << 10), st.integers(1, 255)
)
def test_a_damaged_header_is_refused_or_what_it_has_become(fields, place, flips):
    data = encode_header(*fields)
    place %= len(data)
    damaged = data[:place] + bytes([data[place] ^ flips]) + data[place + 1 :]
    header = decoded(damaged)
    assert header is None or [VERSION, *header] == msgpack.unpackb(damaged)[:7]
