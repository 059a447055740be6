"""Keys and values of a sweep: how they are read, and what is refused."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.sweeps.space import Space
from launch.sweeps.values import typed_text, value_text
from launch.sweeps.variations import changes_text, parse_variations


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
        ("chip.cores=4..7", (4, 5, 6, 7)),
        ("chip.cores=1,64..256..64,7", (1, 64, 128, 192, 256, 7)),
        ("chip.cores=64..1024..2x", (64, 128, 256, 512, 1024)),
        ("timing.crossbar.read_ns=50..70..10", (50.0, 60.0, 70.0)),
        ("cores=64,none", (64, None)),
        ("cores=2..4", (2, 3, 4)),
        ("duplicate=none,throughput", (None, "throughput")),
        ('duplicate="8,2,1",latency', ("8,2,1", "latency")),
        ("pipelined=no,yes", (False, True)),
        ("remap_rows=true,false", (True, False)),
        ("products=constant,all", ("constant", "all")),
        ("chips=1,auto", ("1", "auto")),
        ("granularity=image,rows:4", ("image", "rows:4")),
        ("shape={in0=[1,3,8,8]},none", ({"in0": (1, 3, 8, 8)}, None)),
        ("flow=rendezvous,credits:4", ("rendezvous", "credits:4")),
        ("samples=4", (4,)),
        ("arch=isaac,puma", ("isaac", "puma")),
    ],
)
def test_values_are_those_of_the_architecture_file_and_of_options(text: str, values: tuple) -> None:
    (found,) = parse_variations([text])
    assert found.rows == tuple((value,) for value in values)
    (key,) = found.keys
    assert key.name == text.partition("=")[0].strip().replace("remap_rows", "remap-rows")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["chip.cores"], "names no key with values: write it as crossbar.adc_count=1,2,4"),
        (["chip.cores="], "names no key with values"),
        (["=1"], "names no key with values"),
        (["chip.cores==1"], "names no key with values"),
        (["crossbar.adc_cuont=1"], "crossbar.adc_cuont: .* no such key.*; did you mean 'crossbar.adc_count'"),
        (["adc_count=1"], "no such key, .*; did you mean 'crossbar.adc_count'"),
        (["duplicte=none"], "duplicte: .* no such option; did you mean 'duplicate'"),
        (["host_fallback=yes"], "no such option"),
        (["timing=1"], "vary timing: an architecture file has no such key"),
        (["crossbar.adc_count=0"], "crossbar.adc_count must be from 1 to"),
        (["crossbar.adc_count=1,,2"], "crossbar.adc_count must be an integer, not ''"),
        (["crossbar.adc_count=1]\nother = [2"], "crossbar.adc_count must be an integer"),
        (["timing.crossbar.read_ns=nan"], "timing.crossbar.read_ns must be from 0.001 to 1e9, not nan"),
        (["timing.crossbar.read_ns=inf"], "timing.crossbar.read_ns must be from 0.001 to 1e9, not inf"),
        (["network.contention=lnks"], "must be one of none, links, shared, not 'lnks'; did you mean 'links'"),
        (["chip.cores=1,0x1"], "chip.cores: 1 is named twice"),
        (["chip.cores=1", "chip.cores=2"], "chip.cores=... is given more than once"),
        (["chip.cores=core.crossbars=1", "core.crossbars=2"], "core.crossbars=... is given more than once"),
        (["chip.cores=9..4"], "the range 9..4 is empty: write it as 4..9"),
        (["chip.cores=4..9..0"], "the range 4..9..0 never ends"),
        (["chip.cores=4..9..1x"], "the range 4..9..1x never ends"),
        (["chip.cores=0..9..2x"], "the range 0..9..2x never ends"),
        (["chip.cores=1..1000000"], "has more than 65536 values"),
        (["network.contention=1..3"], "network.contention must be a string, not 1"),
        (["cores=0"], "cores 0 is no number of cores"),
        (["cores=many"], "cores 'many' is no number of cores"),
        (["duplicate=thruput"], "duplicate 'thruput' is unknown: use one of"),
        (["pipelined=maybe"], "pipelined 'maybe' is neither True nor False"),
        (["granularity=4"], "granularity '4' is unknown: use 'image'"),
        (["packing=none"], "packing 'none' is unknown"),
        (["shape=in0"], "shapes 'in0' must be a dictionary"),
        (["flow=credits:0"], "flow 'credits:0' is unknown"),
        (["arch=puna"], "neither a preset .* nor a file; did you mean 'puma'"),
        (["crossbar.rows:crossbar.adc_bits=64:7,128"], "'128' has 1 value for 2 keys: write them as"),
        (["crossbar.rows:crossbar.adc_bits=64:7:8"], "'64:7:8' has 3 values for 2 keys"),
        (["crossbar.rows:crossbar.adc_bits=64:7,64:7"], "64:7 is named twice"),
        (["chip.cores=core.crossbars:core.events=1:2"], "both by = and by :"),
    ],
)
def test_bad_keys_and_values(texts: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_variations(texts)


def test_tied_keys_take_their_values_together() -> None:
    found = parse_variations(["crossbar.rows=crossbar.dac_count=64,128", "chip.cores:cores=4:none,8:2"])
    assert [variation.name for variation in found] == ["crossbar.rows=crossbar.dac_count", "chip.cores:cores"]
    space = Space(found)
    assert space.size == 4
    assert [tuple(space.at(number).values()) for number in range(4)] == [
        *((64, 64, 4, None), (64, 64, 8, 2), (128, 128, 4, None), (128, 128, 8, 2))
    ]
    assert changes_text(space.at(0)) == "crossbar.rows=64, crossbar.dac_count=64, chip.cores=4, cores=none"


def test_a_chip_may_be_a_file_with_any_name(tmp_path: Path) -> None:
    file = tmp_path / "my, own: chip.toml"
    file.write_text('[chip]\nbase = "puma"\n')
    (found,) = parse_variations([f"arch=puma,{typed_text(str(file))}"])
    assert found.rows == (("puma",), (str(file),))
    assert parse_variations([found.typed]) == (found,)


SIZES = st.lists(st.integers(1, 9), max_size=3).map(tuple)
WHOLE = ["chip.cores", "core.crossbars", "cores", "samples"]
VALUES = {
    "chip.cores": st.integers(1, 60000),
    "timing.crossbar.read_ns": st.floats(0.01, 1e6),
    "network.contention": st.sampled_from(["none", "links", "shared"]),
    "core.functions": st.lists(st.sampled_from(["vvadd", "vvsub", "*"]), max_size=2).map(tuple),
    "crossbar.differential": st.booleans(),
    "chip.note": st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8),
    "cores": st.none() | st.integers(1, 99),
    "duplicate": st.sampled_from([None, "latency", "throughput", "8,2,1"]),
    "granularity": st.sampled_from(["image", "auto", "rows:4"]),
    "chips": st.sampled_from([None, "auto", "3"]),
    "stagger": st.booleans(),
    "shape": st.dictionaries(
        st.sampled_from(["in0", "x"]), st.lists(st.integers(1, 9), max_size=3).map(tuple), min_size=1
    ),
    "flow": st.sampled_from(["rendezvous", "credits:4"]),
}


@given(st.data())
def test_the_text_of_a_variation_reads_as_the_variation(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3, unique=True))
    rows = data.draw(st.lists(st.tuples(*(VALUES[name] for name in names)), min_size=1, max_size=4, unique_by=str))
    texts = list(dict.fromkeys(":".join(map(typed_text, row)) for row in rows))
    (found,) = parse_variations([f"{':'.join(names)}={','.join(texts)}"])
    assert [key.name for key in found.keys] == names
    assert len(found.rows) == len(texts) and set(map(str, found.rows)) <= set(map(str, rows))


@given(
    st.lists(st.sampled_from(WHOLE), min_size=2, max_size=4, unique=True),
    st.lists(st.integers(1, 99), min_size=1, max_size=5, unique=True),
)
def test_a_tie_by_equality_is_a_tie_in_step(names: list[str], values: list[int]) -> None:
    (equal,) = parse_variations([f"{'='.join(names)}={','.join(map(str, values))}"])
    rows = (":".join([str(value)] * len(names)) for value in values)
    assert parse_variations([f"{':'.join(names)}={','.join(rows)}"]) == (equal,)
    assert equal.rows == tuple((value,) * len(names) for value in values)


@given(st.integers(1, 500), st.integers(0, 400), st.integers(1, 60), st.booleans())
def test_a_range_is_the_list_that_it_stands_for(first: int, more: int, step: int, factors: bool) -> None:
    last = first + more
    expected = [*range(first, last + 1, step)]
    if factors:
        step += 1
        expected = [first * step**power for power in range(9) if first * step**power <= last]
    (found,) = parse_variations([f"chip.cores={first}..{last}..{step}{'x' if factors else ''}"])
    assert found.values_of("chip.cores") == expected


@given(st.one_of(st.integers(), st.floats(0, 1e9), st.booleans(), st.tuples(st.integers(), st.integers())))
def test_the_text_of_a_value_reads_as_the_value(value: object) -> None:
    found = tomllib.loads(f"x = {value_text(value)}")["x"]
    assert (tuple(found) if isinstance(value, tuple) else found) == value
