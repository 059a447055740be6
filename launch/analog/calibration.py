"""Measures on data what converters of each array group get, and chooses the ranges that their codes span."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from emu.analog.cells.cells import cells_of
from emu.analog.converters import is_odd
from emu.analog.product import AnalogProduct
from emu.arch import Arch
from emu.arch.analog import CellMapping, Device, Faults
from emu.arch.ranges import Ranges, Row
from emu.arch.schema import MADE_OF
from emu.arch.write import arch_to_toml
from emu.core.crossbars.bank import BankCrossbar
from emu.core.crossbars.crossbar import Crossbar
from emu.core.crossbars.kinds.analog import AnalogCrossbar
from emu.image.reader import Image
from launch.analog.described import chip_text
from launch.analog.histogram import GrowingHistogram
from launch.analog.ranges import layers_by_group, network_of
from launch.analog.ranging import ConverterFacts, chosen_range
from launch.chips.sequential import power_on_sequential
from launch.processes.options import RunOptions
from launch.samples.inputs import each_sample

Place = tuple[int, int]  # core, group

CALIBRATED = "calibrated"  # of mapping.adc_range and input_range
_WRITTEN = {(table, key) for table in ("mapping", "ranges") for key in MADE_OF[table]}


@dataclass(slots=True)
class GroupCurrents:
    """What an array group was given, and what its converters got, by slice of the weights, the lowest bits first.

    It is what watches the group. `bits` and `odd_codes` are of the converters that the chip has, if it says so; `least`
    is the lowest conductance, as a share of the highest.
    """

    bits: int | None
    odd_codes: bool
    least: float
    facts: list[ConverterFacts] = field(default_factory=list[ConverterFacts])
    found: list[GrowingHistogram] = field(default_factory=list[GrowingHistogram])
    input_max: float = 0.0

    def inputs(self, x: np.ndarray) -> None:
        """Vectors that the group is given; of integers nothing is kept."""
        if x.dtype.kind == "f" and x.size:
            self.input_max = max(self.input_max, float(np.nanmax(np.abs(x))))

    def currents(self, product: AnalogProduct, number: int, currents: np.ndarray) -> None:
        """Currents of a slice, or of one side of its pairs."""
        if not self.facts:
            self.facts = self._facts_of(product)
            self.found = [GrowingHistogram() for _ in self.facts]
        self.found[number % len(self.facts)].add(currents)

    def _facts_of(self, product: AnalogProduct) -> list[ConverterFacts]:
        array = product.array
        together = array.layout.paired and not array.layout.apart
        signed = product.driver.signed or together
        # Of one cell by itself the least conductance is in every current, and that is no whole number of units.
        whole = product.exact and (together or self.least == 0)
        rows = max(part.rows.stop - part.rows.start for part in array.parts)
        most = rows * (1 - self.least if together else 1.0)
        units = array.layout.units[: len(array.weights.slices)]
        return [ConverterFacts(signed, most, unit if whole else None, self.bits, self.odd_codes) for unit in units]


@dataclass(frozen=True, slots=True)
class SliceRange:
    """Of a slice of the weights of an array group: what was measured, and the range that was chosen."""

    facts: ConverterFacts
    found: GrowingHistogram
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class GroupRanges:
    """Of an array group: its layer, its largest input (0 of integers), and its slices, the lowest bits first."""

    core: int
    group: int
    layer: str
    input_max: float
    slices: tuple[SliceRange, ...]

    @property
    def row(self) -> Row:
        """As table [ranges] has it."""
        return self.core, self.group, self.layer, self.input_max, tuple((each.low, each.high) for each in self.slices)


def calibrate(
    image: Image,
    arch: Arch,
    inputs: Mapping[str, np.ndarray],
    method: str,
    percentile: float,
    advance: Callable[[], None] = lambda: None,
) -> list[GroupRanges]:
    """Ranges of all array groups on the chip `arch`, whose cells and converters are taken to be ideal.

    `inputs` are (samples,) + shape by name; `advance` is called after each sample. Where ranges of inputs are
    calibrated, too, these are measured first, as currents depend on them. Raises EmuErrors.
    """
    chip = without_errors(arch)
    if arch.mapping.input_range == CALIBRATED:
        free = replace(chip, mapping=replace(chip.mapping, input_range=None))
        largest = _measured(image, free, arch, inputs, advance)
        rows = tuple((*place, "", each.input_max or 1.0, ((0.0, 1.0),)) for place, each in sorted(largest.items()))
        chip = replace(chip, ranges=Ranges("", rows))
    measured = _measured(image, chip, arch, inputs, advance)
    layers = layers_by_group(image)
    return [
        GroupRanges(*place, layers[place], each.input_max, _slices_of(each, method, percentile))
        for place, each in sorted(measured.items())
        if each.facts
    ]


def passes(arch: Arch) -> int:
    """How often `calibrate` runs all samples."""
    return 2 if arch.mapping.input_range == CALIBRATED else 1


def without_errors(arch: Arch) -> Arch:
    """The chip with ideal converters, and cells that hold what they should; what it costs is left out."""
    mapping, device = arch.mapping, arch.device
    return replace(
        arch,
        crossbar=replace(arch.crossbar, adc_bits=None),
        mapping=replace(
            mapping,
            adc_range=None,
            adc_limits=None,
            adc_noise=None,
            input_slices=mapping.input_slices or "apart",
            compensation=None,
        ),
        device=Device(device.g_min_us, device.g_max_us, device.read_v, iv=device.iv),
        faults=Faults(),
        ranges=Ranges(),
        timing=None,
        energy=None,
        area=None,
        published=None,
    )


def calibrated(image: Image, arch: Arch, inputs: Mapping[str, np.ndarray], method: str, percentile: float) -> Arch:
    """The chip with ranges as `calibrate` chooses them of `inputs`, if it has any calibrated and knows none.

    Raises EmuErrors.
    """
    if CALIBRATED not in (arch.mapping.adc_range, arch.mapping.input_range) or arch.ranges.groups:
        return arch
    return replace(arch, ranges=_ranges(image, calibrate(image, arch, inputs, method, percentile)))


def ranges_text(image: Image, groups: list[GroupRanges], said: str) -> str:
    """The tables of the file that `--analog` takes, under a comment of one line."""
    arch = replace(image.arch, mapping=CellMapping(adc_range=CALIBRATED), ranges=_ranges(image, groups))
    return f"# {said}\n\n{arch_to_toml(arch, only=_WRITTEN)}"


def _ranges(image: Image, groups: list[GroupRanges]) -> Ranges:
    return Ranges(network_of(image), tuple(each.row for each in groups))


def _slices_of(group: GroupCurrents, method: str, percentile: float) -> tuple[SliceRange, ...]:
    return tuple(
        SliceRange(facts, found, *chosen_range(found, facts, method, percentile))
        for facts, found in zip(group.facts, group.found, strict=True)
    )


def _measured(
    image: Image, chip: Arch, own: Arch, inputs: Mapping[str, np.ndarray], advance: Callable[[], None]
) -> dict[Place, GroupCurrents]:
    """What all array groups get, on `chip`; the converters are those of the chip `own`."""
    found: dict[Place, GroupCurrents] = {}
    least = cells_of(chip).g0
    options = RunOptions(sequential=True, timeout=None, analog=chip_text(chip))
    with power_on_sequential(image.path, options) as powered:
        for core, resumable in powered.resumables.items():
            for number, group in enumerate(resumable.state.groups):
                watcher = GroupCurrents(own.crossbar.adc_bits, is_odd(own), least)
                found[core, number] = watcher
                _watch(group, watcher)
        for _ in powered.stream(each_sample(inputs)):
            advance()
    return found


def _watch(group: Crossbar, watcher: GroupCurrents) -> None:
    if isinstance(group, BankCrossbar):
        group.each(lambda made: _watch(made, watcher))
    elif isinstance(group, AnalogCrossbar):
        group.observe(watcher)
