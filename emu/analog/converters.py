"""Converters: what codes stand for, and currents to codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch
from emu.errors import ArchError

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Currents:
    """What a converter may get: currents of `rows` rows, of both signs or not, in units of one fully conducting cell.

    `unit` is their smallest difference (0: there is none), `most` the largest one. `number` is the slice of weights, of
    `slices`, whose cells have `steps`; `paired` are its cells. `inputs` is the largest input, as a whole number (0: it
    is none).
    """

    rows: int
    signed: bool
    unit: float
    most: float
    number: int
    slices: int
    steps: int
    paired: bool
    inputs: int


@dataclass(frozen=True, slots=True)
class Converter:
    """Codes `lowest` to `highest`; code k stands for the current base + k x step, all in units of `Currents`."""

    base: float
    step: float
    lowest: float
    highest: float

    def holds(self, most: float, unit: float) -> bool:
        """Whether whole multiples of `unit` of magnitudes up to `most` come out as they are."""
        top = most / unit
        return (
            self.base == 0.0 and self.step == unit and -self.lowest >= top * (self.lowest < 0) and self.highest >= top
        )


def _centred(arch: Arch, currents: Currents, step: float) -> Converter:
    """Codes around 0 if currents have signs, else from 0 on."""
    bits = arch.crossbar.adc_bits or 1
    if not currents.signed:
        return Converter(0.0, step, 0.0, float((1 << bits) - 1))
    half = float(1 << bits - 1)
    return Converter(0.0, step, is_odd(arch) - half, half - 1.0)


def _full(arch: Arch, currents: Currents, limits: Sequence[Limits]) -> Converter:
    codes = _levels(arch, currents.signed) - 1.0
    return _centred(arch, currents, max(currents.unit, currents.most / (codes / 2 if currents.signed else codes)))


def _unit(arch: Arch, currents: Currents, limits: Sequence[Limits]) -> Converter:
    if not currents.unit:
        raise ArchError(
            'mapping.adc_range is "unit", but there is no smallest difference of currents that may be anything: give'
            " crossbar.cell_bits and crossbar.dac_bits, or another range"
        )
    return _centred(arch, currents, currents.unit)


def _between(arch: Arch, low: float, high: float) -> Converter:
    codes = _levels(arch, low < 0) - 1.0
    return Converter(low, (high - low) / codes, 0.0, codes)


def _span(arch: Arch, currents: Currents, limits: Sequence[Limits]) -> Converter:
    rows = float(currents.rows)
    return _between(arch, -rows if currents.signed else 0.0, rows)


def _span_sliced(arch: Arch, currents: Currents, limits: Sequence[Limits]) -> Converter:
    """As CrossSim 3.2 (`IADC.set_limits`, option MAX): of pairs both signs, else a power of two of smallest steps."""
    if currents.paired:
        return _between(arch, -float(currents.rows), float(currents.rows))
    codes = 1 << (arch.crossbar.adc_bits or 1)
    top = 2.0 ** np.rint(np.log2(currents.rows)) * (currents.steps + 1) / currents.steps
    top *= (currents.inputs + 1) / max(currents.inputs, 1) * (codes - 1 - currents.signed) / codes
    return _between(arch, -top if currents.signed else 0.0, top)


def _fixed(arch: Arch, currents: Currents, limits: Sequence[Limits]) -> Converter:
    if len(limits) not in (1, currents.slices):
        raise ArchError(
            f"limits of converters are given for {len(limits)} slices of weights, of which there are {currents.slices}:"
            " give one pair, or one for each"
        )
    return _between(arch, *limits[currents.number if len(limits) > 1 else 0])


Make = Callable[[Arch, Currents, Sequence[Limits]], Converter]
RANGES: Mapping[str, Make] = {  # by the values of mapping.adc_range
    "full": _full,
    "unit": _unit,
    "span": _span,
    "span-sliced": _span_sliced,
    "fixed": _fixed,
    "calibrated": _fixed,
}


def codes(bits: int, odd: bool, signed: bool) -> int:
    """How many a converter has: where currents have signs, and they are to be an `odd` number, one less than 2^bits."""
    return (1 << bits) - (odd and signed)


def is_odd(arch: Arch) -> bool:
    """Whether converters have an odd number of codes where currents have signs: the middle one is 0."""
    return arch.mapping.adc_codes != "all"


def _levels(arch: Arch, signed: bool) -> int:
    bits, odd = arch.crossbar.adc_bits or 1, is_odd(arch)
    if signed and odd and bits < 2:
        raise ArchError(
            "crossbar.adc_bits 1 leaves one code where currents have signs: give 2 or more, or mapping.adc_codes"
            ' = "all"'
        )
    return codes(bits, odd, signed)


def converter(arch: Arch, currents: Currents, limits: Sequence[Limits] | None) -> Converter | None:
    """The converter of such currents, with calibrated `limits`; None if it is ideal. Raises ArchError."""
    if arch.crossbar.adc_bits is None:
        return None
    how = arch.mapping.adc_range or "full"
    if how == "calibrated" and limits is None:
        raise ArchError('mapping.adc_range is "calibrated", and no range is known of this group: `emu calibrate`')
    given = arch.mapping.adc_limits if how == "fixed" else limits
    _levels(arch, currents.signed)
    return RANGES[how](arch, currents, given or ())


@dataclass(frozen=True, slots=True)
class Converters:
    """The converters of columns side by side, as rows that broadcast over them, in the unit of their currents."""

    scale: np.ndarray | np.floating  # codes per unit
    shift: np.ndarray | np.floating | None
    lowest: np.ndarray | np.floating
    highest: np.ndarray | np.floating
    step: np.ndarray  # float64 [columns]: units per code
    base: np.ndarray  # float64 [columns]
    clips: bool
    largest: float  # magnitude of a code

    @classmethod
    def of(
        cls,
        each: Sequence[Converter],
        units: Sequence[float],
        widths: Sequence[int],
        kind: np.dtype,
        most: Sequence[float],
    ) -> Converters:
        """Those of slices of so many columns, whose currents are in `units` and in magnitude at most `most` of them."""
        steps = [made.step / unit for made, unit in zip(each, units, strict=True)]
        bases = [made.base / unit for made, unit in zip(each, units, strict=True)]

        def spread(values: Sequence[float]) -> np.ndarray | np.floating:
            if len({*values}) == 1:
                return kind.type(values[0])
            return np.repeat(np.asarray(values, kind), widths)

        clips = any(
            most_ > made.highest * step + base or -most_ < made.lowest * step + base
            for made, step, base, most_ in zip(each, steps, bases, most, strict=True)
        )
        return cls(
            spread([1.0 / step for step in steps]),
            spread([-base / step for base, step in zip(bases, steps, strict=True)]) if any(bases) else None,
            spread([made.lowest for made in each]),
            spread([made.highest for made in each]),
            np.repeat(steps, widths),
            np.repeat(bases, widths),
            clips,
            max(max(-made.lowest, made.highest) for made in each),
        )

    def convert(self, currents: np.ndarray) -> int:
        """Currents [..., columns] to codes, where they stand; how many were beyond the codes."""
        if not (np.ndim(self.scale) == 0 and self.scale == 1.0):
            np.multiply(currents, self.scale, currents)
        if self.shift is not None:
            np.add(currents, self.shift, currents)
        np.rint(currents, currents)
        if not self.clips:
            return 0
        beyond = int(np.count_nonzero(currents > self.highest)) + int(np.count_nonzero(currents < self.lowest))
        if beyond:
            np.clip(currents, self.lowest, self.highest, out=currents)
        return beyond
