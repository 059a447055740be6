"""The frames of a link: numbered messages, and beats, which say how far each end has come; plain values in msgpack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgpack

from emu.errors import shown

LARGEST = 1 << 24  # bytes of a frame that an agent may send; pieces of files, which are larger than most, have 1 MB
_TEXTS = "surrogatepass"  # names of files may hold bytes that are no text
_ROOM = 4096  # bytes of a frame, at first, beside those of values that are bytes
NO_NUMBER = 0  # in place of a number: the frame is a beat


Fields = Mapping[str, type]  # of values by name: the type of each, `object` of any


class Message(NamedTuple):
    """A message of the kind `kind`, whose values have names; the first one that an end says has the number 1."""

    number: int
    kind: str
    values: dict[str, Any]


class Beat(NamedTuple):
    """The sender has said messages up to `said` and heard those up to `heard`.

    So often it has `asked` for those that it misses, and so many times of the receiver's asking has it `served`.
    The beat was said at `now`, `held` ns after the sender had heard one that was said at `echo` (0: none yet), each
    by the clock of who said it, in ns.
    """

    said: int
    heard: int
    asked: int
    served: int
    now: int = 0
    echo: int = 0
    held: int = 0


def encode_message(message: Message) -> bytes:
    """The frame of a message; bytes and memory views among the values travel as bytes."""
    room = _ROOM + sum(len(value) for value in message.values.values() if isinstance(value, bytes))
    data: bytes = msgpack.packb(list(message), unicode_errors=_TEXTS, buf_size=room)  # less would grow, and be copied
    return data


def encode_beat(beat: Beat) -> bytes:
    """The frame of a beat."""
    data: bytes = msgpack.packb([NO_NUMBER, *beat])
    return data


def decode_frame(frame: bytes | memoryview) -> Message | Beat | None:
    """What a frame holds; None if it is none that an end of a link sends."""
    try:
        fields = msgpack.unpackb(frame, strict_map_key=False, unicode_errors=_TEXTS)
    except Exception:  # msgpack raises many types: keys may be lists, which no dictionary takes
        return None
    match fields:
        case [0, int(), int(), int(), int(), int(), int(), int()] if min(fields) >= 0:
            return Beat(*fields[1:])
        case [int(number), str(kind), dict(values)] if number > 0 and all(isinstance(name, str) for name in values):
            return Message(number, kind, values)
        case _:
            return None


def unfit(values: Mapping[str, Any], fields: Fields) -> str:
    """What is wrong with `values`, which should have the names and types of `fields`; empty if nothing is."""
    for name in values.keys() - fields.keys():
        return f"{shown(name)} is unknown"
    for name, kind in fields.items():
        if name not in values:
            return f"{name} is missing"
        if kind is not object and type(values[name]) is not kind:
            return f"{name} is {shown(values[name])}"
    return ""
