"""Ranges of array groups that were measured on data: table [ranges]."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from emu.arch.checks import Limits
from emu.arch.key import TEXT, key
from emu.errors import shown

Pairs = tuple[tuple[float, float], ...]
Row = tuple[int, int, str, float, Pairs]
_ROW = "[core, group, layer, input_max, [[lowest, highest], ...]]"


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
