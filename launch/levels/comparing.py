"""Compares values of two levels: integers exactly, floats as outputs are compared with golden ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np

from launch.golden.verdict import FEW, FLOAT_TOLERANCE, KEPT_SLACK, MORE


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedLevel:
    """A value as it is expected, and how far an element may be off: where rounding moves it, `room`, as `few` may."""

    array: np.ndarray
    scale: float
    room: float = 0.0
    few: int = 0

    @staticmethod
    def of(array: np.ndarray, perturbed: list[np.ndarray] | None = None) -> ExpectedLevel:
        """A value, and the same with floats a little off before they are rounded."""
        off = [np.nan_to_num(_off(array, other), nan=np.inf) for other in perturbed or []]
        room = MORE * max((float(each.max(initial=0)) for each in off), default=0.0)
        least = limit_of(array, largest(array))
        moved = max((int(np.count_nonzero(each > least)) for each in off), default=0)
        return ExpectedLevel(
            array, largest(array), room, max(ceil(FEW * array.size), ceil(MORE * moved)) if room else 0
        )


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far a value is off: the worst element, as a share of its limit, and how many are beyond it."""

    share: float
    index: tuple[int, ...] = ()
    before: Any = 0
    after: Any = 0
    elements: int = 0
    of: int = 0
    limit: float = 0.0


RIGHT = Deviation(0.0)


def largest(array: np.ndarray) -> float:
    """The largest finite magnitude."""
    if array.dtype.kind != "f":
        return 0.0
    sizes = np.abs(array[np.isfinite(array)])
    return float(sizes.max(initial=0))


def limit_of(array: np.ndarray, scale: float) -> float:
    """How far an element may be off, where the largest of all is `scale`."""
    if array.dtype.kind != "f":
        return 0.0
    return FLOAT_TOLERANCE[array.dtype.itemsize] * scale or float(np.finfo(array.dtype).eps)


def _off(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far apart elements are; NaN where only one is, or infinities differ."""
    if a.dtype.kind != "f":
        return np.abs(a.astype(np.int64) - b.astype(np.int64))
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        return np.where(same, 0.0, np.abs(a.astype(np.float64) - b.astype(np.float64)))


def compare(got: np.ndarray, want: np.ndarray, known: ExpectedLevel) -> Deviation:
    """How far `got` is off from `want`, which is all of `known` or a part."""
    off = np.nan_to_num(_off(want, got), nan=np.inf)
    least = limit_of(want, known.scale)
    beyond = int(np.count_nonzero(off > least))
    if not beyond:
        return Deviation(float(off.max(initial=0) / least)) if least else RIGHT
    limit = max(least, known.room) if beyond <= known.few else least
    worst = float(off.max())
    if worst <= limit:
        return RIGHT
    place = np.unravel_index(int(off.argmax()), off.shape)
    index = tuple(int(k) for k in place)
    return Deviation(worst / limit if limit else np.inf, index, want[place].item(), got[place].item(),
               int(np.count_nonzero(off > limit)), off.size, limit)  # fmt: skip


@dataclass(slots=True)
class Worst:
    """The values of a level that are off, in order; what of them tells where the level went wrong."""

    found: list[tuple[Any, Deviation]] = field(default_factory=list[tuple[Any, Deviation]])
    refuted: bool = False
    compared: int = 0

    def add(self, what: Any, off: Deviation, final: bool = False) -> None:
        """One more value; those inside of a network may be off by more before that counts."""
        self.compared += 1
        if off.share > 1:
            self.found.append((what, off))
            self.refuted |= off.share > (1 if final else KEPT_SLACK)

    def first(self) -> tuple[Any, Deviation] | None:
        """The first that is off as far as the worst one explains; None if the level is right."""
        if not self.refuted:
            return None
        most = max(off.share for _, off in self.found)
        least = max(1.0, min(most / 1000, KEPT_SLACK))
        return next((what, off) for what, off in self.found if off.share >= least)
