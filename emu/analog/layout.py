"""How the slices of weights stand side by side in columns, and how their currents are read: what arrays have alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from emu.analog.inputs import InputDriver
from emu.analog.weights import WeightSlice
from emu.arch import Arch


@dataclass(frozen=True, slots=True)
class Layout:
    """Slices of weights with `cols` columns each, `wide` of them with the one that holds zeros (`column`).

    `paired`: two cells hold a digit; `apart`: their currents are converted by themselves, behind those of all other
    cells; `halves`: they are limited by themselves before they are subtracted; `interleaved`: they stand in one column.
    `together`: the currents of all pulses are converted at once; `at_once`: nothing is done to them before, so that
    they are those of whole inputs. `span` are the conductances from the lowest, `g0`, to the highest; `whole` the steps
    of the whole voltage, `reach` the largest input of a product in them. `units` are the smallest differences of the
    currents of slices, in currents of one fully conducting cell.
    """

    cols: int
    wide: int
    paired: bool
    apart: bool
    column: bool
    halves: bool
    interleaved: bool
    together: bool
    at_once: bool
    g0: float
    span: float
    whole: float
    reach: float
    units: tuple[float, ...]

    @property
    def width(self) -> int:
        """Columns in all whose currents are converted."""
        return len(self.units) * self.wide

    def scaled(self, slices: Sequence[WeightSlice]) -> list[float]:
        """Steps of a cell of each slice in the span of conductances."""
        return [one.steps / self.span for one in slices]

    def columns(self, each: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """What columns hold, side by side, of both sides of each slice."""
        if self.apart or self.halves:
            return [*(both[0] for both in each), *(both[1] for both in each)]
        return [both[0] - both[1] if self.paired else both[0] for both in each]

    def spreads(self, each: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """The same of squares of what cells are spread by, which add up."""
        if self.apart or self.halves:
            return self.columns(each)
        return [sum(both[1:], both[0]) for both in each]


def layout_of(
    arch: Arch, slices: Sequence[WeightSlice], cols: int, driver: InputDriver, g0: float, wired: bool, bends: bool
) -> Layout:
    """That of an array group; `wired`: wires resist; `bends`: cells are not ohmic."""
    mapping, wires = arch.mapping, arch.wires
    paired = slices[0].minus is not None
    apart = paired and mapping.pairs == "apart"
    column = not paired and mapping.zero == "column"
    together = (mapping.input_slices or ("apart" if arch.crossbar.adc_bits else "together")) == "together"
    whole = driver.steps if driver.steps else 1.0
    largest = float((1 << driver.magnitude) - 1) if together and driver.steps else whole
    span = 1.0 - g0
    return Layout(
        cols=cols,
        wide=cols + column,
        paired=paired,
        apart=apart,
        column=column,
        # Columns of pairs are limited each by itself.
        halves=paired and not (apart or wires.interleaved) and bool(mapping.column_limit),
        interleaved=paired and bool(wires.interleaved) and wired,
        together=together,
        at_once=together and not bends and not (mapping.column_limit or (wired and wires.gated)),
        g0=g0,
        span=span,
        whole=whole,
        reach=largest + (together and driver.negative),  # the lowest number of a type is further from 0
        units=tuple([span / (each.steps * largest) for each in slices] * (2 if apart else 1)),
    )
