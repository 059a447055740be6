"""Frames between a host program and the device that serves it; forms and checks, without any I/O.

A frame is a header of 40 bytes, little-endian, and `length` bytes of elements or text behind it. What the length must
be follows from the other fields; a header that says otherwise is no frame. A host connects and is greeted by DONE.

    WRITE     a matrix [rows, cols] to `key`; answered by DONE when it is there
    MULTIPLY  vectors [rows, cols] by what `key` holds, results [rows, width]; with ACCUMULATE they are added to as many
              elements behind the vectors. Never answered: what is wrong with it is told by the next BARRIER of `key`
    BARRIER   of `key`: a RESULT for each of its products, in their order, then DONE; or an ERROR, and they are dropped
    RELEASE   what `key` holds; answered by DONE
    ERROR     in place of any answer: a sentence, with the exit code that it means as `flags`
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

MAGIC, VERSION = b"EMUD", 1
HEADER = struct.Struct("<4sBBBBQIIIIQ")
ACCUMULATE = 1  # of `flags`
MOST_TEXT = 4096  # bytes of a sentence
MATRICES = 1 << 32  # keys from here on are NeuroBoard's matrices; below, crossbars by a number of 32 bits


class DeviceFrameKind(IntEnum):
    """The request, or the answer, that a frame is."""

    WRITE = 1
    MULTIPLY = 2
    BARRIER = 3
    RELEASE = 4
    DONE = 16
    RESULT = 17
    ERROR = 18


# Element types by their number; names are those of devices, which refuse what crossbars do not hold.
TYPES: dict[int, tuple[str, np.dtype]] = {
    1: ("i8", np.dtype("i1")),
    2: ("i16", np.dtype("<i2")),
    3: ("i32", np.dtype("<i4")),
    4: ("i64", np.dtype("<i8")),
    5: ("f32", np.dtype("<f4")),
    6: ("f64", np.dtype("<f8")),
}
# Of requests: the flags that they may have, and whether they bring elements.
_REQUESTS = {
    DeviceFrameKind.WRITE: (0, True),
    DeviceFrameKind.MULTIPLY: (ACCUMULATE, True),
    DeviceFrameKind.BARRIER: (0, False),
    DeviceFrameKind.RELEASE: (0, False),
}


class DamagedFrame(Exception):
    """The bytes are no frame of a host; the text says why."""


@dataclass(frozen=True, slots=True)
class DeviceFrame:
    """A header, without what does not change."""

    operation: DeviceFrameKind
    type: int = 0
    flags: int = 0
    key: int = 0
    rows: int = 0
    cols: int = 0
    width: int = 0
    length: int = 0

    @property
    def name(self) -> str:
        """What sentences call the thing that `key` stands for."""
        if self.key >= MATRICES:
            return f"matrix {self.key - MATRICES} of the host"
        return f"crossbar {self.key - (self.key >> 31 << 32)} of the host"  # the host's numbers have a sign

    @property
    def accumulates(self) -> bool:
        """Whether results are added to what comes with the vectors."""
        return bool(self.flags & ACCUMULATE)

    def packed(self) -> bytes:
        """The header as bytes."""
        return HEADER.pack(
            MAGIC,
            VERSION,
            self.operation,
            self.type,
            self.flags,
            self.key,
            self.rows,
            self.cols,
            self.width,
            0,
            self.length,
        )


def request(header: bytes) -> DeviceFrame:
    """The request that 40 bytes are; raises DamagedFrame unless all of them are as they must be."""
    magic, version, operation, kind, flags, key, rows, cols, width, spare, length = HEADER.unpack(header)
    if magic != MAGIC:
        raise DamagedFrame(f"a request begins with {magic!r}, and has to begin with {MAGIC!r}")
    if version != VERSION:
        raise DamagedFrame(
            f"the host speaks version {version} of the device's frames, and the device version {VERSION}"
        )
    if operation not in _REQUESTS:
        raise DamagedFrame(f"there is no request {operation}")
    frame = DeviceFrame(DeviceFrameKind(operation), kind, flags, key, rows, cols, width, length)
    may, brings = _REQUESTS[frame.operation]
    if (fault := _fault(frame, may, brings)) or spare:
        raise DamagedFrame(f"a {frame.operation.name} request {fault or 'has something where nothing may be'}")
    return frame


def answer(header: bytes) -> DeviceFrame:
    """An answer, as the host's side reads it; raises DamagedFrame."""
    magic, version, operation, kind, flags, key, rows, cols, width, _, length = HEADER.unpack(header)
    if (
        magic != MAGIC
        or version != VERSION
        or operation not in (DeviceFrameKind.DONE, DeviceFrameKind.RESULT, DeviceFrameKind.ERROR)
    ):
        raise DamagedFrame("that is no answer of a device")
    return DeviceFrame(DeviceFrameKind(operation), kind, flags, key, rows, cols, width, length)


def error(sentence: str, code: int) -> bytes:
    """An ERROR with its text."""
    text = sentence.encode("utf-8", "replace")[:MOST_TEXT]
    return DeviceFrame(DeviceFrameKind.ERROR, flags=code, length=len(text)).packed() + text


def _fault(frame: DeviceFrame, may: int, brings: bool) -> str:
    """Why the fields of a request are invalid; empty if they are valid."""
    if frame.flags & ~may:
        return f"has flags {frame.flags:#x}"
    if frame.key >= 2 * MATRICES:
        return f"has key {frame.key:#x}"
    if brings and frame.type not in TYPES:
        return f"has element type {frame.type}"
    if not brings and (frame.type or frame.rows or frame.cols):
        return "brings no elements, and has a type or sizes"
    if frame.width and frame.operation != DeviceFrameKind.MULTIPLY:
        return "has a width"
    each = TYPES[frame.type][1].itemsize if brings else 0
    wanted = frame.rows * (frame.cols + (frame.width if frame.accumulates else 0)) * each
    return "" if frame.length == wanted else f"says {frame.length} bytes, and its sizes make {wanted}"
