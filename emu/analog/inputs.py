"""Inputs as pulses: numbers to integers, or shares of a range, and these to voltages of word lines, slice by slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.analog.weights import USUAL_BITS
from emu.arch import Arch
from emu.errors import ArchError
from emu.isa.dtypes import DType
from emu.room import room

F32 = np.dtype(np.float32)


@dataclass(frozen=True, slots=True)
class Codes:
    """Inputs x = scale x values: whole numbers (int32, int64), or shares of a range (float64); [vectors, rows].

    `scale` is a number, or [vectors, 1]; `clipped` inputs were beyond the range.
    """

    values: np.ndarray
    scale: float | np.ndarray
    clipped: int = 0


@dataclass(frozen=True, slots=True)
class Pulses:
    """The voltages of word lines, one pulse after the other: values = sum of factor x voltages.

    `voltages` [pulses, vectors, rows] are in steps of the driver: whole numbers (float32), or any (float64). `more` is
    one pulse more, which counts `more_factor` times, of the vectors with the numbers `some` alone.
    """

    voltages: np.ndarray
    factors: tuple[float, ...]
    some: np.ndarray | None = None
    more: np.ndarray | None = None
    more_factor: float = 0.0


class InputDriver:
    """What makes pulses of inputs of a type.

    `steps` has the whole voltage (0: any voltage); inputs may be `negative`, voltages are `signed`. A vector takes at
    most `most` pulses.
    """

    def __init__(self, arch: Arch, dtype: DType, largest: float | None = None) -> None:
        mapping = arch.mapping
        self._float, self._largest = dtype.is_float, largest
        self._range = mapping.input_range or "vector"
        if self._range == "fixed":
            self._largest = mapping.input_max
        elif self._range == "calibrated" and self._float and largest is None:
            raise ArchError('mapping.input_range is "calibrated", and no range is known of this group: `emu calibrate`')
        self.negative = mapping.input_signed is not False if self._float else dtype.is_signed
        bits = mapping.input_bits or (USUAL_BITS if arch.crossbar.dac_bits else None)
        self.bits = bits if self._float else dtype.size * 8
        coding = mapping.input_coding or "sign-magnitude"
        self._levels = coding == "levels" and self._float
        self._complement = coding == "twos-complement" and self.negative and self.bits is not None
        self.signed = self.negative and not self._complement
        self.magnitude = 0 if self.bits is None else max(self.bits - self.negative, 1)
        self._width = min(arch.crossbar.dac_bits or self.magnitude, self.magnitude)
        self.steps = float((1 << self._width) - 1) if self.bits is not None and not self._levels else 0.0
        self.count = -(-self.magnitude // self._width) if self.steps else 1
        self.most = self.count + bool(self.steps and self.negative)
        self.lowest = -(1 << self.magnitude) if self.negative else 0  # of whole numbers
        # Whether it rounds what it is given, or clips it.
        self.rounds = self._float and (self.bits is not None or self._range != "vector" or not self.negative)
        self._integers = next(
            kind for kind in (np.int16, np.int32, np.int64) if self.magnitude < np.iinfo(kind).bits - 2
        )
        self._shifts = (self._width * np.arange(self.count)).reshape(-1, 1, 1)
        self.factors = tuple(float(1 << self._width * place) for place in range(self.count))
        if self._complement:
            self.factors = (*self.factors, -float(1 << self.magnitude) / self.steps)

    def codes(self, x: np.ndarray) -> Codes:
        """What vectors x [vectors, rows] are to be."""
        if not self._float:
            return Codes(x.astype(self._integers), 1.0)
        shares, largest = self._shares(x.astype(np.float64))
        low, clipped = -1.0 if self.negative else 0.0, 0
        if self._range != "vector" or not self.negative:  # else none is beyond the largest of its vector
            clipped = int(np.count_nonzero((shares < low) | (shares > 1)))
            np.clip(shares, low, 1.0, out=shares)
        if self.bits is None:
            return Codes(shares, largest, clipped)
        if self._levels:
            per = ((1 << self.bits) - 1) / (1.0 - low)
            return Codes(np.rint((shares - low) * per) / per + low, largest, clipped)
        top = float((1 << self.magnitude) - 1)
        return Codes(np.rint(np.multiply(shares, top, shares), shares).astype(self._integers), largest / top, clipped)

    def _shares(self, x: np.ndarray) -> tuple[np.ndarray, float | np.ndarray]:
        """Inputs of floats as shares of their range, and that range."""
        if self._range == "vector":
            largest = np.abs(x).max(axis=1, keepdims=True, initial=0.0)
            largest = np.where(largest > 0, largest, 1.0)
            return x / largest, largest
        assert self._largest is not None
        return x / self._largest, self._largest

    def pulses(self, codes: np.ndarray) -> Pulses:
        """The pulses of the values of `codes`, until others are made: digits of converters, the lowest first.

        The magnitude of the lowest number of a signed type takes a bit more, of the vectors alone in which it is.
        """
        if not self.steps:
            return Pulses(codes[None], (1.0,))
        voltages = room("voltages", (len(self.factors), *codes.shape), F32)
        values, sign = codes, None
        if self._complement:
            below = (codes < 0).astype(codes.dtype)
            values = codes + (below << self.magnitude)
            np.multiply(below, codes.dtype.type(self.steps), out=voltages[-1], casting="unsafe")
        elif self.negative:
            values, sign = np.abs(codes), np.sign(codes)
        digits = np.right_shift(values, self._shifts.astype(values.dtype))
        np.bitwise_and(digits, digits.dtype.type(self.steps), out=digits)
        if sign is None:
            voltages[: self.count] = digits
        else:
            np.multiply(digits, sign, out=voltages, casting="unsafe")
        if sign is None:
            return Pulses(voltages, self.factors)
        held = self._width * self.count
        above = values >> held
        if not above.any():
            return Pulses(voltages, self.factors)
        some = np.flatnonzero(above.any(axis=1))
        more = (above * sign)[some].astype(np.float32)
        return Pulses(voltages, self.factors, some, more, float(1 << held))
