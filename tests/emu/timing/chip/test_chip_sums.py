"""Sums of the components of published chips, row by row, beside the totals that their authors print."""

from dataclasses import replace

import pytest
from draws import examples
from hypothesis import given, settings
from strategies_archs import archs

from emu.arch import Arch
from emu.arch.components import COMPONENTS, LEVELS
from emu.arch.read import load_arch, parse_arch
from emu.timing.chip.components import instances, level_count, parts_within, placed
from emu.timing.chip.sums import comparisons, lacking, levels, totals

ISAAC = {  # per level: component, how many, mW and mm2 of all (Shafiee et al., Table I; the arrays' rows per array)
    "crossbar": [
        ("crossbar", 1, 2.4 / 8, 0.0002 / 8),
        ("dac", 128, 4 / 8, 0.00017 / 8),
        ("adc", 1, 16 / 8, 0.0096 / 8),
        ("sample_hold", 128, 0.01 / 8, 0.00004 / 8),
    ],
    "mvmu": [
        ("shift_add", 4, 0.2, 0.00024),
        ("input_register", 1, 1.24, 0.0021),
        ("output_register", 1, 0.23, 0.00077),
    ],
    "core": [
        ("special", 2, 0.52, 0.0006),
        ("pool", 1, 0.4, 0.00024),
        ("accumulator", 1, 0.05, 0.00006),
        ("local_memory", 1, 20.7, 0.083),
        ("output_buffer", 1, 1.68, 0.0032),
        ("bus", 1, 7, 0.09),
    ],
    "cluster": [("router", 1, 42, 0.151)],
    "chip": [("offchip", 4, 10400, 22.88)],
}
PUMA = {
    "crossbar": [],
    "mvmu": [("mvmu", 1, 19.09, 0.012)],
    "core": [
        ("vector", 1, 1.9, 0.004),
        ("special", 1, 0.055, 0.0006),
        ("register_file", 1, 0.477, 0.00192),
        ("control", 1, 0.25, 0.0033),
        ("instruction_memory", 1, 1.52, 0.0031),
    ],
    "cluster": [
        ("local_memory", 1, 17.66, 0.086),
        ("bus", 1, 7, 0.09),
        ("receive_buffer", 1, 9.14, 0.0044),
        ("attribute_memory", 1, 2.77, 0.012),
        ("cluster_control", 1, 0.5, 0.00145),
        ("cluster_instruction_memory", 1, 1.91, 0.0054),
    ],
    "chip": [("router", 1, 570.63, 1.622), ("offchip", 1, 10400, 22.88)],
}


@pytest.mark.parametrize(("name", "table"), [("isaac", ISAAC), ("puma", PUMA)])
def test_rows_are_those_of_the_paper(name, table):
    for level in levels(load_arch(name)):
        found = [(row.component, row.count, row.count * row.power_mw, row.count * row.mm2) for row in level.rows]
        assert [row[:2] for row in found] == [row[:2] for row in table[level.name]]
        for row, expected in zip(found, table[level.name], strict=True):
            assert row[2:] == pytest.approx(expected[2:], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "inner"),
    [("isaac", [0, 8, 12, 4, 42]), ("puma", [0, 8, 2, 8, 138]), ("tiny", [0, 1, 4, 1, 1024])],
)
def test_levels_hold_each_other(name, inner):
    assert [level.name for level in levels(load_arch(name))] == list(LEVELS[:-1])
    assert [level.inner for level in levels(load_arch(name))] == inner


def test_isaac_sums_to_what_its_paper_prints():
    found = totals(load_arch("isaac"))
    assert found["mvmu_power_mw"] == pytest.approx(24.08) and found["mvmu_mm2"] == pytest.approx(0.01312)
    assert found["shared_core_power_mw"] == pytest.approx(329.81)
    assert found["chip_power_mw"] == pytest.approx(168 * 329.81 + 10400)
    assert found["chip_mm2"] == pytest.approx(85.42472)
    assert found["peak_tops"] == pytest.approx(16128 * 4096 / 1.6e6)
    differences = {each.key: each.difference for each in comparisons(load_arch("isaac"))}
    within = {"chip_power_mw": 2e-4, "chip_mm2": 5e-4, "peak_tops": 5e-4, "gops_per_w": 5e-4}
    assert all(abs(differences[key]) < limit for key, limit in within.items())


def test_puma_sums_to_what_its_paper_prints_but_for_what_is_explained():
    found = totals(load_arch("puma"))
    assert found["core_power_mw"] == pytest.approx(42.382)
    assert found["cluster_power_mw"] == pytest.approx(8 * 42.382 + 38.98)
    assert found["chip_power_mw"] == pytest.approx(138 * 378.036 + 10970.63)
    assert (found["product_ns"], found["product_nj"]) == (2304, pytest.approx(43.97, rel=4e-4))
    assert found["peak_tops"] == pytest.approx(2208 * 32768 / 2304 / 1e3)
    each = {comparison.key: comparison for comparison in comparisons(load_arch("puma"))}
    assert each["chip_power_mw"].difference == pytest.approx(0.0102, abs=1e-4)
    assert each["chip_mm2"].difference == pytest.approx(0.0238, abs=1e-4)


@pytest.mark.parametrize("name", ["isaac", "puma"])
def test_every_difference_is_explained(name):
    found = comparisons(load_arch(name))
    assert all(each.why for each in found if each.difference)
    assert not any(each.why for each in found if not each.difference)


def test_totals_are_not_read_from_what_is_published():
    arch = load_arch("isaac")
    assert totals(replace(arch, published=None)) == totals(arch)
    assert comparisons(replace(arch, published=None)) == []


def test_leakage_is_summed_apart():
    assert levels(load_arch("pimsim-latency"))[-1].static_mw == 65
    assert levels(load_arch("pimsim-latency"))[-1].power_mw is None


def test_what_a_sum_lacks_is_named():
    arch = parse_arch("[energy.adc]\npower_mw = 2\n[area.dac]\nmm2 = 1\n", "a.toml")
    assert lacking(arch) == {"power_mw": ["dac"], "mm2": ["adc"]}
    assert lacking(load_arch("isaac")) == lacking(load_arch("tiny")) == {}


def test_a_chip_without_figures_sums_to_nothing():
    assert totals(Arch()) == {} and all(level.power_mw is None for level in levels(Arch()))


def test_a_board_takes_what_its_chips_take():
    *below, chip, board = levels(load_arch("isaac-board"))
    assert [*below, chip] == levels(load_arch("isaac"))
    assert (board.name, board.inner, board.rows) == ("system", 16, ())
    assert board.power_mw == pytest.approx(16 * 65800, rel=1e-3) and board.mm2 == pytest.approx(16 * 85.4, rel=1e-3)
    found = totals(load_arch("isaac-board"))
    assert (found.pop("system_power_mw"), found.pop("system_mm2")) == (board.power_mw, board.mm2)
    assert found == totals(load_arch("isaac"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("crossbar", 128)),
        ("[crossbar]\nadc_count = 16", ("crossbar", 16)),
        ("[area.adc]\ncount = 3", ("crossbar", 3)),
        ("[area.adc]\nper = 'mvmu'", ("mvmu", 1)),
        ("[area.adc]\nper = 'core'\ncount = 5", ("core", 5)),
    ],
)
def test_how_many_there_are_follows_from_the_chip_or_is_stated(text, expected):
    arch = parse_arch(text, "a.toml")
    assert placed(arch, "adc") == expected
    assert instances(arch, "adc") == expected[1] * level_count(arch, expected[0])


@settings(max_examples=examples(5, 100))
@given(archs())
def test_the_chip_is_the_sum_of_all_its_instances(arch):
    chip = levels(arch)[-1]
    for figure, table in (("power_mw", arch.energy), ("static_mw", arch.energy), ("mm2", arch.area)):
        each = {name: getattr(getattr(table, name), figure) for name in COMPONENTS} if table else {}
        known = [value * instances(arch, name) for name, value in each.items() if value is not None]
        assert getattr(chip, figure) == (pytest.approx(sum(known)) if known else None)


@settings(max_examples=examples(5, 100))
@given(archs())
def test_parts_fill_the_chip(arch):
    for level in LEVELS[1:]:
        below = LEVELS[LEVELS.index(level) - 1]
        assert parts_within(arch, level) * level_count(arch, level) == level_count(arch, below)
