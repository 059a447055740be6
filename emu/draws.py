"""Random numbers that depend on the seed and on where they are used alone: counter-based, the same on every processor.

A number is found from its place, not from the numbers before it: trials, processes and batches may be cut in any way.
Only integer arithmetic and a table of float32 are used, so no processor rounds otherwise than another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from statistics import NormalDist

import numpy as np

from emu.room import room

F32, U64, INDEX = np.dtype(np.float32), np.dtype(np.uint64), np.dtype(np.intp)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # of SplitMix64: Steele, Lea and Flood, OOPSLA 2014, as is what follows
_MIXING = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)), (31, np.uint64(1)))
_QUANTILES = 1 << 16  # a word of 64 bits chooses four of them
_BLOCK = 1 << 14  # words at once: they and their numbers stay in the cache


def generator(seed: int, *place: int | str) -> np.random.Generator:
    """The generator of all that is drawn at once at a place; Philox (Salmon et al., SC 2011), keyed by a digest."""
    return np.random.Generator(np.random.Philox(key=int.from_bytes(_digest(seed, place, 16), "little")))


def vector_keys(seed: int, place: Sequence[int | str], counters: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Keys of the vectors of one call, uint64 [count]: each depends on seed, place and its counters alone.

    `counters` are integers of any shapes that broadcast to `count` elements; their order matters, their shapes do not.
    Raises ValueError if they are as many as other vectors.
    """
    box = np.broadcast_shapes(*(counter.shape for counter in counters))
    keys = np.full(box, int.from_bytes(_digest(seed, place, 8), "little"), np.uint64)
    for counter in counters:
        keys += counter.astype(np.uint64) * _GOLDEN
        _mix(keys)
    return keys.reshape(count)


def normals(keys: np.ndarray, first: int, count: int, lent: bool = False) -> np.ndarray:
    """Numbers first .. first + count of the sequence of standard normal numbers of each key: float32 [keys, count].

    They are quantiles in the middle of 65,536 equal shares: none is beyond 4.33, and their variance is 0.99998. If
    they are `lent`, the next ones that are overwrite them.
    """
    low, high = first // 4, -(-(first + count) // 4)
    shape = len(keys), 4 * (high - low)
    found = room("normals", shape, F32) if lent else np.empty(shape, F32)
    steps = np.arange(low + 1, high + 1, dtype=np.uint64) * _GOLDEN
    tall = max(1, _BLOCK // max(1, len(steps)))
    for top in range(0, len(keys), tall):
        for left in range(0, len(steps), _BLOCK):
            some, places = keys[top : top + tall, None], steps[left : left + _BLOCK]
            words = np.add(some, places, out=room("words", (len(some), len(places)), U64))
            _mix(words)
            _chosen(words, found[top : top + tall, 4 * left : 4 * (left + _BLOCK)])
    start = first - 4 * low
    return found[:, start : start + count]


def normal(draw: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Standard normal numbers of a generator, float64 [shape], of the same table as `normals`."""
    count = math.prod(shape)
    found = np.empty((1, -(-count // 4) * 4), np.float32)
    _chosen(np.atleast_2d(draw.bit_generator.random_raw(found.size // 4)), found)
    return found[0, :count].astype(np.float64).reshape(shape)


def _digest(seed: int, place: Sequence[int | str], size: int) -> bytes:
    """Of seed and place: a number and its text are different places."""
    path = [part if isinstance(part, str) else int(part) for part in place]
    return blake2b(repr((int(seed), path)).encode(), digest_size=size).digest()


def _mix(words: np.ndarray) -> None:
    """Exchange words, uint64, by well mixed ones: what SplitMix64 does with its counter."""
    shifted = room("shifted words", words.shape, U64)
    for shift, factor in _MIXING:
        np.right_shift(words, np.uint64(shift), out=shifted)
        np.bitwise_xor(words, shifted, out=words)
        if factor != 1:
            np.multiply(words, factor, out=words)


def _chosen(words: np.ndarray, found: np.ndarray) -> None:
    """found [rows, 4 words] = the quantiles that words, uint64 [rows, words], choose: the lowest bits first."""
    numbers = words.astype("<u8", copy=False).view("<u2")
    places = room("places", numbers.shape, INDEX)  # of the type that is taken by: others would fill a copy, as "raise"
    places[...] = numbers
    if found.flags.c_contiguous:
        np.take(_quantiles(), places, out=found, mode="clip")
    else:
        found[...] = np.take(_quantiles(), places, mode="clip")


@cache
def _quantiles() -> np.ndarray:
    """Standard normal quantiles in the middle of equal shares, rising: float32, exactly symmetric.

    None lies so close to a tie of float32 that the last bits of a processor's logarithm could decide.
    """
    quantile = NormalDist().inv_cdf
    upper = [quantile((_QUANTILES // 2 + place + 0.5) / _QUANTILES) for place in range(_QUANTILES // 2)]
    half = np.array(upper, np.float32)
    return np.concatenate([-half[::-1], half])
