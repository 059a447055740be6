"""Sizes of messages: fixed or drawn from a distribution, in whole words of four bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from emu.errors import InputError, option

WORD = 4  # bytes
MIN_SIZE = 3 * WORD  # sequence number, checksum, one word of data
MAX_SIZE = 1 << 30

Draw = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True, slots=True)
class MessageSizes:
    """A distribution of message sizes in bytes, as it was written."""

    text: str
    largest: int
    draw: Draw  # (rng, count) -> int64 [count]


def parse_sizes(text: str) -> MessageSizes:
    """`N`, `fixed:N`, `uniform:A,B` (both ends included) or `bimodal:A,B,P` (B with probability P)."""
    kind, colon, rest = text.partition(":")
    if not colon:
        kind, rest = "fixed", text
    fields = rest.split(",")
    if kind not in _KINDS or len(fields) != _KINDS[kind][0]:
        raise InputError(f"{option('size')} {text!r} is unknown: use N, fixed:N, uniform:A,B or bimodal:A,B,P")
    return _KINDS[kind][1](text, fields)


def _fixed(text: str, fields: Sequence[str]) -> MessageSizes:
    size = _bytes(text, fields[0])
    return MessageSizes(text, size, lambda rng, count: np.full(count, size, np.int64))


def _uniform(text: str, fields: Sequence[str]) -> MessageSizes:
    low, high = (_bytes(text, field) for field in fields)
    if low > high:
        raise InputError(f"{option('size')} {text!r}: the first size must not be larger than the second")
    return MessageSizes(
        text, high, lambda rng, count: WORD * rng.integers(low // WORD, high // WORD, count, endpoint=True)
    )


def _bimodal(text: str, fields: Sequence[str]) -> MessageSizes:
    first, second = (_bytes(text, field) for field in fields[:2])
    try:
        share = float(fields[2])
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InputError(f"{option('size')} {text!r}: {fields[2]!r} is no probability between 0 and 1")
    return MessageSizes(text, max(first, second), lambda rng, count: np.where(rng.random(count) < share, second, first))


def _bytes(text: str, field: str) -> int:
    value = int(field) if field.isdecimal() and len(field) < 12 else -1
    if not MIN_SIZE <= value <= MAX_SIZE or value % WORD:
        raise InputError(
            f"{option('size')} {text!r}: {field!r} is no multiple of {WORD} from {MIN_SIZE} to {MAX_SIZE} bytes"
        )
    return value


_KINDS: dict[str, tuple[int, Callable[[str, Sequence[str]], MessageSizes]]] = {
    "fixed": (1, _fixed),
    "uniform": (2, _uniform),
    "bimodal": (3, _bimodal),
}
