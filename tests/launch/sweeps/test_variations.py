"""Keys and values of a sweep: how they are read, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.sweeps.variations import MOST, changes_text, combinations, parse_variations, value_text


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


@given(st.one_of(st.integers(), st.floats(0, 1e9), st.booleans(), st.tuples(st.integers(), st.integers())))
def test_the_text_of_a_value_reads_as_the_value(value: object) -> None:
    import tomllib

    found = tomllib.loads(f"x = {value_text(value)}")["x"]
    assert (tuple(found) if isinstance(value, tuple) else found) == value
