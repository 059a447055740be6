"""The numbers behind a verdict: differences of two arrays, sample by sample, in pieces of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

PIECE = 1 << 20  # elements looked at together, but for samples that are larger


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences of two arrays (samples,) + shape; `limits` is the largest difference allowed, per sample.

    `max_abs` and `max_golden` are over the elements where both are finite, `relative` is the largest difference over
    the magnitude of its sample, `odd` are elements where only one side is NaN, or infinities differ.
    """

    limits: np.ndarray
    floor: float
    max_abs: float
    max_golden: float
    relative: float
    mismatches: int
    odd: int
    failed_samples: int
    worst: tuple[int, ...]  # (sample, *index) of the element that is furthest beyond its limit; () if all are equal
    nans: int
    golden_nans: int
    moved: int  # elements within `limits` that would not be but for the `room`
    per_sample: np.ndarray  # the largest difference of each sample, over the elements where both are finite


def measure(
    got: np.ndarray,
    want: np.ndarray,
    share: float,
    floor_share: float,
    bare_floor: float,
    room: np.ndarray | None = None,
) -> Differences:
    """Compare arrays of one shape; limits are `share` of the largest golden magnitude of each sample, or the floor.

    The floor is `floor_share` of the largest golden magnitude of all samples; `bare_floor` if that is 0. Where a sample
    has more `room` than its limit, that is its limit.
    """
    sizes = np.zeros(len(want))  # largest finite golden magnitude per sample
    golden_nans = 0
    for part in _pieces(want):
        piece = _wide(want[part])
        finite = _finite(piece)
        sizes[part] = np.max(np.where(finite, abs(piece), 0), axis=1, initial=0)
        golden_nans += _count_nans(piece)
    largest = float(sizes.max(initial=0.0))
    floor = floor_share * largest or bare_floor
    limits = np.maximum(share * sizes, floor)
    close, limits = limits, limits if room is None else np.maximum(limits, room)
    total = _Total(got.shape, close, limits)
    for part in _pieces(want):
        total.add(part.start, _wide(got[part]), _wide(want[part]))
    scales = np.maximum(sizes, floor / share if share else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(total.per_sample > 0, total.per_sample / scales, 0.0)
    return Differences(
        limits,
        floor,
        float(total.per_sample.max(initial=0.0)),
        largest,
        float(relative.max(initial=0.0)),
        total.mismatches,
        total.odd,
        total.failed,
        total.worst,
        total.nans,
        golden_nans,
        total.moved,
        total.per_sample,
    )


class _Total:
    """Accumulates differences over pieces of the arrays."""

    def __init__(self, shape: tuple[int, ...], close: np.ndarray, limits: np.ndarray) -> None:
        self._shape, self._close, self._limits = shape, close, limits
        self.per_sample = np.zeros(len(limits))  # largest finite difference
        self.mismatches = self.moved = self.odd = self.failed = self.nans = 0
        self.worst: tuple[int, ...] = ()
        self._beyond = 0.0

    def add(self, start: int, got: np.ndarray, want: np.ndarray) -> None:
        diff = _differences(got, want)
        stop = start + len(diff)
        limits = self._limits[start:stop, None]
        finite = np.isfinite(diff)
        wrong = diff > limits
        self.per_sample[start:stop] = np.max(diff, axis=1, initial=0.0, where=finite)
        self.mismatches += int(np.count_nonzero(wrong))
        self.moved += int(np.count_nonzero((diff > self._close[start:stop, None]) & ~wrong))
        self.odd += int(np.count_nonzero(~finite))
        self.failed += int(np.count_nonzero(wrong.any(axis=1)))
        self.nans += _count_nans(got)
        beyond = np.divide(diff, limits, out=diff.copy(), where=limits > 0)
        place = int(beyond.argmax()) if beyond.size else 0
        if beyond.size and beyond.flat[place] > self._beyond:
            self._beyond = float(beyond.flat[place])
            index = np.unravel_index(start * diff.shape[1] + place, self._shape)
            self.worst = tuple(int(k) for k in index)


def _pieces(array: np.ndarray) -> Iterator[slice]:
    """Pieces of some samples each."""
    count = max(1, PIECE // max(1, array[:1].size))
    for start in range(0, len(array), count):
        yield slice(start, min(start + count, len(array)))


def _wide(piece: np.ndarray) -> np.ndarray:
    """Samples as rows of a type in which differences are exact, or as good as that."""
    flat = piece.reshape(len(piece), -1)
    if piece.dtype.kind == "f":
        return flat.astype(np.float64)
    return flat.astype(object if piece.dtype.itemsize == 8 else np.int64)


def _finite(piece: np.ndarray) -> np.ndarray:
    return np.isfinite(piece) if piece.dtype.kind == "f" else np.ones(piece.shape, np.bool_)


def _count_nans(piece: np.ndarray) -> int:
    return int(np.count_nonzero(np.isnan(piece))) if piece.dtype.kind == "f" else 0


def _differences(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """|got - want| as float64; infinite where only one is NaN, or where infinities differ."""
    finite = _finite(got) & _finite(want)
    if finite.all():
        with np.errstate(over="ignore"):
            return abs(got - want).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        same = (got == want) | (np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64)))
        return np.where(finite, abs(got - want), np.where(same, 0.0, np.inf)).astype(np.float64)


def classes(outputs: np.ndarray) -> np.ndarray:
    """Index of the largest element of each sample."""
    return outputs.reshape(len(outputs), -1).argmax(axis=1)
