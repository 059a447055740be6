"""Ranges of array groups in a file, and whether they belong to an image."""

import random

import pytest
from hypothesis import given
from strategies_archs import values

from emu.arch.calibrated import check_ranges
from emu.arch.ranges import RangeRows
from emu.arch.read import arch_from_dict, parse_arch
from emu.arch.write import arch_to_toml
from emu.errors import ArchError

TEXT = """
[mapping]
adc_range = "calibrated"
[ranges]
network = "abc"
groups = [
  [3, 1, "fc", 2.5, [[-1, 1], [-0.5, 8]]],
  [0, 0, "conv", 0, [[0, 12]]],
]
"""
LAYERS = {(3, 1): "fc", (0, 0): "conv"}


def test_a_group_has_its_layer_its_largest_input_and_its_currents():
    ranges = parse_arch(TEXT, "r.toml").ranges
    found = ranges.of(3, 1)
    assert found is not None
    assert (found.layer, found.input_max, found.limits) == ("fc", 2.5, ((-1, 1), (-0.5, 8)))
    assert ranges.of(0, 0) == ("conv", 0, ((0, 12),))
    assert [ranges.of(*place) for place in ((0, 1), (3, 0), (4, 1))] == [None] * 3


@given(rows=values(RangeRows()), seed=...)
def test_ranges_are_written_and_read_again_in_any_order(
    rows: list[tuple[int, int, str, float, list[list[float]]]], seed: int
):
    arch = arch_from_dict({"ranges": {"groups": rows}}, "here")
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert arch == arch_from_dict({"ranges": {"groups": shuffled}}, "here")
    assert arch == parse_arch(arch_to_toml(arch), "again.toml") == arch_from_dict(arch.to_dict(), "again")
    for core, group, layer, input_max, limits in rows:
        assert arch.ranges.of(core, group) == (layer, input_max, tuple(tuple(pair) for pair in limits))


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("1", r"row 0 must be \[core, group, layer, input_max, .*\], not 1"),
        ('[0, 0, "conv", 1]', "row 0 must be "),
        ('[-1, 0, "conv", 1, [[0, 1]]]', "row 0: the core must be a number from 0 on, not -1"),
        ('[0, true, "conv", 1, [[0, 1]]]', "row 0: the group must be a number from 0 on, not True"),
        ("[0, 0, 5, 1, [[0, 1]]]", "row 0: the layer must be a name, not 5"),
        ('[0, 0, "conv", -2, [[0, 1]]]', "row 0: the largest input must be a number from 0 on, not -2"),
        ('[0, 0, "conv", inf, [[0, 1]]]', "row 0: the largest input must be a number from 0 on, not inf"),
        ('[0, 0, "conv", 1, [[1, 1]]]', "row 0: the ranges of currents: pair 0: the lowest, 1, must be below"),
        ('[0, 0, "conv", 1, []]', "row 0: the ranges of currents: must be a list of 1 to 64 pairs"),
        ('[0, 0, "a", 1, [[0, 1]]], [0, 0, "b", 1, [[0, 1]]]', "has two rows of core 0, group 0: leave one out"),
    ],
)
def test_what_is_no_row_of_ranges_is_refused_by_file_line_and_row(row: str, sentence: str):
    with pytest.raises(ArchError, match=f"r.toml, line 2: ranges.groups {sentence}"):
        parse_arch(f"[ranges]\ngroups = [{row}]\n", "r.toml")


def test_ranges_of_the_image_are_accepted():
    check_ranges(parse_arch(TEXT, "r.toml"), "abc", LAYERS)
    check_ranges(parse_arch("", "r.toml"), "abc", LAYERS)
    check_ranges(parse_arch(TEXT.replace('adc_range = "calibrated"', ""), "r.toml"), "abc", {**LAYERS, (5, 0): "new"})


@pytest.mark.parametrize(
    ("digest", "layers", "sentence"),
    [
        ("abd", LAYERS, "ranges.network: these ranges are of another network or mapping"),
        ("abc", {(0, 0): "conv"}, "ranges.groups: core 3, group 1 is not in the image"),
        ("abc", {**LAYERS, (3, 1): "fc2"}, "ranges.groups: core 3, group 1 is a range of layer 'fc', but holds 'fc2'"),
        ("abc", {**LAYERS, (5, 0): "new"}, r"ranges.groups has no row of core 5, group 0 \(layer 'new'\)"),
    ],
)
def test_ranges_of_something_else_are_refused(digest: str, layers: dict[tuple[int, int], str], sentence: str):
    with pytest.raises(ArchError, match=f"^architecture r.toml: {sentence}.*: run `emu calibrate` on this image$"):
        check_ranges(parse_arch(TEXT, "r.toml"), digest, layers)


@pytest.mark.parametrize("key", ["adc_range", "input_range"])
def test_calibrated_without_ranges_asks_for_them(key: str):
    arch = parse_arch(f'[mapping]\n{key} = "calibrated"\n', "a.toml")
    with pytest.raises(ArchError, match=f'mapping.{key} is "calibrated", but there is no table \\[ranges\\]: give the'):
        check_ranges(arch, "abc", LAYERS)
