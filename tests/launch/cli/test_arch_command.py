"""`emu arch`: presets, descriptions with every key, and what is wrong with a file."""

import json
import tomllib
from pathlib import Path

import pytest
from commands import Emu

from emu.arch import Arch
from emu.arch_file import load_arch, parse_arch, preset_names
from emu.arch_schema import SCHEMA

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
    assert {each["name"]: each["crossbar"]["rows"] for each in found} == {"default": 128, "small": 128, "tiny": 16}


@pytest.mark.parametrize("name", preset_names())
def test_what_is_printed_is_the_same_chip(emu: Emu, tmp_path: Path, name: str) -> None:
    text = emu("arch", name).stdout
    assert {table: set(keys) for table, keys in tomllib.loads(text).items()} == {
        table: set(keys) for table, keys in SCHEMA.items()
    }
    assert parse_arch(text, "x.toml") == load_arch(name)
    (tmp_path / "again.toml").write_text(text)
    assert emu("arch", tmp_path / "again.toml").stdout == text


def test_keys_that_a_file_leaves_out_are_printed_too(emu: Emu, chip: Path) -> None:
    shown = emu("arch", chip).stdout
    assert shown.startswith("# in all 6 cores, 12 crossbars, 384 cells, 18.0 KiB of local memory\n[chip]\n")
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
    ],
)
def test_wrong_use(emu: Emu, arguments: list[str], sentence: str) -> None:
    done = emu("arch", *arguments)
    assert (done.exit_code, done.stdout) == (2, "") and sentence in done.stderr
