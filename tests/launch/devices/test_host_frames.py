"""Frames of hosts: what a header may be, so that nobody makes room for what it only says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.devices.wire import (
    ACCUMULATE,
    HEADER,
    MATRICES,
    MOST_TEXT,
    TYPES,
    DamagedFrame,
    DeviceFrame,
    DeviceFrameKind,
    answer,
    error,
    request,
)

SIZES = st.integers(0, 2**32 - 1)
GOOD = DeviceFrame(DeviceFrameKind.MULTIPLY, 3, ACCUMULATE, 7, 5, 4, 3, 5 * (4 + 3) * 4)


def test_a_header_has_40_bytes():
    assert HEADER.size == len(GOOD.packed()) == 40


@given(
    st.sampled_from([DeviceFrameKind.WRITE, DeviceFrameKind.MULTIPLY]),
    st.sampled_from(sorted(TYPES)),
    SIZES,
    SIZES,
    SIZES,
)
def test_a_length_has_to_follow_from_the_sizes(operation, kind, rows, cols, width):
    width = width if operation == DeviceFrameKind.MULTIPLY else 0
    length = rows * cols * TYPES[kind][1].itemsize
    if length >= 2**64:
        return
    frame = DeviceFrame(operation, kind, 0, 9, rows, cols, width, length)
    assert request(frame.packed()) == frame
    for other in {length + 1, length - 1, 0, 2**64 - 1} - {length, -1}:
        with pytest.raises(DamagedFrame, match=f"says {other} bytes, and its sizes make {length}"):
            request(DeviceFrame(operation, kind, 0, 9, rows, cols, width, other).packed())


@given(st.binary(min_size=40, max_size=40))
def test_any_bytes_are_a_request_or_refused(header):
    try:
        frame = request(header)
    except DamagedFrame:
        return
    assert frame.packed() == header


@given(st.integers(0, 39), st.integers(1, 255))
def test_every_byte_of_a_header_counts(place, change):
    header = bytearray(GOOD.packed())
    header[place] ^= change
    try:
        frame = request(bytes(header))
    except DamagedFrame:
        return
    # What is left is another request of the same length, or one for another key.
    assert frame != GOOD and frame.packed() == bytes(header) and frame.length == GOOD.length


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (DeviceFrame(DeviceFrameKind.DONE), "there is no request 16"),
        (DeviceFrame(DeviceFrameKind.BARRIER, rows=1), "brings no elements, and has a type or sizes"),
        (DeviceFrame(DeviceFrameKind.BARRIER, length=4), "says 4 bytes, and its sizes make 0"),
        (DeviceFrame(DeviceFrameKind.RELEASE, type=1), "brings no elements"),
        (DeviceFrame(DeviceFrameKind.WRITE, 1, 0, 0, 1, 1, 1, 1), "a WRITE request has a width"),
        (DeviceFrame(DeviceFrameKind.WRITE, 1, ACCUMULATE, 0, 1, 1, 0, 1), "has flags 0x1"),
        (DeviceFrame(DeviceFrameKind.WRITE, 0, 0, 0, 0, 0), "has element type 0"),
        (DeviceFrame(DeviceFrameKind.WRITE, 7, 0, 0, 1, 1, 0, 1), "has element type 7"),
        (DeviceFrame(DeviceFrameKind.BARRIER, key=2 * MATRICES), "has key 0x200000000"),
    ],
)
def test_what_is_no_request_is_named(frame, said):
    with pytest.raises(DamagedFrame, match=said):
        request(frame.packed())


def test_another_magic_and_another_version_are_named():
    packed = GOOD.packed()
    with pytest.raises(DamagedFrame, match=r"begins with b'GET ', and has to begin with b'EMUD'"):
        request(b"GET " + packed[4:])
    with pytest.raises(DamagedFrame, match="speaks version 2 of the device's frames, and the device version 1"):
        request(packed[:4] + b"\2" + packed[5:])
    with pytest.raises(DamagedFrame, match="something where nothing may be"):
        request(packed[:28] + b"\1" + packed[29:])


def test_crossbars_are_called_as_the_host_calls_them():
    names = [DeviceFrame(DeviceFrameKind.BARRIER, key=key).name for key in (3, 2**32 - 1, MATRICES + 4)]
    assert names == ["crossbar 3 of the host", "crossbar -1 of the host", "matrix 4 of the host"]


def test_a_sentence_has_an_end():
    frame, text = answer(error("ü" * 5000, 2)[:40]), error("ü" * 5000, 2)[40:]
    assert (frame.operation, frame.flags, frame.length) == (DeviceFrameKind.ERROR, 2, len(text)) and len(
        text
    ) <= MOST_TEXT
    with pytest.raises(DamagedFrame):
        answer(GOOD.packed())
