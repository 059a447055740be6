"""Ranges of array groups that were measured on data: table [ranges], and whether they belong to an image."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from emu.arch.checks import Limits
from emu.arch.key import TEXT, key
from emu.errors import ArchError, shown

if TYPE_CHECKING:
    from emu.arch.chip import Arch

Pairs = tuple[tuple[float, float], ...]
Row = tuple[int, int, str, float, Pairs]
_ROW = "[core, group, layer, input_max, [[lowest, highest], ...]]"
_GIVEN = "give the file that `emu calibrate` writes, too"
_AGAIN = "run `emu calibrate` on this image"


class GroupRange(NamedTuple):
    """What was measured of one array group: its layer, its largest input, and the currents of each slice.

    `input_max` is 0 where inputs are integers, which keep their own range. `limits`: one pair for all slices of
    weights or one for each, the lowest bits first, as `mapping.adc_limits`.
    """

    layer: str
    input_max: float
    limits: Pairs


class RangeRows:
    """Rows of ranges, sorted by core and group, each group once."""

    def read(self, value: object) -> tuple[Row, ...]:
        """The checked rows; raises ValueError with what was expected."""
        if not isinstance(value, (list, tuple)) or not value:
            raise ValueError(f"must be a list of rows {_ROW}, not {shown(value)}")
        rows = sorted((_row(place, row) for place, row in enumerate(value)), key=lambda row: row[:2])
        for one, other in pairwise(rows):
            if one[:2] == other[:2]:
                raise ValueError(f"has two rows of core {one[0]}, group {one[1]}: leave one out")
        return tuple(rows)


def _row(place: int, row: object) -> Row:
    if not isinstance(row, (list, tuple)) or len(row) != 5:
        raise ValueError(f"row {place} must be {_ROW}, not {shown(row)}")
    core, group, layer, input_max, limits = row
    for name, number in (("core", core), ("group", group)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise ValueError(f"row {place}: the {name} must be a number from 0 on, not {shown(number)}")
    if not isinstance(layer, str):
        raise ValueError(f"row {place}: the layer must be a name, not {shown(layer)}")
    if not isinstance(input_max, (int, float)) or isinstance(input_max, bool) or not 0 <= input_max < math.inf:
        raise ValueError(f"row {place}: the largest input must be a number from 0 on, not {shown(input_max)}")
    try:
        return core, group, layer, float(input_max), Limits().read(limits)
    except ValueError as error:
        raise ValueError(f"row {place}: the ranges of currents: {error}") from None


@dataclass(frozen=True, slots=True)
class Ranges:
    """What `emu calibrate` measured of an image, for `calibrated` ranges."""

    network: str | None = key(
        TEXT, "the programs and weights that the ranges were measured of, as `emu calibrate` names them", implied=True
    )
    groups: tuple[Row, ...] | None = key(
        RangeRows(),
        f"of each array group a row `{_ROW}`: the largest input (0 for integers), and the lowest and the highest"
        " current of all slices of weights, or of each, the lowest bits first, as in `mapping.adc_limits`",
        implied=True,
    )

    def of(self, core: int, number: int) -> GroupRange | None:
        """What was measured of array group `number` of a core; None if nothing was."""
        rows = self.groups or ()
        place = bisect_left(rows, (core, number), key=lambda row: row[:2])
        return GroupRange(*rows[place][2:]) if place < len(rows) and rows[place][:2] == (core, number) else None


def calibrated_keys(arch: Arch) -> list[str]:
    """The keys of a chip that ask for ranges."""
    asking = {"mapping.adc_range": arch.mapping.adc_range, "mapping.input_range": arch.mapping.input_range}
    return [name for name, value in asking.items() if value == "calibrated"]


def check_ranges(arch: Arch, digest: str, layers: Mapping[tuple[int, int], str]) -> None:
    """Raise ArchError unless the ranges of a chip are of this image, or none are asked for and none are there.

    `digest` is what `ranges.network` must be; `layers` the name of the layer of each array group, by core and number.
    """
    ranges, asking = arch.ranges, calibrated_keys(arch)
    if ranges.groups is None:
        if asking:
            raise ArchError(f'{arch.title}: {asking[0]} is "calibrated", but there is no table [ranges]: {_GIVEN}')
        return
    if ranges.network != digest:
        raise ArchError(f"{arch.title}: ranges.network: these ranges are of another network or mapping: {_AGAIN}")
    for core, group, layer, *_ in ranges.groups:
        place = f"{arch.title}: ranges.groups: core {core}, group {group}"
        if (core, group) not in layers:
            raise ArchError(f"{place} is not in the image: {_AGAIN}")
        if layer != (own := layers[core, group]):
            raise ArchError(f"{place} is a range of layer {shown(layer)}, but holds {shown(own)}: {_AGAIN}")
    for (core, group), layer in layers.items():
        if asking and ranges.of(core, group) is None:
            place = f"core {core}, group {group} (layer {shown(layer)})"
            raise ArchError(f"{arch.title}: ranges.groups has no row of {place}: {_AGAIN}")
