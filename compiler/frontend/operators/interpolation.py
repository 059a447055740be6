"""Where Resize takes elements from along one axis, and with which weights: numbers, without nodes and values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from compiler.basis.weights import Array

CROP = "tf_crop_and_resize"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: `size` elements become `count`, `scale` times as many but for rounding; `roi` is the part that is kept.

    `roi` is from 0 to 1, and only looked at where coordinates are those of CROP.
    """

    size: int
    count: int
    scale: float
    roi: tuple[float, float] = (0.0, 1.0)

    @property
    def length(self) -> float:
        """The length of the result before it is rounded."""
        return self.scale * self.size

    @property
    def still(self) -> bool:
        """Whether nothing changes along it."""
        return self.size == self.count and self.scale == 1 and self.roi == (0.0, 1.0)


def _half_pixel(axis: Axis, at: Array) -> Array:
    return (at + 0.5) / axis.scale - 0.5


def _symmetric(axis: Axis, at: Array) -> Array:
    """The only one whose terms are rounded each: a whole position must not end up beside itself."""
    return np.round(axis.size / 2 * (1 - axis.count / axis.length) + (at + 0.5) / axis.scale - 0.5, 9)


def _align_corners(axis: Axis, at: Array) -> Array:
    return 0 * at if axis.length == 1 else at * (axis.size - 1) / (axis.length - 1)


def _crop(axis: Axis, at: Array) -> Array:
    first, last = (bound * (axis.size - 1) for bound in axis.roi)
    return 0 * at + (first + last) / 2 if axis.length == 1 else first + at * (last - first) / (axis.length - 1)


_COORDINATES: Mapping[str, Callable[[Axis, Array], Array]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _symmetric,
    "pytorch_half_pixel": lambda axis, at: _half_pixel(axis, at) if axis.count > 1 else 0 * at,
    "tf_half_pixel_for_nn": lambda axis, at: (at + 0.5) / axis.scale,
    "align_corners": _align_corners,
    "asymmetric": lambda axis, at: at / axis.scale,
    CROP: _crop,
}
_ROUNDINGS: Mapping[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
COORDINATES, ROUNDINGS = tuple(_COORDINATES), tuple(_ROUNDINGS)


def positions(axis: Axis, mode: str, dtype: type[np.floating] = np.float64) -> Array:
    """Where in the operand each element of the result lies [count], in steps of its elements, computed in `dtype`."""
    return _COORDINATES[mode](axis, np.arange(axis.count, dtype=dtype))


def outside(axis: Axis, at: Array) -> Array:
    """Which positions are beyond the first or the last element [count]."""
    return (at < 0) | (at > axis.size - 1)


def nearest(axis: Axis, at: Array, rounding: str) -> Array:
    """The index of the element next to each position [count]."""
    return np.clip(_ROUNDINGS[rounding](at), 0, axis.size - 1).astype(np.int64)


def linear(distance: Array) -> Array:
    """The weight of an element by its distance: 1 at 0, 0 from 1 on."""
    return np.clip(1 - distance, 0, 1)


def cubic(distance: Array, a: float) -> Array:
    """The weight of an element by its distance, up to 2 (Keys 1981, equation 4)."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0.0))


def weights(
    axis: Axis, at: Array, kernel: Callable[[Array], Array], reach: int, *, stretch: bool, exclude: bool
) -> Array:
    """What each element of the result is made of: float32 [count, size].

    `kernel` weighs elements up to a distance of `reach`; `stretch`: further, where the axis becomes shorter. Elements
    beyond the ends are those at the ends, or left out where they are to be excluded.
    """
    squeeze = min(axis.scale, 1.0) if stretch else 1.0
    around = int(np.ceil(reach / squeeze))
    taps = np.floor(at)[:, None] + np.arange(-around, around + 2)
    weight = kernel(np.abs(taps - at[:, None]) * squeeze)
    if exclude:
        weight = np.where((taps < 0) | (taps > axis.size - 1), 0.0, weight)
    total = weight.sum(axis=1, keepdims=True)
    weight = weight / np.where(total == 0, 1.0, total)
    matrix = np.zeros((axis.count, axis.size))
    rows = np.broadcast_to(np.arange(axis.count)[:, None], taps.shape)
    np.add.at(matrix, (rows, np.clip(taps, 0, axis.size - 1).astype(np.int64)), weight)
    return matrix.astype(np.float32)
