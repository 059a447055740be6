"""Figures by key, those that are needed, the time of a product, and what the dataclasses say of themselves."""

from dataclasses import fields

import pytest

from emu.arch import Arch
from emu.arch.components import COMPONENTS, LEVELS, PRICES, TIMES
from emu.arch.cost_models import COST_MODELS
from emu.arch.figures import Published, TotalReason
from emu.arch.read import load_arch, parse_arch
from emu.arch.schema import schema
from emu.errors import ArchError
from emu.timing.chip.needed import figure, missing, needed
from emu.timing.chip.product import product_ns

ODD = parse_arch(  # every time is 1 ns
    "[crossbar]\ndac_count = 3\nadc_count = 5\n"
    + "".join(
        f"[{table}]\n" + "".join(f"{key} = 1\n" for key in keys if key.endswith("_ns"))
        for table, keys in schema().items()
        if table.startswith("timing.")
    ),
    "odd.toml",
)
UNITS = (
    "_ns",
    "_s",
    "_us",
    "_ohm",
    "_nm",
    "_v",
    "_pj",
    "_nj",
    "_mw",
    "mm2",
    "_bytes",
    "_bits",
    "_gb_per_s",
    "_tops",
    "_per_w",
    "_per_mm2",
)
SHARES = {  # of cells, of the highest conductance or current, or in the numbers of a network
    "adc_noise",
    "column_limit",
    "first",
    "input_max",
    "programming_sigma",
    "read_sigma",
    "samples",
    "seed",
    "stuck_off",
    "stuck_on",
    "verify_pulses",
    "verify_tolerance",
    "weight_max",
    "weight_percentile",
}
COUNTS = {
    "endurance",
    "window",
    "local_ports",
    "lanes",
    "chip_lanes",
    "count",
    "dac_count",
    "adc_count",
    "adc_arrays",
    "parallel_rows",
}


def test_rows_of_components_name_what_there_is():
    rows = COMPONENTS.values()
    assert {row.level for row in rows} | {"system"} == set(LEVELS)
    assert ({row.time for row in rows}, {row.price for row in rows}) == ({*TIMES, ""}, {*PRICES, ""})
    counted = [key for row in rows if not isinstance(row.count, int) for key in row.count]
    assert all(figure(ODD, key) is not None for key in counted)
    for row in rows:
        assert {f"{action}_pj" for action in row.duration} <= PRICES.get(row.price, {}).keys()
        assert all(ODD.timing and figure(ODD, key) == 1 for key in row.duration.values())
    other = [(kind, keys) for kind, keys in PRICES.items() for key in keys.values() if key.get("fallback")]
    assert other and all(f"{key['fallback']}_pj" in keys for _, keys in other for key in keys.values() if len(key) > 1)


def test_every_published_total_may_say_why_it_differs():
    assert {part.name for part in fields(TotalReason)} == {part.name for part in fields(Published)} - {"source", "why"}


def test_every_number_has_its_unit_in_its_key():
    figures = {key for table, keys in schema().items() for key, row in keys.items() if hasattr(row.check, "low")}
    bare = {key for key in figures if not key.endswith(UNITS)}
    known = {"cores", "crossbars", "local_memory", "registers", "events", "rows", "cols", "size", "width", "chips"}
    assert bare == COUNTS | known | SHARES | {"cores_per_cluster", "crossbars_per_mvmu"}


def test_every_model_says_how_long_a_product_takes():
    assert all(figure(Arch(), key) is None for row in COST_MODELS.values() for key in row.keys)


def test_figures_are_found_by_their_keys():
    arch = load_arch("isaac")
    assert figure(arch, "timing.adc.convert_ns") == 1 / 1.28
    assert figure(arch, "chip.cores_per_cluster") == 4 and figure(arch, "crossbar.adc_count") == 1
    assert figure(arch, "network.hop_ns") is None and figure(Arch(), "timing.adc.convert_ns") is None
    with pytest.raises(AttributeError):
        figure(arch, "timing.adc.convert")


def test_all_missing_figures_are_named_in_one_sentence():
    keys = ("timing.window", "timing.adc.convert_ns", "network.hop_ns", "timing.window", "energy.link.flit_pj")
    arch = load_arch("isaac")
    assert missing(arch, keys) == ["timing.window", "network.hop_ns", "energy.link.flit_pj"]
    with pytest.raises(ArchError) as error:
        needed(arch, keys, "for the time of a message")
    assert str(error.value) == (
        "architecture isaac says nothing of timing.window, network.hop_ns, energy.link.flit_pj, needed for the time of"
        " a message: add them to its description"
    )


def test_one_missing_figure():
    with pytest.raises(ArchError, match=r"chip.toml says nothing of timing.clock_ns, needed .*: add it to its"):
        needed(parse_arch("", "chip.toml"), ["timing.clock_ns"], "for the time of an instruction")


def test_needed_figures_come_with_their_keys():
    keys = ["timing.crossbar.read_ns", "crossbar.dac_bits", "timing.pipelined"]
    assert needed(load_arch("isaac"), keys, "for this") == dict(zip(keys, (100, 1, True), strict=True))


@pytest.mark.parametrize(
    ("name", "bits", "expected"),
    [
        ("isaac", 16, 1600),  # 16 cycles of 100 ns
        ("isaac", 8, 800),
        ("puma", 16, 2304),  # 18 stages of 128 ns
        ("puma", 8, 1280),
        # front 1 + 30 + 1, back 10 + 1 + 1 + 63 * 10, 8 slices
        ("pimsim-latency", 8, 32 + 642 + 7 * 642),
    ],
)
def test_the_time_of_a_product(name, bits, expected):
    assert product_ns(load_arch(name), bits) == pytest.approx(expected)


CHIP = """
[crossbar]
rows = 8
cols = 8
dac_bits = {dac}
dac_count = {dacs}
adc_count = {adcs}
[timing]
pipelined = {pipelined}
[timing.crossbar]
read_ns = 20
[timing.adc]
convert_ns = 3
[timing.dac]
latency_ns = 1
[timing.sample_hold]
latency_ns = 2
[timing.shift_add]
latency_ns = 1
[timing.output_register]
latency_ns = 1
"""


@pytest.mark.parametrize(
    ("dac", "dacs", "adcs", "pipelined", "expected"),
    [
        (1, 8, 8, "false", 8 * (23 + 5)),
        (1, 8, 8, "true", 23 + 5 + 7 * 23),
        (3, 8, 8, "true", 23 + 5 + 2 * 23),  # 3 slices of 8 bits
        (1, 4, 8, "true", 23 + 5 + 15 * 23),  # word lines in two halves
        (1, 8, 2, "true", 23 + 14 + 7 * 23),  # 4 conversions of each: 5 + 3 * 3
        (1, 8, 1, "true", 23 + 26 + 7 * 26),
    ],
)
def test_the_general_pipeline(dac, dacs, adcs, pipelined, expected):
    arch = parse_arch(CHIP.format(dac=dac, dacs=dacs, adcs=adcs, pipelined=pipelined), "a.toml")
    assert product_ns(arch, 8) == expected


def test_prices_of_isaac_are_its_powers_at_work():
    """Each price is what the component takes in a cycle of 100 ns, over what it does in a cycle."""
    energy = load_arch("isaac").energy
    assert energy is not None
    in_a_cycle = [
        (energy.crossbar.power_mw, energy.crossbar.read_pj, 1),
        (energy.dac.power_mw, energy.dac.convert_pj, 1),
        (energy.adc.power_mw, energy.adc.convert_pj, 128),
        (energy.sample_hold.power_mw, energy.sample_hold.op_pj, 1),
        (energy.shift_add.power_mw, energy.shift_add.op_pj, 256),
        (energy.input_register.power_mw, energy.input_register.byte_pj, 128),
        (energy.output_register.power_mw, energy.output_register.byte_pj, 256),
        (energy.local_memory.power_mw, energy.local_memory.read_pj, 32),
        (energy.bus.power_mw, energy.bus.word_pj, 32),
        (energy.router.power_mw, energy.router.flit_pj, 800),
    ]
    for power, price, times in in_a_cycle:
        assert power * 100 == pytest.approx(price * times)
