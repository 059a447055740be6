"""The answer of `emu calibrate`: what was measured and chosen, by layer, and by array group and slice in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from emu.wording import counted
from launch.analog.calibration import GroupRanges, SliceRange
from launch.text.answer import Answer, Table
from launch.text.units import number_text

TITLES = ("layer", "groups", "largest input", "lowest", "highest", "lossless bits", "bits of the data", "range")


def calibration_answer(groups: Sequence[GroupRanges], how: str, **said: Any) -> Answer:
    """Table and plain values, and `how` it was done, for people; `said` are further values, among them image and file.

    Bits are those of the largest need of all slices of a layer's weights.
    """
    layers: dict[str, list[GroupRanges]] = {}
    for group in groups:
        layers.setdefault(group.layer, []).append(group)
    values = [_layer(name, found) for name, found in layers.items()]
    rows = [tuple("" if value is None else _text(value) for value in each.values()) for each in values]
    table = Table("", TITLES, [(*row[:-2], f"{row[-2]} to {row[-1]}") for row in rows], "lrrrrrrl")
    file = [f"written: {said['file']}"] if said["file"] else []
    head = (
        f"{said['image']}: {counted(len(groups), 'array group')}, {how}; currents in those of one cell of the highest"
        " conductance at the whole voltage"
    )
    answer = {**said, "layers": values, "groups": [_group(group) for group in groups]}
    return Answer(answer, [head, table, *file])


def _layer(name: str, groups: Sequence[GroupRanges]) -> dict[str, Any]:
    slices = [each for group in groups for each in group.slices]
    measured = [each for each in slices if not each.found.empty]
    return {
        "layer": name,
        "groups": len(groups),
        "input_max": max(group.input_max for group in groups) or None,
        "lowest": min((each.found.lowest for each in measured), default=None),
        "highest": max((each.found.highest for each in measured), default=None),
        "lossless_bits": _most(each.facts.lossless_bits for each in slices),
        "data_bits": _most(map(_data_bits, slices)),
        "low": min(each.low for each in slices),
        "high": max(each.high for each in slices),
    }


def _group(group: GroupRanges) -> dict[str, Any]:
    return {
        "core": group.core,
        "group": group.group,
        "layer": group.layer,
        "input_max": group.input_max or None,
        "slices": [_slice(each) for each in group.slices],
    }


def _slice(each: SliceRange) -> dict[str, Any]:
    empty = each.found.empty
    return {
        "lowest": None if empty else each.found.lowest,
        "highest": None if empty else each.found.highest,
        "unit": each.facts.unit,
        "lossless_bits": each.facts.lossless_bits,
        "data_bits": _data_bits(each),
        "low": each.low,
        "high": each.high,
    }


def _data_bits(each: SliceRange) -> int | None:
    return None if each.found.empty else each.facts.bits_for(each.found.lowest, each.found.highest)


def _most(bits: Any) -> int | None:
    return max((each for each in bits if each is not None), default=None)


def _text(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
