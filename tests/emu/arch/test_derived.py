"""Chips that are others with some keys changed."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch.derived import derived
from emu.arch.followed import followed
from emu.arch.read import load_arch, preset_names
from emu.arch.schema import schema
from emu.arch.write import arch_entries
from emu.errors import ArchError
from emu.timing.chip.needed import figure


@given(st.data())
def test_a_chip_has_the_value_of_the_key_and_all_else_as_before(data: st.DataObject) -> None:
    base = load_arch(data.draw(st.sampled_from(preset_names())))
    key = data.draw(st.sampled_from(["chip.cores", "crossbar.adc_count", "timing.window", "timing.adc.convert_ns"]))
    value = data.draw(st.integers(1, 64))
    try:
        chip = derived(base, {key: value})
    except ArchError as error:
        assert str(error).startswith(f"{base.name}: ")
        return
    assert figure(chip, key) == value
    follow = {(each.table, each.key) for each in followed(base) if any(key in law.keys for law, _ in each.laws)}
    table, _, name = key.rpartition(".")
    follow.add((table, name))
    assert chip.published == (base.published if chip == base else None)  # totals are those of the authors' chip
    unpublished = [replace(arch, published=None) for arch in (base, chip)]
    others = [{(t, k): v for t, k, v in arch_entries(arch) if (t, k) not in follow} for arch in unpublished]
    assert others[0] == others[1]
    assert derived(chip, {key: figure(chip, key)}) == chip


def test_values_that_contradict_the_rest_are_refused() -> None:
    with pytest.raises(ArchError, match=r"^puma: crossbar.adc_count 256 exceeds the 128 bit lines"):
        derived(load_arch("puma"), {"crossbar.adc_count": 256})


def test_every_key_of_the_file_can_be_varied() -> None:
    """Each is found under its name, where `figure` finds what the presets say of it."""
    chips = [load_arch(name) for name in preset_names()]
    for chip in chips:
        for table, key, _ in arch_entries(chip):
            value = figure(chip, f"{table}.{key}")
            assert value is not None
            assert schema()[table][key].check.read(value) == value
            if value != "":
                assert figure(derived(chip, {f"{table}.{key}": value}), f"{table}.{key}") == value
