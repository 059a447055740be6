"""Tables of cells and converters over the chip of an image."""

import pytest
from hypothesis import given
from strategies_archs import archs

from emu.arch import Arch
from emu.arch.overlay import analog_of, overlaid
from emu.arch.read import load_arch, parse_arch
from emu.arch.write import arch_to_toml
from emu.errors import ArchError
from emu.isa.dtypes import DType

CHIP = """
[chip]
name = "mine"
cores = 8
[crossbar]
rows = 32
cell_bits = 2
dac_bits = 1
differential = true
[timing.crossbar]
read_ns = 100
"""
CELLS_TABLES = ("mapping", "device", "faults", "wires", "draws", "ranges")
CELLS = """
[mapping]
adc_range = "unit"
[device]
g_min_us = 1
g_max_us = 20
"""


def mine() -> Arch:
    """The chip as a manifest has it."""
    return parse_arch(CHIP, "mine.toml")


def test_tables_are_added_and_make_the_chip_analog():
    chip = overlaid(
        load_arch("tiny"), "[device]\nread_v = 0.5\n[crossbar]\nadc_bits = 8\nparallel_rows = 4\n", "a.toml"
    )
    assert (chip.crossbar.kind, chip.device.read_v, chip.crossbar.adc_bits) == ("analog", 0.5, 8)
    assert (chip.crossbar.driven_rows, chip.name, chip.title) == (4, "tiny", "architecture a.toml")


def test_files_add_up():
    chip = overlaid(
        overlaid(mine(), CELLS, "cells.toml"), "[wires]\nrow_ohm = 2\n[device]\ng_max_us = 20\n", "wires.toml"
    )
    assert (chip.mapping.adc_range, chip.device.g_max_us, chip.wires.row_ohm) == ("unit", 20, 2)
    assert chip.title == "architecture mine.toml, cells.toml, wires.toml"


def test_the_second_file_may_not_contradict_the_first():
    first = overlaid(load_arch("tiny"), CELLS, "cells.toml")
    sentence = "more.toml, line 2: device.g_max_us is 25.0, but 20.0 in architecture cells.toml: leave it out"
    with pytest.raises(ArchError, match=sentence):
        overlaid(first, "[device]\ng_max_us = 25\n", "more.toml")


@given(chip=archs())
def test_a_whole_file_of_the_same_chip_is_accepted_and_changes_the_kind_alone(chip: Arch):
    text = arch_to_toml(chip)
    if chip.crossbar.kind == "ideal":
        with pytest.raises(ArchError, match=r'crossbar.kind is "ideal", not "analog": leave it out'):
            overlaid(chip, text, "same.toml")
        return
    assert overlaid(chip, text, "same.toml") == analog_of(chip)
    assert overlaid(analog_of(chip), text, "same.toml") == analog_of(chip)


@given(chip=archs())
def test_what_a_file_adds_to_the_bare_chip_is_what_the_whole_one_says(chip: Arch):
    """Over a chip that says nothing of cells, those of `chip` make `chip`, if weights take the same room."""
    same = {"core": chip.core, "crossbar": chip.crossbar}
    bare, whole = Arch(**same), Arch(**same, **{name: getattr(chip, name) for name in CELLS_TABLES})
    as_much_room = all(
        getattr(bare, what)(dtype) == getattr(whole, what)(dtype)
        for what in ("weight_slices", "cells", "columns")
        for dtype in DType
    )
    text = "\n".join(
        block
        for block in arch_to_toml(whole).split("\n\n")
        if block.startswith(tuple(f"[{name}]" for name in CELLS_TABLES))
    )
    if as_much_room:
        assert overlaid(bare, text, "cells.toml") == analog_of(whole)
    else:
        with pytest.raises(
            ArchError, match=r"cells.toml.*: mapping.(slicing|weight_bits) is .*, so weights of \w+ take"
        ):
            overlaid(bare, text, "cells.toml")


def test_a_file_that_changes_a_preset_is_whole():
    isaac = load_arch("isaac")
    assert overlaid(isaac, '[chip]\nbase = "isaac"\n[device]\nread_v = 0.5\n', "i.toml").device.read_v == 0.5
    with pytest.raises(
        ArchError,
        match=r"i.toml: chip.cores is 168, but 1104 in the image \(puma\): leave it out, or compile for",
    ):
        overlaid(load_arch("puma"), '[chip]\nbase = "isaac"\n[device]\nread_v = 0.5\n', "i.toml")


def test_bits_of_floats_may_be_given_where_no_weight_is_a_float():
    chip = parse_arch("[crossbar]\ncell_bits = 2\n", "mine.toml")
    assert overlaid(chip, "[mapping]\nweight_bits = 6\n", "a.toml", [DType.i8]).mapping.weight_bits == 6
    sentence = "line 2: mapping.weight_bits is 6, so weights of float32 take 3 cells, but 16 in the programs: compile"
    with pytest.raises(ArchError, match=sentence):
        overlaid(chip, "[mapping]\nweight_bits = 6\n", "a.toml", [DType.i8, DType.f32])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[crossbar]\ncell_bits = 4",
            "line 2: crossbar.cell_bits is 4, but the programs are for a chip with 2: compile for this file with",
        ),
        ("[crossbar]\ndac_bits = 2", "line 2: crossbar.dac_bits is 2, but the programs are for a chip with 1: compile"),
        (
            "[crossbar]\ndifferential = false",
            "crossbar.differential is false, but the programs are for a chip with true",
        ),
        ("[crossbar]\nadc_bits = 0", "line 2: crossbar.adc_bits must be from 1 to 64, not 0"),
        ("[mapping]\nweight_bits = 1", "line 2: mapping.weight_bits must be from 2 to 24, not 1"),
        ("[chip]\ncores = 9", r"line 2: chip.cores is 9, but 8 in the image \(mine\): leave it out, or compile"),
        (
            "[timing.adc]\nconvert_ns = 1",
            r"timing.adc.convert_ns is 1.0, of which the chip of the image says nothing \(mine\)",
        ),
        (
            "[energy.adc]\npower_mw = 1",
            r"energy.adc.power_mw is 1.0, of which the chip of the image says nothing \(mine\)",
        ),
        ("[timing.crossbar]\nread_ns = 5", r"crossbar.read_ns is 5.0, but 100.0 in the image"),
        ("[device]\ng_min_us = 30\ng_max_us = 20", "line 2: device.g_min_us is 30, not below device.g_max_us 20"),
        ("[device]\ng_min_us = 25", "line 2: device.g_min_us is 25, not below device.g_max_us 25"),
        ("[device]\ng_max = 25", "line 2: unknown key device.g_max; did you mean 'g_max_us'"),
        ("[devices]\ng_max_us = 25", r"line 1: unknown table \[devices\]; did you mean 'device'"),
        ('[mapping]\nslicing = "offset"', 'slicing is "offset", beside crossbar.differential = true: change one'),
        (
            '[mapping]\nslicing = "two-sided"\nweight_bits = 8',
            "two-sided.*, where a weight is not sliced: give weight_bits",
        ),
        ('[mapping]\nadc_range = "fixed"', 'line 2: mapping.adc_range is "fixed", which needs mapping.adc_limits'),
        ('[mapping]\ninput_range = "fixed"', 'line 2: mapping.input_range is "fixed", which needs mapping.input_max'),
        (
            "[mapping]\nadc_limits = [[2, 1]]",
            "line 2: mapping.adc_limits pair 0: the lowest, 2, must be below the highest",
        ),
        ("[mapping]\nadc_limits = [1, 2]", "line 2: mapping.adc_limits pair 0 must be two numbers"),
        ('[mapping]\nzero = "column"', r'is "column", but pairs of cells \(crossbar.differential\) have no zero'),
        ("[mapping]\nweight_percentile = 101", "weight_percentile exceeds 100, all weights"),
        ("[faults]\nstuck_off = 0.6\nstuck_on = 0.5", "faults.stuck_off and faults.stuck_on are more than all cells"),
        ("[faults]\nstuck_on = 1.5", "faults.stuck_on exceeds 1, all cells"),
        ('[wires]\ninterleaved = true\n[mapping]\npairs = "apart"', "wires.interleaved is true, beside mapping.pairs"),
        ("device = 5", r"line 1: device must be a table \[device\], not 5"),
        ("chip = 5", r"line 1: chip must be a table \[chip\], not 5"),
        ("[device", "not valid TOML"),
    ],
)
def test_what_contradicts_the_chip_is_refused_by_file_line_and_key(text: str, sentence: str):
    with pytest.raises(ArchError, match=rf"^a.toml[:,] .*{sentence}"):
        overlaid(mine(), f"{text}\n", "a.toml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[mapping]\nslicing = "differential"', 'slicing is "differential", beside crossbar.differential = false'),
        ('[mapping]\nslicing = "twos-complement"', "twos-complement.*, which is of bits: give crossbar.cell_bits, too"),
        (
            '[mapping]\npairs = "apart"',
            'mapping.pairs is "apart", which is of pairs of cells, of which crossbar.differ',
        ),
        ("[wires]\ninterleaved = true", "wires.interleaved is true, which is of pairs of cells"),
        ("[wires]\ngated = true", "wires.gated is true, which is of inputs of one bit: set crossbar.dac_bits to 1"),
        (
            "[crossbar]\ndifferential = true",
            "differential is true, but the programs are for a chip without it: compile",
        ),
    ],
)
def test_what_a_chip_of_single_ideal_cells_cannot_have_is_refused(text: str, sentence: str):
    with pytest.raises(ArchError, match=rf"^a.toml, line 2: .*{sentence}"):
        overlaid(load_arch("tiny"), f"{text}\n", "a.toml")


def test_names_and_remarks_may_be_others():
    chip = overlaid(mine(), '[chip]\nname = "other"\nnote = "of 2026"\n[device]\nread_v = 1\n', "a.toml")
    assert (chip.name, chip.note, chip.device.read_v) == ("mine", "", 1)


def test_a_chip_says_which_of_its_keys_no_product_follows():
    text = "[device]\nread_v = 1\ntime_s = 9\n[wires]\nrow_ohm = 1\ncol_ohm = 2\n[mapping]\nweight_bits = 8\n"
    chip = parse_arch(text, "a.toml")
    assert chip.remarks == (
        "device.read_v, device.time_s, wires.row_ohm and 1 more: no product follows them,"
        ' as crossbar.kind is not "analog"',
    )
    assert not analog_of(chip).remarks and not parse_arch("[mapping]\nweight_bits = 8\n", "a.toml").remarks
    one = parse_arch("[device]\nread_v = 1\n", "a.toml")
    assert one.remarks == ('device.read_v: no product follows it, as crossbar.kind is not "analog"',)
    assert not parse_arch(f'{text}[crossbar]\nkind = "analog"\n', "a.toml").remarks
