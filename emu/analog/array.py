"""An array group as it stands: its cells programmed, aged and wired, cut into parts that are read by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from emu.analog.compensation import factors
from emu.analog.converters import Limits
from emu.analog.curves import curve_of
from emu.analog.cutting import Cutter
from emu.analog.inputs import InputDriver
from emu.analog.layout import layout_of
from emu.analog.part import F32, F64, Part, spans
from emu.analog.programming import Place, Programming, Side, Written
from emu.analog.weights import WeightSlice, sliced
from emu.arch import Arch
from emu.isa.dtypes import DType


class AnalogArray:
    """Weights [rows, cols] of type `dtype` in cells, for inputs from `driver`; see `AnalogProduct`.

    `written` are rows that were programmed later, with what made them so. Columns of all slices stand side by side,
    those of pairs that are converted apart behind all others (`layout`).
    """

    def __init__(
        self,
        arch: Arch,
        weights: np.ndarray,
        dtype: DType,
        driver: InputDriver,
        row_tiles: tuple[int, ...],
        col_tiles: tuple[int, ...],
        place: Place,
        limits: Sequence[Limits] | None,
        written: Written,
    ) -> None:
        self.weights = sliced(arch, weights, dtype)
        self.cols = weights.shape[1]
        self._arch, self._driver, self._row_tiles = arch, driver, row_tiles
        self._curve = curve_of(arch)
        column = self.weights.slices[0].minus is None and arch.mapping.zero == "column"
        self._programming = Programming(arch, place, written, row_tiles, (*col_tiles[:-1], col_tiles[-1] + column))
        self.layout = layout_of(
            arch,
            self.weights.slices,
            self.cols,
            driver,
            self._programming.model.g0,
            self._programming.wired,
            self._curve is not None,
        )
        self.parts = self._parts(limits)
        self.noisy = any(part.noise is not None for part in self.parts)
        self.load = np.concatenate([part.load for part in self.parts])  # of rows: sums of conductances
        self.weights = self.weights.programmed(self.exact)
        self.written = self._programming.cells, self._programming.pulses, self._programming.most  # of each row

    def bent(self, voltages: np.ndarray) -> np.ndarray:
        """Voltages [..., rows], and their powers beside them for cells that are not ohmic."""
        if self._curve is None:
            return voltages
        shares = voltages / self.layout.whole
        return np.concatenate([shares**power * self.layout.whole for power in (1, *self._curve.powers)], axis=-1)

    def combined(self, sums: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Products of integers (or shares) [vectors, cols] of what parts gave, [vectors, width]."""
        slices, layout = self.weights.slices, self.layout
        each = sums.reshape(len(sums), -1, layout.wide)
        if self._factors is not None:
            each = each * self._factors
        if layout.apart:
            each = each[:, : len(slices)] - each[:, len(slices) :]
        total = np.zeros((len(sums), layout.wide))
        for number, one in enumerate(slices):
            total += one.factor * each[:, number]
        if layout.column:
            return total[:, :-1] - total[:, -1:]
        if layout.paired:
            return total
        base = sum(one.factor * one.steps for one in slices) * layout.g0 / layout.span
        return total - (base + self.weights.offset) * codes.sum(axis=1, keepdims=True, dtype=F64)

    @cached_property
    def exact(self) -> bool:
        """Whether currents come out of converters as they are, and cells hold just what they should."""
        if self.weights.codes is None or not self._driver.steps or not self._ohmic_and_exact:
            return False
        if self._arch.crossbar.adc_bits is None:
            return True
        return ((self.layout.paired and not self.layout.apart) or self.layout.g0 == 0) and self._holds

    @cached_property
    def ideal(self) -> bool:
        """Whether nothing is rounded, clipped or in error of the products with what inputs became."""
        plain = self._ohmic_and_exact and not self.weights.rounded
        return plain and (self._arch.crossbar.adc_bits is None or self.exact)

    @property
    def _ohmic_and_exact(self) -> bool:
        arch = self._arch
        plain = not (arch.mapping.column_limit or arch.mapping.adc_noise)
        return self._programming.exact and self._curve is None and plain

    def whole(self, codes: np.ndarray) -> np.ndarray:
        """The product of integers with what slices hold together, float64 [vectors, cols]."""
        kind, matrix, bound = self._wholes
        if codes.dtype.kind == "i" and bound * float(1 << self._driver.magnitude) < 1 << 24:
            kind = F32
        return np.matmul(codes.astype(kind), matrix[kind]).astype(F64)

    @cached_property
    def _wholes(self) -> tuple[np.dtype, dict[np.dtype, np.ndarray], float]:
        held = self.weights.codes
        assert held is not None
        bound = float(np.abs(held).sum(axis=0).max(initial=0.0))
        return F64, {F64: held, F32: held.astype(F32)}, bound

    def _parts(self, limits: Sequence[Limits] | None) -> list[Part]:
        """Program all cells, and cut them into parts."""
        sides = [
            [
                self._programming.side(number, side, self.layout.g0 + self.layout.span * share)
                for side, share in enumerate((one.plus, one.minus))
                if share is not None
            ]
            for number, one in enumerate(map(self._with_zeros, self.weights.slices))
        ]
        self._factors = self._compensated(sides)
        cutter = Cutter(
            self._arch,
            self._driver,
            self.layout,
            self.weights.slices,
            self._programming,
            sides,
            self._curve,
            limits,
        )
        parts = [
            cutter.part(number, slice(low, high))
            for number, (_, low, high) in enumerate(spans(self._row_tiles, self._arch.crossbar.driven_rows))
        ]
        self._holds = cutter.holds
        return parts

    def _compensated(self, sides: Sequence[Sequence[Side]]) -> np.ndarray | None:
        """Factors on what columns give [slices, columns], twice where pairs are apart; None: they stay."""
        how = self._arch.mapping.compensation
        if how in (None, "none") or self._programming.model.exact:
            return None
        programmed, aged = (
            np.hstack([np.vstack([getattr(side, when) for side in both]) for both in sides])
            for when in ("programmed", "aged")
        )
        found = np.broadcast_to(factors(programmed, aged, how), programmed.shape[1]).reshape(len(sides), -1)
        return np.vstack((found, found)) if self.layout.apart else found

    def _with_zeros(self, one: WeightSlice) -> WeightSlice:
        """A slice with the column that holds zeros, if there is one."""
        if not self.layout.column:
            return one
        zeros = np.full((len(one.plus), 1), one.zero)
        return WeightSlice(np.hstack((one.plus, zeros)), None, one.factor, one.steps, one.whole, one.zero)
