"""Distances at which a sequence may repeat itself: a guess, made from how far back the same few rows stood before."""

from __future__ import annotations

import numpy as np

_LONGEST = 1 << 12  # rows that are compared as one
_LEVELS_OF_LONG = 2  # how often the length doubles between two looks at a long sequence
_LONG = 20_000
_WORK = 500_000  # periods times rows that are tried in one pass
_FEWEST, _MOST = 8, 64  # periods per look
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15))


def likely_periods(shape: np.ndarray, value: np.ndarray) -> list[int]:
    """Periods worth a try, ascending.

    `shape` [rows] says which rows may be the same row of a loop, `value` (uint64 [rows]) is linear in the fields.
    Counted are the distances to where the same 1, 2, 4, ... rows stood before, and to where they stood with the same
    step of their values: an address that runs in a ring has the period of the ring there.
    """
    rows = len(shape)
    most = max(_FEWEST, min(_MOST, _WORK // max(rows, 1)))
    gram, length, level = _mixed(shape.astype(np.uint64)), 1, 0
    found: set[int] = set()
    while length <= min(_LONGEST, rows // 2):
        if rows <= _LONG or level % _LEVELS_OF_LONG == 0:
            place, distance = _before(gram, np.arange(len(gram), dtype=np.uint64))
            if not len(place):
                break
            often = _commonest(distance, most)
            found |= often
            for period in often:  # rows of one kind, one after the other, hide the body that they are part of
                longest = min(most, (length + period) // (2 * period))
                found |= {period * times for times in range(2, longest + 1)}
            step = value[place] - value[place - distance]
            order = np.argsort(place)
            place, step = place[order], step[order]
            found |= _commonest(_before(gram[place] ^ _mixed(step), place.astype(np.uint64))[1], most)
        gram = _mixed(gram[:-length] + _MIX[2] * gram[length:])
        length, level = 2 * length, level + 1
    return sorted(found)


def _mixed(key: np.ndarray) -> np.ndarray:
    """Well mixed bits (the finisher of splitmix64)."""
    key = (key + _MIX[2]) ^ (key >> np.uint64(30))
    key *= _MIX[0]
    key ^= key >> np.uint64(27)
    key *= _MIX[1]
    return key ^ (key >> np.uint64(31))


def _before(key: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places whose key occurred before, and the distance to the last such place (int64 each).

    Key and place are sorted as one number, which is several times faster than a stable sort of the places.
    """
    if not len(key):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    bits = np.uint64(int(place[-1]).bit_length())
    packed = np.sort((key << bits) | place)
    same = (packed[1:] >> bits) == (packed[:-1] >> bits)
    at = (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    later = at[1:][same]
    return later, later - at[:-1][same]


def _commonest(distance: np.ndarray, most: int) -> set[int]:
    """The most frequent distances."""
    if not len(distance):
        return set()
    counts = np.bincount(distance)
    top = np.argpartition(counts, -most)[-most:] if len(counts) > most else np.arange(len(counts))
    return {int(period) for period in top if period and counts[period]}
