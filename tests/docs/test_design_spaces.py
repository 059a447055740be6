"""docs/design-spaces.md: what ISAAC's and PUMA's papers say of their design spaces, and where the laws differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from design_spaces import ARRAYS, LANES, ROWS, SAR, SHARED, SURVEY, UNIT_SAR, UNIT_SURVEY, isaac, puma
from doc_tables import renewed
from snippets import ROOT

from emu.arch.derived import derived
from emu.arch.read import load_arch, parse_arch
from emu.arch.schema import figure
from emu.timing.chip.sums import levels, totals

PAGE = ROOT / "docs" / "design-spaces.md"


def best(values: dict[float, float]) -> float:
    """Where something is largest."""
    return max(values, key=lambda where: values[where])


def test_the_page_is_as_it_would_be_made_now() -> None:
    text = PAGE.read_text("utf-8")
    assert renewed(text) == text


@pytest.mark.parametrize("law", [SAR, SURVEY])
def test_converters_that_keep_up_with_a_read_are_the_best(law: tuple[str, ...]) -> None:
    for lines, most in ((64, 0.5), (128, 1), (256, 2)):
        assert best({adcs: isaac(lines, adcs, law=law).gops_per_mm2 for adcs in SHARED}) == most


def test_isaac_is_the_point_of_its_paper() -> None:
    whole, found = levels(load_arch("isaac")), isaac()
    tile, adcs = next(level for level in whole if level.name == "core"), 12 * 8
    router = next(level for level in whole if level.name == "cluster").rows[0]
    assert adcs * 2 / (tile.power_mw + router.power_mw / 4) == pytest.approx(0.582, abs=5e-4)
    assert adcs * 0.0012 / (tile.mm2 + router.mm2 / 4) == pytest.approx(0.309, abs=5e-4)
    assert found.mib_per_mm2 == pytest.approx(0.74, rel=0.005) == totals(load_arch("isaac"))["mib_per_mm2"]
    assert found.gops_per_mm2 == pytest.approx(478.95, rel=0.01) and found.gops_per_w == pytest.approx(627.5, rel=1e-3)


def test_storage_is_at_the_price_of_computing() -> None:
    for lines in ROWS[1:]:  # of 64 bit lines the converters of half the arrays wait for reads
        found = [isaac(lines, adcs) for adcs in SHARED if adcs <= lines / 128]
        assert sorted(found, key=lambda each: each.gops_per_mm2) == found
        assert sorted(found, key=lambda each: -each.mib_per_mm2) == found
    few, own = isaac(128, 0.25), isaac(128, 1)
    assert few.mib_per_mm2 / own.mib_per_mm2 == pytest.approx(1.21, abs=0.005)
    assert few.gops_per_mm2 / own.gops_per_mm2 == pytest.approx(0.30, abs=0.005)


def test_larger_arrays_are_better_here_though_not_in_the_paper() -> None:
    for law in (SAR, SURVEY):
        by_size = [isaac(lines, 1, law=law).gops_per_mm2 for lines in ROWS]
        assert sorted(by_size) == by_size
    by_arrays = [isaac(arrays=arrays).gops_per_mm2 for arrays in ARRAYS]
    assert sorted(by_arrays) == by_arrays


@pytest.mark.parametrize(("law", "energy", "area"), [(SAR, 1.18, 1.52), (SURVEY, 2.87, 1.37)])
def test_the_ninth_bit_of_a_converter(law: tuple[str, ...], energy: float, area: float) -> None:
    base = derived(load_arch("isaac"), {"energy.adc.scale": law, "area.adc.scale": law})
    more = derived(base, {"crossbar.adc_bits": 9})
    for key, ratio in (("energy.adc.convert_pj", energy), ("area.adc.mm2", area)):
        assert figure(more, key) / figure(base, key) == pytest.approx(ratio, abs=0.005)


def test_converters_by_the_survey_make_128_lines_the_best_for_power() -> None:
    assert best({lines: isaac(lines, 1, law=SURVEY).gops_per_w for lines in ROWS}) == 128
    assert best({lines: puma(lines, law=UNIT_SURVEY).gops_per_w for lines in (32, *ROWS, 512)}) == 128
    assert best({lines: puma(lines, law=UNIT_SAR).gops_per_w for lines in ROWS}) == 256


def test_units_of_puma_rise_to_128_and_lanes_only_cost() -> None:
    for law in (UNIT_SURVEY, UNIT_SAR):
        small, own = puma(64, law=law), puma(128, law=law)
        for ratio in (own.gops_per_mm2 / small.gops_per_mm2, own.gops_per_w / small.gops_per_w):
            assert 1.6 < ratio < 1.95
    by_lanes = [puma(lanes=lanes) for lanes in LANES]
    for what in ("gops_per_mm2", "gops_per_w"):
        values = [getattr(each, what) for each in by_lanes]
        assert sorted(values, reverse=True) == values


def test_the_file_of_the_page_is_a_point_of_its_table(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8").partition("```toml\n")[2].partition("```")[0]
    found = totals(parse_arch(text, "chip.toml"))
    assert (found["gops_per_mm2"], found["gops_per_w"]) == pytest.approx(
        (isaac(256, 2).gops_per_mm2, isaac(256, 2).gops_per_w), rel=1e-12
    )
