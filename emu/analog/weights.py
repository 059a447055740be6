"""Weights as slices: numbers to integers of so many bits, or shares of a range, and these to what cells hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from emu.arch import Arch
from emu.arch.analog import PAIRED
from emu.isa.dtypes import DType

USUAL_BITS = 8  # of floats that are sliced, where a description does not say


@dataclass(frozen=True, slots=True)
class WeightSlice:
    """What the cells of one slice hold, as shares of their range, float64 [rows, cols]; `minus` of pairs alone.

    A current counts `factor` times in units of one step of a cell, of which its range has `steps`. `whole`: shares are
    whole steps. `zero` is what a column of zeros would hold.
    """

    plus: np.ndarray
    minus: np.ndarray | None
    factor: float
    steps: int
    whole: bool
    zero: float = 0.0


@dataclass(frozen=True, slots=True)
class SlicedWeights:
    """The slices of a matrix [rows, cols]: w = scale x (sum of factor x steps x (plus - minus) - offset).

    `scale` is a number, or one per column; `clipped` are weights beyond the range. `codes` are the integers that
    slices hold together, float64 [rows, cols]; None where they hold no integers. `rounded`: that is not what was given.
    """

    slices: tuple[WeightSlice, ...]
    scale: float | np.ndarray
    offset: float
    clipped: int
    codes: np.ndarray | None
    rounded: bool

    def programmed(self, exact: bool) -> SlicedWeights:
        """The same without what cells hold by now, and unless products are `exact`, without codes."""
        nothing = np.empty((0, 0))
        slices = tuple(replace(one, plus=nothing, minus=None) for one in self.slices)
        return replace(self, slices=slices, codes=self.codes if exact else None)


def slicing_of(arch: Arch) -> str:
    """The way in which signs are held."""
    return arch.mapping.slicing or ("differential" if arch.crossbar.differential else "offset")


def sliced(arch: Arch, weights: np.ndarray, dtype: DType) -> SlicedWeights:
    """The slices of `weights` [rows, cols], which are of type `dtype`."""
    if not dtype.is_float:
        codes = weights.astype(np.float64)
        return _of_codes(arch, codes, dtype.size * 8, dtype.is_signed, 1.0, 0, rounded=False)
    shares, largest, clipped = _shares(arch, weights.astype(np.float64))
    bits, slicing = float_bits(arch), slicing_of(arch)
    if slicing == "two-sided" and arch.mapping.weight_bits is None:  # each cell is rounded by itself
        return _of_shares(slicing, shares, largest, clipped, _top(arch.crossbar.cell_bits))
    if bits is None:
        return _of_shares(slicing, shares, largest, clipped)
    top = float((1 << bits - 1) - 1)
    return _of_codes(arch, np.rint(shares * top), bits, True, largest / top, clipped, rounded=True)


def float_bits(arch: Arch) -> int | None:
    """Bits of weights of floats; None: they are not rounded."""
    return arch.mapping.weight_bits or (USUAL_BITS if arch.crossbar.cell_bits else None)


def _shares(arch: Arch, weights: np.ndarray) -> tuple[np.ndarray, float | np.ndarray, int]:
    """Weights of floats as shares of their range, that range, and how many lie beyond it."""
    mapping = arch.mapping
    axis = 0 if mapping.weight_scope == "column" else None
    if mapping.weight_max is not None:
        largest: float | np.ndarray = mapping.weight_max
    elif mapping.weight_percentile is None or mapping.weight_percentile >= 100:
        largest = np.abs(weights).max(axis=axis, initial=0.0)
    else:  # the larger one of both ends, as converters are symmetric
        ends = np.percentile(weights, (mapping.weight_percentile, 100 - mapping.weight_percentile), axis=axis)
        largest = np.abs(ends).max(axis=0)
    largest = np.where(largest > 0, largest, 1.0)
    shares = weights / largest
    clipped = int(np.count_nonzero(np.abs(shares) > 1))
    return np.clip(shares, -1.0, 1.0), largest if axis == 0 else float(largest), clipped


def _of_shares(
    slicing: str, shares: np.ndarray, largest: float | np.ndarray, clipped: int, steps: int = 0
) -> SlicedWeights:
    """Weights that are not rounded, each in one cell or pair, which has so many steps (0: no steps)."""
    if slicing == "differential":
        only = WeightSlice(np.maximum(shares, 0.0), np.maximum(-shares, 0.0), 1.0, 1, whole=False)
    elif slicing == "two-sided":
        plus, minus = ((1 + sign * shares) / 2 for sign in (1, -1))
        if steps:
            plus, minus = (np.rint(side * steps) / steps for side in (plus, minus))
        only = WeightSlice(plus, minus, 1 / max(steps, 1), max(steps, 1), whole=steps > 0, zero=0.5)
    else:
        only = WeightSlice((1 + shares) / 2, None, 2.0, 1, whole=False, zero=0.5)
    rounded = clipped > 0 or steps > 0
    return SlicedWeights((only,), largest, 0.0 if only.minus is not None else 1.0, clipped, None, rounded)


def _of_codes(
    arch: Arch, codes: np.ndarray, bits: int, signed: bool, scale: float | np.ndarray, clipped: int, rounded: bool
) -> SlicedWeights:
    """Integers of so many bits, the sign among them if they are `signed`, cut into what single cells hold."""
    slicing, width = slicing_of(arch), arch.crossbar.cell_bits
    magnitude = bits - 1 if signed else bits
    if slicing == "two-sided":
        reach = _top(magnitude) + (signed and not rounded)  # integers keep the lowest number of their type
        steps = _top(width) if width else 2 * reach
        plus, minus = (np.rint((1 + sign * codes / reach) / 2 * steps) / steps for sign in (1, -1))
        only = WeightSlice(plus, minus, reach / steps, steps, whole=True, zero=0.5)
        return SlicedWeights((only,), scale, 0.0, clipped, None if width else codes, rounded or width > 0)
    if slicing == "differential":
        digits, lost = _digits(np.abs(codes), magnitude, width)
        positive = codes > 0
        cut = [(np.where(positive, d, 0.0), np.where(positive, 0.0, d), f, n, 0.0) for d, f, n in digits]
        held, offset = np.sign(codes) * sum(digit * factor for digit, factor, _ in digits), 0.0
    elif slicing == "twos-complement" and signed:
        low, sign = float(1 << magnitude), (codes < 0).astype(np.float64)
        digits, lost = _digits(codes + low * sign, magnitude, width)
        cut = [*((d, None, f, n, 0.0) for d, f, n in digits), (sign, None, -low, 1, 0.0)]
        held, offset = codes, 0.0
    else:
        offset = float(1 << bits - 1) if signed else 0.0
        digits, lost = _digits(codes + offset, bits, width)
        zeros, _ = _digits(np.full(1, offset), bits, width)
        cut = [(d, None, f, n, float(z[0] / n)) for (d, f, n), (z, _, _) in zip(digits, zeros, strict=True)]
        held = codes
    slices = tuple(
        WeightSlice(plus / steps, None if minus is None else minus / steps, factor, steps, whole=True, zero=zero)
        for plus, minus, factor, steps, zero in cut
    )
    assert (slices[0].minus is not None) == (slicing in PAIRED)
    return SlicedWeights(slices, scale, offset, clipped + lost, held, rounded or lost > 0)


def _top(bits: int) -> int:
    return (1 << bits) - 1


def _digits(values: np.ndarray, bits: int, width: int) -> tuple[list[tuple[np.ndarray, float, int]], int]:
    """Values of at least 0 cut into digits of `width` bits, the lowest first: digit, weight, largest.

    What `bits` bits do not hold is taken by the uppermost digit as far as it goes; the rest is clipped, and its number
    given. A width of 0 is one digit that holds any value.
    """
    if not width:
        return [(values, 1.0, _top(bits))], 0
    count = max(1, -(-bits // width))
    whole = np.minimum(values, float(_top(width * count)))
    clipped = int(np.count_nonzero(whole != values))
    found: list[tuple[np.ndarray, float, int]] = []
    for place in range(count):
        whole, digit = np.divmod(whole, float(1 << width))
        found.append((digit, float(1 << width * place), _top(width)))
    return found, clipped
