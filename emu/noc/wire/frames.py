"""What travels in messages: a msgpack header, versioned and extensible, and one raw payload frame."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import msgpack

VERSION = 1
MAX_HEADER = 256  # bytes; also bounds what a decoder can be made to allocate
MAX_CONTROL = 1 << 24  # bytes of a control payload (addresses of all cores)


class FrameKind(IntEnum):
    """What a message is."""

    DATA = 0  # payload: the bytes of a `send`
    ACK = 1  # message `seq` was taken, by a core on another machine
    NACK = 2  # message `seq` met a receive of another size, there; payload: both sizes
    SYNC = 3  # event `arg` += 1
    HELLO = 4  # payload: token of the run; opens a connection
    LOAD = 10  # `size` bytes at address `arg`
    LOADED = 11
    STORE = 12  # payload goes to address `arg`; `seq` counts stores and captures of the core, this one included
    STORED = 13  # the store or capture of a core on another machine is complete
    FAULT = 14  # the load or store was refused; payload: reason, value, limit
    CAPTURE = 15  # payload: content of buffer `arg`
    DONE = 16  # the core, and perhaps all, have finished `sample`; `size`: it asks for the next; `arg`: what it leaves
    BEGIN = 17  # `arg` samples may begin
    BIND = 20  # payload: token, endpoint, peers; a core joins the barrier
    TABLE = 21  # payload: endpoints of the peers, and who will say hello
    READY = 22  # all hellos of the core were exchanged
    GO = 23
    PUT = 24  # payload: the inputs of `sample`
    RESULT = 25  # payload: outputs and captures of `sample`


class FrameHeader(NamedTuple):
    """The fields of a header; `seq` counts the messages of the pair, `arg` is explained by `FrameKind`."""

    kind: FrameKind
    src: int
    seq: int = 0
    sample: int = 0
    size: int = 0
    arg: int = 0


class MalformedFrame(ValueError):
    """Bytes that are no header or control payload of this version."""


_KINDS = {int(kind): kind for kind in FrameKind}
_packer = msgpack.Packer()
_FIELDS = len(FrameHeader._fields)
_INTEGERS = {int}
pack_header = _packer.pack  # packs the tuple of `encode_header`


def encode_header(kind: int, src: int, seq: int = 0, sample: int = 0, size: int = 0, arg: int = 0) -> bytes:
    """The bytes of a header of `kind`; equal fields make equal bytes."""
    return pack_header((VERSION, kind, src, seq, sample, size, arg))


def decode_header(data: bytes) -> FrameHeader:
    """The header in `data`; fields that a later version appends are ignored. Raises MalformedFrame."""
    if len(data) > MAX_HEADER:
        raise MalformedFrame("header too long")
    try:
        values = msgpack.unpackb(data)
    except Exception as error:  # msgpack raises many types
        raise MalformedFrame("header is no msgpack") from error
    if not isinstance(values, list) or len(values) <= _FIELDS or values[0] != VERSION:
        raise MalformedFrame("header of another version")
    if set(map(type, values[1 : _FIELDS + 1])) != _INTEGERS or values[1] not in _KINDS:
        raise MalformedFrame("header fields are no integers")
    return FrameHeader(_KINDS[values[1]], *values[2 : _FIELDS + 1])


def encode_control(value: Any) -> bytes:
    """A control payload: plain values as msgpack."""
    return _packer.pack(value)


def decode_control(data: bytes) -> Any:
    """The plain values of a control payload; raises MalformedFrame."""
    if len(data) > MAX_CONTROL:
        raise MalformedFrame("control payload too long")
    try:
        return msgpack.unpackb(data, strict_map_key=False)
    except Exception as error:
        raise MalformedFrame("control payload is no msgpack") from error
