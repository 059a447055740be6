"""The rows of an array that are driven at a time: what they hold, their currents, and what converters make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from emu.analog.converters import Converters
from emu.analog.counts import BINS, NAMES
from emu.room import room

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
FINE = 12  # bits below one step of a cell that are kept at least: float32 where that is exact
VOLTAGE = 22  # bits of a voltage that may be anything
PACKED = 1 << 12  # what currents are counted in that stand on top of others
SQUARE = 2.0**16  # steps of its square


@dataclass(slots=True)
class Noise:
    """Squares of standard deviations of readings: one for all cells that make a current, or per cell [rows, columns].

    As conductances, they are on a grid in which all sums are exact. `always` is of converters, whatever is read.
    """

    same: float = 0.0
    each: np.ndarray | None = None
    always: float | np.ndarray = 0.0  # or per column

    def deviation(self, squares: np.ndarray) -> np.ndarray:
        """Of currents, from the squares of their voltages [..., rows]: float32 [..., 1] or [..., columns]."""
        if self.each is None:
            found = squares.sum(axis=-1, keepdims=True, dtype=F64) * self.same
        else:
            found = np.matmul(squares.astype(self.each.dtype, copy=False), self.each)
        if np.any(self.always):
            found = found + self.always
        return np.sqrt(found).astype(F32, copy=False)


@dataclass(slots=True)
class Part:
    """Rows `rows` of an array, read and converted by themselves.

    `held` [rows, columns] are conductances of all slices side by side, in steps of cells, on a grid so fine and so
    coarse that all sums are exact: no bit depends on the order of adding, and so not on engine, batch or processor.
    Where pairs are converted together, it is their difference. `load` [rows] are sums of conductances.
    """

    rows: slice
    held: np.ndarray
    load: np.ndarray
    converters: Converters | None
    noise: Noise | None
    limit: np.ndarray | None = None  # of currents [columns], in units; None: none
    halves: bool = False  # whether both cells of pairs stand side by side, to be subtracted before conversion
    voltage_grid: float = 0.0  # steps of a voltage that is no whole number
    number: int = 0  # of the part, for random numbers
    packed: bool = False  # whether `held` has two columns in one (`packed`)
    gated: Callable[[np.ndarray], np.ndarray] | None = None  # what gives currents where inputs switch cells

    def currents(self, voltages: np.ndarray) -> np.ndarray:
        """Currents [pulses x vectors, columns] of voltages [pulses, vectors, rows of the part], until the next are."""
        flat = voltages.reshape(-1, voltages.shape[-1])
        if self.gated is not None:
            return self.gated(flat)
        if self.voltage_grid:
            flat = np.rint(flat * self.voltage_grid) / self.voltage_grid
        flat = flat.astype(self.held.dtype, copy=False)
        found = np.matmul(
            flat, self.held, out=room("analog products", (len(flat), self.held.shape[1]), self.held.dtype)
        )
        return unpacked(found) if self.packed else found

    def squares(self, voltages: np.ndarray) -> np.ndarray:
        """Squares of voltages, whole numbers or on a grid: their sums are exact, too."""
        if not self.voltage_grid:
            return np.square(voltages)
        return np.rint(np.square(voltages, dtype=F64) * SQUARE) / SQUARE

    def limited(self, currents: np.ndarray) -> np.ndarray:
        """The currents [..., columns] of columns within their limit, and the differences of pairs."""
        if self.limit is not None:
            np.clip(currents, -self.limit, self.limit, out=currents)
        if not self.halves:
            return currents
        plus, minus = np.split(currents, 2, axis=-1)
        return plus - minus


def gridded(held: np.ndarray, voltage: float, whole: bool, exact: bool = False) -> tuple[np.ndarray, float]:
    """Conductances [rows, columns] as a type and on a grid in which sums of products with voltages are exact.

    Voltages are up to `voltage` in magnitude, `whole` numbers or not; then they have to be on a grid, too, whose steps
    per unit come second (0: they are whole). Conductances that are `exact`, without errors of cells, stay so.
    """
    rows, largest = max(len(held), 1), max(float(np.abs(held).max(initial=0.0)), 1.0)
    room = ceil(log2(rows * largest * max(voltage, 1.0))) + 1
    if whole and not np.any(held != np.rint(held)):
        return held.astype(F32 if room <= 24 else F64), 0.0
    if whole and not exact and 24 - room >= FINE:
        return on_grid(held, 24 - room).astype(F32), 0.0
    fine = 0 if whole else VOLTAGE - ceil(log2(max(voltage, 1.0)))
    return on_grid(held, max(53 - room - fine, 8)), 0.0 if whole else 2.0**fine


def packed(held: np.ndarray, largest: float) -> np.ndarray | None:
    """Whole conductances [rows, columns] with the right half of the columns on top of the left one; None if too large.

    Currents are up to `largest` in magnitude. Two of them fit into the 24 bits that float32 adds up exactly, so that
    half of the products give them all.
    """
    half = held.shape[1] // 2
    if held.dtype != F32 or held.shape[1] % 2 or not half or largest >= PACKED // 2 or np.any(held != np.rint(held)):
        return None
    return held[:, :half] + np.float32(PACKED) * held[:, half:]


def unpacked(both: np.ndarray) -> np.ndarray:
    """Currents [n, columns] of packed ones [n, columns / 2]."""
    half = both.shape[1]
    found = room("analog currents", (len(both), 2 * half), F32)
    left, right = found[:, :half], found[:, half:]
    np.multiply(both, np.float32(1 / PACKED), out=right)
    np.rint(right, out=right)
    np.multiply(right, np.float32(-PACKED), out=left)
    np.add(left, both, out=left)
    return found


def on_grid(held: np.ndarray, bits: int) -> np.ndarray:
    """Numbers rounded to so many bits behind the point."""
    return np.ldexp(np.rint(np.ldexp(held, bits)), -bits)


def histogram(counts: np.ndarray, codes: np.ndarray, lowest: float, highest: float) -> None:
    """Add codes to the histogram over their range."""
    width = (highest - lowest + 1) / BINS
    bins = np.clip(((codes - lowest) / width).astype(np.int64), 0, BINS - 1)
    counts[len(NAMES) :] += np.bincount(bins.reshape(-1), minlength=BINS)


def spans(tiles: Sequence[int], driven: int) -> list[tuple[int, int, int]]:
    """The parts of arrays of so many rows each, `driven` at a time: tile, first row, behind the last."""
    found: list[tuple[int, int, int]] = []
    start = 0
    for tile, rows in enumerate(tiles):
        found += [(tile, at, min(at + driven, start + rows)) for at in range(start, start + rows, driven)]
        start += rows
    return found
