"""What chips count and others leave out: sentences about sets of chips."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch.derived import derived
from emu.arch.read import load_arch, preset_names
from emu.timing.chip.sums import areas_of
from emu.timing.energy.counted import counted_of, unlike
from emu.timing.energy.energy import static_power

PRESETS = st.sampled_from(preset_names())


def test_a_constant_that_only_one_chip_has_is_told():
    told = unlike({name: load_arch(name) for name in ("isaac", "puma")})
    assert "static power: isaac counts offchip (10.4 W), of which puma says nothing" in told
    assert "energy of the work: isaac counts router, of which puma says nothing" in told
    assert any(line.startswith("area: puma counts vector (4.416 mm2)") for line in told)
    assert any(line.startswith("times: puma counts ") and line.endswith("isaac says nothing") for line in told)


def test_chips_that_say_nothing_of_a_kind_of_figure_have_nothing_to_compare():
    assert counted_of(load_arch("default")).rest is None and counted_of(load_arch("default")).time is None
    assert unlike({name: load_arch(name) for name in ("isaac", "default")}) == []


def test_three_chips_are_split_by_who_counts():
    isaac = load_arch("isaac")
    without = replace(isaac.energy, offchip=type(isaac.energy.offchip)())
    chips = {"a": isaac, "b": isaac, "c": replace(isaac, energy=without)}
    assert unlike(chips) == ["static power: a and b count offchip (10.4 W), of which c says nothing"]


@pytest.mark.parametrize("key", ["energy.bus.word_pj", "energy.adc.static_mw", "energy.mvmu.power_mw"])
def test_parts_of_an_mvm_unit_and_the_whole_have_one_name(key):
    chip = derived(load_arch("tiny"), {"energy.dac.convert_pj": 1.0, key: 1.0})
    found = counted_of(chip)
    assert set(found.work) == {"MVM units"} | ({"bus"} if "bus" in key else set())
    assert set(found.rest) == ({"MVM units"} if "static" in key else set())


@given(PRESETS, PRESETS)
def test_sums_are_those_of_the_chip_and_only_differences_are_told(one, other):
    chips = {"one": load_arch(one), "other": load_arch(other)}
    counts = {name: counted_of(chip) for name, chip in chips.items()}
    for name, chip in chips.items():
        if chip.energy:
            assert sum(counts[name].rest.values()) == pytest.approx(sum(static_power(chip, ()).chip.values()))
        if chip.area:
            assert sum(counts[name].area.values()) == pytest.approx(sum(areas_of(chip).values()))
    kinds = [[getattr(each, kind) for each in counts.values()] for kind in ("work", "rest", "area", "time")]
    both = [(set(a), set(b)) for a, b in kinds if None not in (a, b)]
    differ = sum(bool(a - b) + bool(b - a) for a, b in both)
    assert len(unlike(chips)) == differ
    assert unlike({"one": chips["one"], "same": chips["one"]}) == []
