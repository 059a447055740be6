"""Headers survive the wire, and nothing malformed gets through."""

import contextlib

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.noc.wire.frames import VERSION, Header, Kind, MalformedFrame, decode_control, decode_header, encode_header

int64 = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.tuples(st.sampled_from(Kind), st.integers(0, 1 << 20), int64, int64, int64, int64))
def test_round_trip(fields):
    assert decode_header(encode_header(*fields)) == Header(*fields)


def test_fields_of_later_versions_are_ignored():
    data = msgpack.packb([VERSION, 0, 1, 2, 3, 4, 5, {"clock": 9}])
    assert decode_header(data) == Header(Kind.DATA, 1, 2, 3, 4, 5)


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


@given(st.binary(max_size=64))
def test_any_bytes_decode_or_are_refused(data):
    for decode in (decode_header, decode_control):
        with contextlib.suppress(MalformedFrame):
            decode(data)
