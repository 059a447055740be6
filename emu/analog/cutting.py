"""Cuts the programmed cells of an array group into parts: the rows that are driven, and converted, at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from emu.analog.cells.model import Conditions
from emu.analog.converters import Converter, Converters, Currents, Limits, converter
from emu.analog.curves import Curve
from emu.analog.inputs import InputDriver
from emu.analog.layout import Layout
from emu.analog.part import Noise, Part, gridded, on_grid, packed
from emu.analog.programming import Programming, Side
from emu.analog.weights import WeightSlice
from emu.arch import Arch
from emu.errors import ArchError

GATED = 24  # bits of a step of cells to which currents are rounded that are solved for


class Cutter:
    """Makes parts of the `sides` of each slice; `holds` says afterwards whether all converters lose nothing."""

    def __init__(
        self,
        arch: Arch,
        driver: InputDriver,
        layout: Layout,
        slices: Sequence[WeightSlice],
        programming: Programming,
        sides: Sequence[Sequence[Side]],
        curve: Curve | None,
        limits: Sequence[Limits] | None,
    ) -> None:
        self.holds = True
        self._arch, self._driver, self._layout, self._slices = arch, driver, layout, slices
        self._programming, self._sides, self._curve, self._limits = programming, sides, curve, limits
        self._scaled = layout.scaled(slices)
        self._whole_inputs = driver.steps > 0 and curve is None

    def part(self, number: int, rows: slice) -> Part:
        """Part `number`: these rows of one array."""
        layout = self._layout
        columns = [column[rows] for column in self._columns]
        held = np.hstack(columns)
        if self._programming.exact and all(one.whole for one in self._slices):
            based = layout.g0 > 0 and (not layout.paired or layout.apart or layout.halves)
            held = held if based else np.rint(held)  # 2 / 3 x 3 is not 2 to the last bit
        if self._curve is not None:
            held = np.vstack((held, *self._bends(self._curve, rows)))
        voltage = layout.reach if layout.at_once else layout.whole
        held, grid = gridded(held, voltage, self._whole_inputs, self._programming.model.exact)
        noise = self._noise(rows)
        bounds = [float(np.abs(each).sum(axis=0).max(initial=0.0)) * layout.reach for each in columns]
        both = packed(held, max(bounds)) if self._whole_inputs else None
        driven = rows.stop - rows.start
        return Part(
            rows=rows,
            held=held if both is None else both,
            load=sum((side.aged[rows].sum(axis=1) for each in self._sides for side in each), np.zeros(driven)),
            converters=self._converters(driven, bounds, noise, held.dtype),
            noise=noise,
            limit=self._limit(held.shape[1]),
            halves=layout.halves,
            voltage_grid=grid,
            number=number,
            packed=both is not None,
            gated=self._gated(rows),
        )

    @cached_property
    def _columns(self) -> list[np.ndarray]:
        """What columns hold, in steps of cells [all rows, columns of a slice]."""
        sides = [[side.aged for side in slices] for slices in zip(*self._sides, strict=True)]
        if self._layout.interleaved:
            pairs = zip(self._programming.effective(*sides), self._scaled, strict=True)
            return [pair * scale for pair, scale in pairs]
        wired = zip(*(self._programming.effective(side) for side in sides), strict=True)
        scaled = zip(wired, self._scaled, strict=True)
        return self._layout.columns([[cells * scale for cells in both] for both, scale in scaled])

    def _each(self, of: Callable[[Side], np.ndarray]) -> list[list[np.ndarray]]:
        """Something of both sides of each slice, in steps of cells."""
        return [[of(side) * scale for side in both] for both, scale in zip(self._sides, self._scaled, strict=True)]

    def _converters(
        self, driven: int, bounds: Sequence[float], noise: Noise | None, kind: np.dtype
    ) -> Converters | None:
        """Those of currents that are at most `bounds` in units without noise; None: they are ideal."""
        layout, slices = self._layout, self._slices
        most = float(driven) if not layout.paired or layout.apart else driven * layout.span
        signed = self._driver.negative if layout.together else self._driver.signed
        in_steps = self._driver.steps > 0 and all(one.whole for one in slices)
        found = list[Converter]()
        for place, unit in enumerate(layout.units):
            number = place % len(slices)
            currents = Currents(
                rows=driven,
                signed=signed or (layout.paired and not layout.apart),
                unit=unit if in_steps else 0.0,
                most=most,
                number=number,
                slices=len(slices),
                steps=slices[number].steps,
                paired=layout.paired,
                inputs=(1 << self._driver.magnitude) - 1,
            )
            made = converter(self._arch, currents, self._limits)
            if made is None:
                return None
            found.append(made)
        if layout.halves:
            bounds = [sum(both) for both in zip(*np.split(np.array(bounds), 2), strict=True)]
        reached = [np.inf if noise or self._curve else bound for bound in bounds]
        self.holds = self.holds and all(
            one.holds(bound * unit, unit) for one, bound, unit in zip(found, bounds, layout.units, strict=True)
        )
        return Converters.of(found, layout.units, [layout.wide] * len(found), kind, reached)

    def _limit(self, columns: int) -> np.ndarray | None:
        """The largest currents of columns, in units of pulses; None: there is no limit."""
        most = self._arch.mapping.column_limit
        if not most:
            return None
        units = [self._layout.span / (one.steps * self._layout.whole) for one in self._slices]
        return np.resize(np.repeat([most / unit for unit in units], self._layout.wide), columns)

    def _gated(self, rows: slice) -> Callable[[np.ndarray], np.ndarray] | None:
        """What gives the currents [vectors, columns] of rows that inputs switch; None where they drive word lines."""
        programming = self._programming
        if not (programming.wired and self._arch.wires.gated):
            return None
        if self._driver.steps != 1:
            raise ArchError("wires.gated switches cells on and off: give crossbar.dac_bits 1")

        def currents(on: np.ndarray) -> np.ndarray:
            if self._layout.interleaved:
                pairs = zip(self._sides, self._scaled, strict=True)
                columns = [programming.gated(rows, on, one.aged, other.aged) * scale for (one, other), scale in pairs]
            else:
                columns = self._layout.columns(self._each(lambda side: programming.gated(rows, on, side.aged)))
            return on_grid(np.hstack(columns), GATED)

        return currents

    def _bends(self, curve: Curve, rows: slice) -> Iterator[np.ndarray]:
        """What `rows` hold for each further power of voltages [rows, columns], of cells that are not ohmic."""
        at = Conditions(self._arch.device)
        for place in range(len(curve.powers)):
            yield np.hstack(self._layout.columns(self._each(lambda side, k=place: curve.terms(side.aged[rows], at)[k])))

    def _noise(self, rows: slice) -> Noise | None:
        """What readings of these rows are spread by; None: nothing."""
        model = self._programming.model
        each = [[model.noise(side.aged[rows], side.programmed[rows]) for side in both] for both in self._sides]
        always = self._noise_of_converters()
        if all(value is None or np.all(np.asarray(value) == 0) for both in each for value in both):
            return Noise(always=always) if np.any(always) else None
        shape = self._sides[0][0].aged[rows].shape
        squares = [
            [np.broadcast_to(np.square(np.asarray(0.0 if value is None else value) * scale), shape) for value in both]
            for both, scale in zip(each, self._scaled, strict=True)
        ]
        cells = np.hstack(self._layout.spreads(squares))
        if (cells == cells.flat[0]).all():
            return Noise(float(cells.flat[0]), always=always)
        reach = self._layout.reach**2 * (4 if self._layout.at_once else 1)
        return Noise(each=gridded(cells, reach, self._whole_inputs)[0], always=always)

    def _noise_of_converters(self) -> float | np.ndarray:
        """The square of what each conversion is spread by; per column where slices of weights differ."""
        noise, halves = self._arch.mapping.adc_noise or 0.0, 2 if self._layout.halves else 1
        each = [(noise / unit) ** 2 / halves for unit in self._layout.units] * halves
        return each[0] if len({*each}) == 1 else np.repeat(each, self._layout.wide)
