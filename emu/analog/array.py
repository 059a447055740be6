"""An array group as it stands: its cells programmed, aged and wired, cut into parts that are read by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from emu.analog.cells.model import Conditions
from emu.analog.compensation import factors
from emu.analog.converters import Converter, Converters, Currents, Limits, converter
from emu.analog.curves import curve_of
from emu.analog.inputs import InputDriver
from emu.analog.part import F32, F64, Noise, Part, gridded, on_grid, packed, spans
from emu.analog.programming import Place, Programming, Side, Written
from emu.analog.weights import WeightSlice, sliced
from emu.arch import Arch
from emu.errors import ArchError
from emu.isa.dtypes import DType

GATED = 24  # bits of a step of cells to which currents are rounded that are solved for


class AnalogArray:
    """Weights [rows, cols] of type `dtype` in cells, for inputs from `driver`; see `AnalogProduct`.

    `written` are rows that were programmed later, with what made them so. Columns of all slices stand side by side,
    those of pairs that are converted apart behind all others; `width` is their number.
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
        slices = self.weights.slices
        self.paired = slices[0].minus is not None
        self.apart = self.paired and arch.mapping.pairs == "apart"
        self.column = not self.paired and arch.mapping.zero == "column"
        wide = (*col_tiles[:-1], col_tiles[-1] + self.column)
        self._programming = Programming(arch, place, written, row_tiles, wide)
        self._g0 = self._programming.model.g0
        self._span = 1.0 - self._g0  # of conductances
        self._interleaved = self.paired and bool(arch.wires.interleaved) and self._programming.wired
        # Columns of pairs are limited each by itself.
        self._halves = self.paired and not (self.apart or arch.wires.interleaved) and bool(arch.mapping.column_limit)
        self._curve = curve_of(arch)
        self._whole = driver.steps if driver.steps else 1.0
        self.together = (arch.mapping.input_slices or ("apart" if arch.crossbar.adc_bits else "together")) == "together"
        # Where nothing is done to the currents of single pulses, they are one.
        pulsed = arch.mapping.column_limit or (self._programming.wired and arch.wires.gated)
        self.at_once = self.together and self._curve is None and not pulsed
        largest = float((1 << driver.magnitude) - 1) if self.together and driver.steps else self._whole
        self._reach = largest + (self.together and driver.negative)  # the lowest number of a type is further from 0
        self.units = [self._span / (each.steps * largest) for each in slices] * (2 if self.apart else 1)
        self.width = len(self.units) * (self.cols + self.column)
        self.noisy = False
        self.parts = self._parts(limits)
        self.load = np.concatenate([part.load for part in self.parts])  # of rows: sums of conductances
        self.weights = self.weights.programmed(self.exact)
        self.cells, self.pulses = self._programming.cells, self._programming.pulses

    def bent(self, voltages: np.ndarray) -> np.ndarray:
        """Voltages [..., rows], and their powers beside them for cells that are not ohmic."""
        if self._curve is None:
            return voltages
        shares = voltages / self._whole
        return np.concatenate([shares**power * self._whole for power in (1, *self._curve.powers)], axis=-1)

    def combined(self, sums: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Products of integers (or shares) [vectors, cols] of what parts gave, [vectors, width]."""
        slices, wide = self.weights.slices, self.cols + self.column
        each = sums.reshape(len(sums), -1, wide)
        if self._factors is not None:
            each = each * self._factors
        if self.apart:
            each = each[:, : len(slices)] - each[:, len(slices) :]
        total = np.zeros((len(sums), wide))
        for number, one in enumerate(slices):
            total += one.factor * each[:, number]
        if self.column:
            return total[:, :-1] - total[:, -1:]
        if self.paired:
            return total
        base = sum(one.factor * one.steps for one in slices) * self._g0 / self._span
        return total - (base + self.weights.offset) * codes.sum(axis=1, keepdims=True, dtype=F64)

    @cached_property
    def exact(self) -> bool:
        """Whether currents come out of converters as they are, and cells hold just what they should."""
        if self.weights.codes is None or not self._driver.steps or not self._ohmic_and_exact:
            return False
        if self._arch.crossbar.adc_bits is None:
            return True
        return ((self.paired and not self.apart) or self._g0 == 0) and self._holds

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
                self._programming.side(number, side, self._g0 + self._span * share)
                for side, share in enumerate((one.plus, one.minus))
                if share is not None
            ]
            for number, one in enumerate(map(self._with_zeros, self.weights.slices))
        ]
        self._holds = True
        self._factors = self._compensated(sides)
        return [
            self._part(number, slice(low, high), sides, limits)
            for number, (_, low, high) in enumerate(spans(self._row_tiles, self._arch.crossbar.driven_rows))
        ]

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
        return np.vstack((found, found)) if self.apart else found

    def _with_zeros(self, one: WeightSlice) -> WeightSlice:
        """A slice with the column that holds zeros, if there is one."""
        if not self.column:
            return one
        zeros = np.full((len(one.plus), 1), one.zero)
        return WeightSlice(np.hstack((one.plus, zeros)), None, one.factor, one.steps, one.whole, one.zero)

    def _part(self, number: int, rows: slice, sides: Sequence[Sequence[Side]], limits: Sequence[Limits] | None) -> Part:
        slices = self.weights.slices
        scaled = [one.steps / self._span for one in slices]
        if self._interleaved:
            columns = [
                self._programming.effective(one.aged, other.aged)[rows] * scale
                for (one, other), scale in zip(sides, scaled, strict=True)
            ]
        else:
            columns = self._columns(
                [[side.wired[rows] * scale for side in each] for each, scale in zip(sides, scaled, strict=True)]
            )
        held = np.hstack(columns)
        if self._programming.exact and all(one.whole for one in slices):
            whole = np.rint(held)  # 2 / 3 x 3 is not 2 to the last bit
            held = whole if self._g0 == 0 or (self.paired and not (self.apart or self._halves)) else held
        driven = held.shape[0]
        if self._curve is not None:
            held = np.vstack((held, *self._bends(rows, sides, scaled)))
        units, wide = self.units, self.cols + self.column
        most = [float(driven) if not self.paired or self.apart else driven * self._span] * len(units)
        signed = self._driver.negative if self.together else self._driver.signed
        signed = signed or (self.paired and not self.apart)
        in_steps = self._driver.steps > 0 and all(one.whole for one in slices)
        made = [
            converter(
                self._arch,
                Currents(
                    driven,
                    signed,
                    unit if in_steps else 0.0,
                    top,
                    place % len(slices),
                    len(slices),
                    slices[place % len(slices)].steps,
                    self.paired,
                    (1 << self._driver.magnitude) - 1,
                ),
                limits,
            )
            for place, (unit, top) in enumerate(zip(units, most, strict=True))
        ]
        whole_inputs = self._driver.steps > 0 and self._curve is None
        held, grid = gridded(
            held, self._reach if self.at_once else self._whole, whole_inputs, self._programming.model.exact
        )
        noise = self._noise_of(rows, sides, scaled)
        bounds = [float(np.abs(each).sum(axis=0).max(initial=0.0)) * self._reach for each in columns]
        both = packed(held, max(bounds)) if whole_inputs else None
        kind = held.dtype
        converters = None
        if all(each is not None for each in made):
            found: list[Converter] = [each for each in made if each is not None]
            if self._halves:
                bounds = [sum(both) for both in zip(*np.split(np.array(bounds), 2), strict=True)]
            reached = [np.inf if noise or self._curve else bound for bound in bounds]
            converters = Converters.of(found, units, [wide] * len(units), kind, reached)
            self._holds = self._holds and all(
                one.holds(bound * unit, unit) for one, bound, unit in zip(found, bounds, units, strict=True)
            )
        most_current, limit = self._arch.mapping.column_limit, None
        if most_current:
            pulse_units = [self._span / (one.steps * self._whole) for one in slices]
            limit = np.resize(np.repeat([most_current / unit for unit in pulse_units], wide), held.shape[1])
        load = sum((side.aged[rows].sum(axis=1) for each in sides for side in each), np.zeros(driven))
        gated, packs = self._gated(rows, sides, scaled), both is not None
        return Part(
            rows,
            held if both is None else both,
            load,
            converters,
            noise,
            limit,
            self._halves,
            grid,
            number,
            packs,
            gated,
        )

    def _gated(
        self, rows: slice, sides: Sequence[Sequence[Side]], scaled: Sequence[float]
    ) -> Callable[[np.ndarray], np.ndarray] | None:
        """What gives the currents [vectors, columns] of rows that inputs switch; None where they drive word lines."""
        if not (self._programming.wired and self._arch.wires.gated):
            return None
        if self._driver.steps != 1:
            raise ArchError("wires.gated switches cells on and off: give crossbar.dac_bits 1")
        programming = self._programming

        def currents(on: np.ndarray) -> np.ndarray:
            if self._interleaved:
                each = [[programming.gated(rows, on, one.aged, other.aged)] for one, other in sides]
                columns = [one * scale for (one,), scale in zip(each, scaled, strict=True)]
            else:
                each = [[programming.gated(rows, on, side.aged) for side in both] for both in sides]
                columns = self._columns(
                    [[one * scale for one in both] for both, scale in zip(each, scaled, strict=True)]
                )
            return on_grid(np.hstack(columns), GATED)

        return currents

    def _bends(self, rows: slice, sides: Sequence[Sequence[Side]], scaled: Sequence[float]) -> Iterator[np.ndarray]:
        """What `rows` hold for each further power of voltages [rows, columns], of cells that are not ohmic."""
        assert self._curve is not None
        at = Conditions(self._arch.device)
        terms = [[self._curve.terms(side.aged[rows], at) for side in both] for both in sides]
        for place in range(len(self._curve.powers)):
            each = [[side[place] * scale for side in both] for both, scale in zip(terms, scaled, strict=True)]
            yield np.hstack(self._columns(each))

    def _columns(self, each: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """What columns hold, side by side, of both sides of each slice."""
        if self.apart or self._halves:
            return [*(both[0] for both in each), *(both[1] for both in each)]
        return [both[0] - both[1] if self.paired else both[0] for both in each]

    def _noise_of(self, rows: slice, sides: Sequence[Sequence[Side]], scaled: Sequence[float]) -> Noise | None:
        """What readings of these rows are spread by; None: nothing."""
        model = self._programming.model
        each = [[model.noise(side.aged[rows], side.programmed[rows]) for side in both] for both in sides]
        flat = [value for both in each for value in both]
        always = self._noise_of_converters()
        if all(value is None or np.all(np.asarray(value) == 0) for value in flat):
            self.noisy = self.noisy or bool(np.any(always))
            return Noise(always=always) if np.any(always) else None
        self.noisy = True
        shape = sides[0][0].aged[rows].shape
        squares = [
            [np.broadcast_to(np.square(np.asarray(0.0 if value is None else value) * scale), shape) for value in both]
            for both, scale in zip(each, scaled, strict=True)
        ]
        if self.apart or self._halves:
            columns = [*(both[0] for both in squares), *(both[1] for both in squares)]
        else:
            columns = [sum(both[1:], both[0]) for both in squares]
        whole = np.hstack(columns)
        if (whole == whole.flat[0]).all():
            return Noise(float(whole.flat[0]), always=always)
        inputs = self._driver.steps > 0 and self._curve is None
        each_cell = gridded(whole, self._reach**2 * (4 if self.at_once else 1), inputs)[0]
        return Noise(each=each_cell, always=always)

    def _noise_of_converters(self) -> float | np.ndarray:
        """The square of what each conversion is spread by; per column where slices of weights differ."""
        noise = self._arch.mapping.adc_noise or 0.0
        each = [(noise / unit) ** 2 / (2 if self._halves else 1) for unit in self.units] * (2 if self._halves else 1)
        return each[0] if len({*each}) == 1 else np.repeat(each, self.cols + self.column)
