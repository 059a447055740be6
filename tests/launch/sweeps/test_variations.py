"""Keys and values of a sweep: how they are read, what is refused, and the chips that they give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch.read import load_arch, preset_names
from emu.arch.schema import schema
from emu.arch.write import arch_entries
from emu.errors import ArchError, InputError
from emu.timing.chip.needed import figure
from launch.sweeps.variations import (
    MOST,
    changed_chip,
    changes_text,
    combinations,
    parse_variations,
    value_text,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("crossbar.adc_count=1,2,4", (1, 2, 4)),
        (" chip.cores = 16, 32 ", (16, 32)),
        ("core.local_memory=64 KiB,1 MiB,7", (1 << 16, 1 << 20, 7)),
        ("network.contention=none,links", ("none", "links")),
        ('network.contention="links"', ("links",)),
        ("timing.crossbar.read_ns=1,2.5", (1.0, 2.5)),
        ('core.functions=["*"],["vvadd","vvsub"]', (("*",), ("vvadd", "vvsub"))),
        ("network.latency_table_ns=[[0,1],[1,0]]", (((0.0, 1.0), (1.0, 0.0)),)),
    ],
)
def test_values_are_those_of_the_architecture_file(text: str, values: tuple) -> None:
    (found,) = parse_variations([text])
    assert found.values == values
    assert found.key == text.partition("=")[0].strip()


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["chip.cores"], "names no key with values: write it as crossbar.adc_count=1,2,4"),
        (["chip.cores="], "names no key with values"),
        (["=1"], "names no key with values"),
        (["crossbar.adc_cuont=1"], "crossbar.adc_cuont: .* no such key; did you mean 'crossbar.adc_count'"),
        (["adc_count=1"], "no such key; did you mean 'crossbar.adc_count'"),
        (["timing=1"], "vary timing: an architecture file has no such key"),
        (["crossbar.adc_count=0"], "crossbar.adc_count must be from 1 to"),
        (["crossbar.adc_count=1,,2"], "crossbar.adc_count must be an integer, not ''"),
        (["crossbar.adc_count=1]\nother = [2"], "crossbar.adc_count must be an integer"),
        (["timing.crossbar.read_ns=nan"], "timing.crossbar.read_ns must be from 0.001 to 1e9, not nan"),
        (["timing.crossbar.read_ns=inf"], "timing.crossbar.read_ns must be from 0.001 to 1e9, not inf"),
        (["network.contention=lnks"], "must be one of none, links, shared, not 'lnks'; did you mean 'links'"),
        (["chip.cores=1,0x1"], "chip.cores: 1 is named twice"),
        (["chip.cores=1", "chip.cores=2"], "chip.cores=... is given more than once"),
        (
            [f"chip.cores={','.join(map(str, range(1, 102)))}", f"core.events={','.join(map(str, range(1, 101)))}"],
            "10100",
        ),
    ],
)
def test_bad_keys_and_values(texts: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_variations(texts)
    assert MOST == 10_000


def test_the_last_key_changes_first() -> None:
    found = combinations(parse_variations(["chip.cores=1,2", "timing.window=4,3"]))
    assert [tuple(changes.values()) for changes in found] == [(1, 4), (1, 3), (2, 4), (2, 3)]
    assert changes_text(found[0]) == "chip.cores=1, timing.window=4"


@given(st.data())
def test_a_chip_has_the_value_of_the_key_and_all_else_as_before(data: st.DataObject) -> None:
    base = load_arch(data.draw(st.sampled_from(preset_names())))
    key = data.draw(st.sampled_from(["chip.cores", "crossbar.adc_count", "timing.window", "timing.adc.convert_ns"]))
    value = data.draw(st.integers(1, 64))
    try:
        chip = changed_chip(base, {key: value})
    except ArchError as error:
        assert str(error).startswith(f"{base.name}: ")
        return
    assert figure(chip, key) == value
    others = [{(t, k): v for t, k, v in arch_entries(arch) if f"{t}.{k}" != key} for arch in (base, chip)]
    assert others[0] == others[1]
    assert changed_chip(chip, {key: figure(chip, key)}) == chip


def test_values_that_contradict_the_rest_are_refused() -> None:
    with pytest.raises(ArchError, match=r"^puma: crossbar.adc_count 256 exceeds the 128 bit lines"):
        changed_chip(load_arch("puma"), {"crossbar.adc_count": 256})


@given(st.one_of(st.integers(), st.floats(0, 1e9), st.booleans(), st.tuples(st.integers(), st.integers())))
def test_the_text_of_a_value_reads_as_the_value(value: object) -> None:
    import tomllib

    found = tomllib.loads(f"x = {value_text(value)}")["x"]
    assert (tuple(found) if isinstance(value, tuple) else found) == value


def test_every_key_of_the_file_can_be_varied() -> None:
    """Each is found under its name, where `figure` finds what the presets say of it."""
    chips = [load_arch(name) for name in preset_names()]
    for chip in chips:
        for table, key, _ in arch_entries(chip):
            value = figure(chip, f"{table}.{key}")
            assert value is not None
            assert schema()[table][key].check.read(value) == value
            if value != "":
                assert figure(changed_chip(chip, {f"{table}.{key}": value}), f"{table}.{key}") == value
