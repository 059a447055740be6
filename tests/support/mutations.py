"""Damages files as crashes, bad disks and strangers do: bytes, text lines, JSON trees, msgpack maps."""

from __future__ import annotations

import copy
import json
import random
import re
import struct

import msgpack

EXTREMES = (0, 1, 2, 127, 128, 255, 256, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1)
NUMBERS = (*EXTREMES, -1, -2, -(1 << 31), -(1 << 63), 1 << 64, 10**30, 10**400)
ODD = (
    *NUMBERS[:-1],
    None,
    True,
    False,
    "",
    "x",
    "\ud800",
    "../../etc/passwd",
    "/etc/passwd",
    "\0",
    [],
    {},
    [[]],
    0.5,
    1e308,
)
WORDS = re.compile(rb"-?\d+")


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def set_bytes(rng: random.Random, data: bytes) -> bytes:
    place, size = rng.randrange(len(data)), rng.choice((1, 2, 4, 16))
    return data[:place] + rng.randbytes(size) + data[place + size :]


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def extend(rng: random.Random, data: bytes) -> bytes:
    return data + rng.choice((rng.randbytes(rng.randrange(1, 64)), bytes(rng.randrange(1, 4096)), data))


def cut_out(rng: random.Random, data: bytes) -> bytes:
    begin = rng.randrange(len(data))
    return data[:begin] + data[begin + rng.randrange(1, 33) :]


def repeat(rng: random.Random, data: bytes) -> bytes:
    begin = rng.randrange(len(data))
    end = begin + rng.randrange(1, 65)
    return data[:end] + data[begin:end] * rng.choice((1, 1, 50)) + data[end:]


def swap(rng: random.Random, data: bytes) -> bytes:
    first, second = sorted(rng.randrange(len(data)) for _ in range(2))
    size = rng.randrange(1, 33)
    return data[:first] + data[second : second + size] + data[first + size :]


def length_field(rng: random.Random, data: bytes) -> bytes:
    """Some place holds a huge, small or negative integer now."""
    form = rng.choice(("<H", "<I", "<Q", ">H", ">I", ">Q"))
    size = struct.calcsize(form)
    place = rng.randrange(max(1, len(data) - size))
    return data[:place] + struct.pack(form, rng.choice(EXTREMES) % (1 << 8 * size)) + data[place + size :]


def number_in_text(rng: random.Random, data: bytes) -> bytes:
    places = list(WORDS.finditer(data[:1000000]))
    if not places:
        return flip_bits(rng, data)
    place = rng.choice(places)
    return data[: place.start()] + str(rng.choice(NUMBERS)).encode() + data[place.end() :]


def lines_of_text(rng: random.Random, data: bytes) -> bytes:
    """A line is lost, doubled or moved."""
    lines = data.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def nest(rng: random.Random, data: bytes) -> bytes:
    """Brackets within brackets."""
    place = rng.randrange(len(data))
    return data[:place] + rng.choice((b"[", b"{", b"(", b'{"a":', b"\x91", b"\x81\xa1a")) * 20000 + data[place:]


def json_tree(rng: random.Random, data: bytes) -> bytes:
    """A value is another one, a key is missing, doubled or unknown."""
    tree = json.loads(data)
    parent, key = _place(rng, tree)
    kind = rng.randrange(4)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        parent[key] = rng.choice(ODD)
    elif kind == 2 and isinstance(parent, list):
        parent.extend([copy.deepcopy(parent[key])] * rng.choice((1, 3, 1000)))
    else:
        (parent.append if isinstance(parent, list) else lambda value: parent.update({"strange": value}))(
            rng.choice(ODD)
        )
    text = json.dumps(tree)
    if rng.randrange(10) == 0:
        text = text.replace("{", '{"version": 1,', rng.randrange(1, 4))
    return text.encode()


def _place(rng: random.Random, tree: object) -> tuple[list | dict, int | str]:
    parent, key = [tree], 0
    while True:
        value = parent[key]
        if not isinstance(value, list | dict) or not value or (parent[0] is not tree and rng.randrange(5) == 0):
            return parent, key
        parent, key = value, rng.choice(list(value) if isinstance(value, dict) else range(len(value)))


def msgpack_map(rng: random.Random, data: bytes) -> bytes:
    """A column has one other number, another length or type, or is gone."""
    record = msgpack.unpackb(data)
    key = rng.choice(list(record))
    value = record[key]
    kind = rng.randrange(8)
    if kind == 0:
        del record[key]
    elif kind == 1 or not isinstance(value, list) or not value[1]:
        record[key] = rng.choice([odd for odd in ODD if odd != "\ud800" and not _too_wide(odd)])
    elif kind == 2:
        record[key] = [value[0], value[1] * rng.choice((0, 2, 3))]
    else:
        size = int(value[0][-1]) if value[0][-1].isdecimal() else 1
        content = bytearray(value[1])
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(max(1, len(content) // size)) * size
            number = rng.choice(NUMBERS) if rng.randrange(2) else rng.randrange(300)
            content[place : place + size] = (number % (1 << 8 * size)).to_bytes(size, "little")
        record[key] = [value[0], bytes(content)]
    return msgpack.packb(record)


def _too_wide(value: object) -> bool:
    return isinstance(value, int) and not -(1 << 63) <= value < 1 << 64


BINARY = (flip_bits, set_bytes, truncate, extend, cut_out, repeat, swap, length_field)
TEXT = (*BINARY, number_in_text, number_in_text, number_in_text, lines_of_text, lines_of_text, nest)
JSON = (*TEXT, *[json_tree] * 10)
MSGPACK = (*BINARY, nest, *[msgpack_map] * 12)


def mutate(rng: random.Random, data: bytes, mutators: tuple) -> bytes:
    """One or a few damages, one after the other; never the same file again."""
    found = data
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        try:
            found = rng.choice(mutators)(rng, found or b"\0")
        except (
            ValueError,
            KeyError,
            TypeError,
            IndexError,
            RecursionError,
            msgpack.UnpackException,
        ):  # no tree any more
            found = rng.choice(BINARY)(rng, found or b"\0")
    return found if found != data else data + b"\0"
