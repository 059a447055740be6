"""`emu arch`: presets, descriptions with every key, and what is wrong with a file."""

import json
import tomllib
from pathlib import Path

import pytest
from commands import Emu

from emu.arch import Arch
from emu.arch_file import load_arch, parse_arch, preset_names

CHIP = (
    '[chip]\nname = "ours"\ncores = 6\n[core]\ncrossbars = 2\nlocal_memory = "3 KiB"\n[crossbar]\nrows = 8\ncols = 4\n'
)


@pytest.fixture
def chip(tmp_path: Path) -> Path:
    """A file that leaves most keys out."""
    (tmp_path / "chip.toml").write_text(CHIP)
    return tmp_path / "chip.toml"


def test_all_presets_are_listed(emu: Emu) -> None:
    listed = emu("arch", "--list").stdout
    assert [line.split()[0] for line in listed.splitlines()[2 : 2 + len(preset_names())]] == preset_names()
    assert all(f"{name}: {load_arch(name).note}" in listed for name in preset_names())
    found = json.loads(emu("arch", "--list", "--json").stdout)["presets"]
    rows = {each["name"]: each["crossbar"]["rows"] for each in found}
    assert set(rows) == set(preset_names()) and (rows["default"], rows["tiny"], rows["jia"]) == (128, 16, 1152)


@pytest.mark.parametrize("name", preset_names())
def test_what_is_printed_is_the_same_chip(emu: Emu, tmp_path: Path, name: str) -> None:
    text = emu("arch", name).stdout
    tables = tomllib.loads(text)
    for table in ("core", "crossbar", "global_memory", "network"):  # with every key that has a value by default
        assert tables[table].keys() >= Arch().to_dict()[table].keys()
    assert parse_arch(text, "x.toml") == load_arch(name)
    (tmp_path / "again.toml").write_text(text)
    assert emu("arch", tmp_path / "again.toml").stdout == text


def test_sources_of_figures_are_printed(emu: Emu) -> None:
    lines = emu("arch", "isaac").stdout.splitlines()
    assert "# ISAAC-CE: Shafiee et al." in "\n".join(lines[:2])
    assert "power_mw = 2 # Table I: 16 mW / 8" in lines and "adc_bits = 8 # Table I" in lines


def test_keys_that_a_file_leaves_out_are_printed_too(emu: Emu, chip: Path) -> None:
    shown = emu("arch", chip).stdout
    assert shown.startswith("# in all 6 cores, 12 crossbars, 384 cells, 18 KiB of local memory\n[chip]\n")
    assert tomllib.loads(shown)["core"]["registers"] == Arch().core.registers
    found = json.loads(emu("arch", chip, "--json").stdout)
    assert found["totals"] == {"cores": 6, "crossbars": 12, "cells": 384, "local_memory": 6 * 3072}
    assert found["arch"]["core"]["local_memory"] == 3072 and found["toml"] == shown.partition("\n")[2]


def test_a_right_file_is_ok(emu: Emu, chip: Path) -> None:
    done = emu("arch", chip, "--check")
    assert (done.exit_code, done.stdout.count("\n")) == (0, 1)
    assert done.stdout.startswith(f"ok: {chip}: in all 6 cores, ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (CHIP + "colums = 3\n", "chip.toml, line 10: unknown key crossbar.colums; did you mean 'cols'?"),
        (CHIP.replace("rows = 8", "rows = 0"), "chip.toml, line 8: crossbar.rows must be from 1 to 65536, not 0"),
        ("cores = 3", "chip.toml, line 1: key cores stands in no table"),
        ("[chip", "chip.toml: not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(emu: Emu, chip: Path, text: str, sentence: str) -> None:
    chip.write_text(text)
    for arguments in ((), ("--check",), ("--check", "--json")):
        done = emu("arch", chip, *arguments)
        assert done.exit_code == 2 and sentence in done.stderr and done.stderr.count("\n") == 1
        assert not done.stdout or json.loads(done.stdout)["exit_code"] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name a preset or a file, or use --list"),
        (["--list", "tiny"], "--list lists all presets: leave NAME out"),
        (["--list", "--check"], "--list lists all presets: leave --check out"),
        (["tinny"], "did you mean 'tiny'?"),
        (["--list", "--sum"], "--list lists all presets: leave --sum out"),
        (["isaac", "--sum", "--check"], "--check prints no sums: leave --check or --sum out"),
    ],
)
def test_wrong_use(emu: Emu, arguments: list[str], sentence: str) -> None:
    done = emu("arch", *arguments)
    assert (done.exit_code, done.stdout) == (2, "") and sentence in done.stderr


def test_isaac_is_summed_to_its_published_totals(emu: Emu) -> None:
    printed = " ".join(emu("arch", "isaac", "--sum").stdout.split())
    assert "= one crossbar 2.80125 0.00125125 crossbar 8 2.80125 0.00125125 22.41 0.01001" in printed
    assert "= one MVM unit 24.08 0.01312 MVM unit 12 24.08 0.01312 288.96 0.15744 special 2" in printed
    assert "= one chip 65808.1 10400 85.4247 totals, and those published in ISCA 2016, Table I" in printed
    assert "chip power mW 65808.1 65800 +0.01% rounding of the printed rows" in printed
    assert "peak TOPS 41.2877 41.3 -0.03%" in printed and "peak GOPS/W 627.395 627.5 -0.02%" in printed


def test_puma_is_summed_and_what_differs_is_explained(emu: Emu) -> None:
    printed = " ".join(emu("arch", "puma", "--sum").stdout.split())
    assert "product nJ 43.9834 43.97 +0.03% 19.09 mW x 2304 ns = 43.98 nJ" in printed
    assert "chip power mW 63139.6 62500 +1.02% 138 tiles of the printed 373.8 mW would give 62.56 W" in printed


def test_sums_as_json(emu: Emu) -> None:
    sums = json.loads(emu("arch", "puma", "--sum", "--json").stdout)["sums"]
    assert [level["name"] for level in sums["levels"]] == ["crossbar", "mvmu", "core", "cluster", "chip"]
    assert sums["levels"][1]["rows"][0] == {
        **{"component": "mvmu", "count": 1, "power_mw": 19.09},
        **{"static_mw": None, "mm2": 0.012},
    }
    assert sums["totals"]["chip_power_mw"] == pytest.approx(63139.598)
    power = next(each for each in sums["published"] if each["key"] == "chip_power_mw")
    assert power["difference"] == pytest.approx(power["summed"] / power["published"] - 1)
    assert sums["lacking"] == {"peaks": []}


def test_what_cannot_be_summed_is_said(emu: Emu, chip: Path) -> None:
    assert emu("arch", chip, "--sum").stdout == (
        "ours: no component has a power or an area in its description: there is nothing to sum\n"
    )
    chip.write_text(CHIP + "[energy.adc]\npower_mw = 1\n[area.dac]\nmm2 = 2\n[timing]\nmodel = 'isaac'\n")
    printed = emu("arch", chip, "--sum").stdout
    assert "without power at work, so not in its sums: dac\n" in printed
    assert "without area, so not in its sums: adc\n" in printed
    assert "no peaks: nothing is known of timing.float_bits, crossbar.dac_bits, timing.crossbar.read_ns," in printed
    assert "chip power mW 48" in " ".join(printed.split())  # 6 cores of 2 crossbars of 4 bit lines, a mW each
