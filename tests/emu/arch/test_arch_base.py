"""Descriptions that change a preset: what they say counts, all else is the preset's, comments too."""

from dataclasses import replace

import pytest

from emu.arch.read import arch_comments, load_arch, parse_arch
from emu.arch.system import System
from emu.arch.write import arch_to_toml
from emu.errors import ArchError

MINE = """
[chip]
base = "isaac"
name = "mine"  # as I call it
cores = 28
[core]
crossbars = 16  # fewer
[timing.adc]
convert_ns = 2
"""


def test_what_a_file_says_counts_and_all_else_is_the_presets():
    isaac, mine = load_arch("isaac"), parse_arch(MINE, "mine.toml")
    assert (mine.name, mine.cores, mine.core.crossbars, mine.timing.adc.convert_ns) == ("mine", 28, 16, 2.0)
    timing = replace(isaac.timing, adc=mine.timing.adc)
    chip = replace(isaac, name="mine", cores=28, core=replace(isaac.core, crossbars=16), timing=timing)
    adc = replace(isaac.energy.adc, power_mw=0.78125)  # 2 mW x 0.78125 / 2: a power follows the rate
    assert mine == replace(chip, energy=replace(isaac.energy, adc=adc), published=None)
    assert parse_arch(arch_to_toml(mine), "again.toml") == mine and "base" not in arch_to_toml(mine)


def test_without_a_name_it_is_called_as_the_file_is():
    assert parse_arch('[chip]\nbase = "isaac"\n', "other.toml").name == "other"


def test_the_board_is_sixteen_chips_of_isaac():
    isaac, board = load_arch("isaac"), load_arch("isaac-board")
    assert board == replace(isaac, name="isaac-board", note=board.note, system=System(16, "mesh", 4))
    assert board.all_cores == 16 * 168


def test_comments_of_the_preset_stand_where_its_values_do(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE)
    comments = arch_comments(str(tmp_path / "mine.toml"))
    assert comments["chip", "name"].behind == "# as I call it" and ("chip", "cores") not in comments
    assert comments["core", "crossbars"].behind == "# fewer" and ("timing", "adc", "convert_ns") not in comments
    assert comments["timing", "crossbar", "read_ns"] == arch_comments("isaac")["timing", "crossbar", "read_ns"]
    assert ("chip",) not in comments
    assert comments["energy", "adc", "power_mw"].behind == "# 2 in isaac, by adc-sar, node"
    assert comments["energy", "adc", "convert_pj"] == arch_comments("isaac")["energy", "adc", "convert_pj"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[chip]\nbase = "isac"', "line 2: chip.base 'isac' is no preset: use one of .*; did you mean 'isaac'"),
        ('[chip]\nbase = ["isaac"]', r"line 2: chip.base \['isaac'\] is no preset"),
        ('[chip]\nbase = "a.toml"', "line 2: chip.base 'a.toml' is no preset"),
        ('[chip]\nbase = "isaac"\n[core]\ncrossbars = 0', "line 4: core.crossbars must be from 1"),
        ('[chip]\nbase = "isaac"\n[crossbar]\nrows = 64', "crossbar.dac_count 128 exceeds the 64 word lines"),
        ('core = 3\n[chip]\nbase = "isaac"', r"line 1: core must be a table \[core\]"),
        ('chip = "isaac"', r"line 1: chip must be a table \[chip\]"),
        ('[core]\nbase = "isaac"', "line 2: unknown key core.base"),
    ],
)
def test_mistakes_are_named(text, sentence):
    with pytest.raises(ArchError, match=f"a.toml.*{sentence}"):
        parse_arch(text, "a.toml")
