"""`emu arch`: presets, descriptions with every key, and what is wrong with a file."""

import json
import tomllib
from pathlib import Path

import pytest
from commands import Emu

from emu.arch import Arch
from emu.arch.read import load_arch, parse_arch, preset_names


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


def test_parameters_of_crosssim_are_printed_as_tables_that_describe_a_chip(emu: Emu, tmp_path: Path) -> None:
    tree = {
        "core": {},
        "xbar": {"device": {"Rmin": 2e4, "Rmax": 1e6}, "dac": {"mvm": {"model": "QuantizerDAC", "bits": 4}}},
    }
    (tmp_path / "crosssim.json").write_text(json.dumps(tree))
    text = emu("arch", "--from", tmp_path / "crosssim.json").stdout
    assert text.startswith("# of crosssim.json\n[crossbar]\n")
    chip = parse_arch(text, "mine.toml")
    assert (chip.crossbar.kind, chip.device.g_max_us, chip.device.g_min_us) == ("analog", 50, 1)
    assert tomllib.loads(text).keys() == {"crossbar", "mapping", "device"}
    found = json.loads(emu("arch", "--from", tmp_path / "crosssim.json", "--json").stdout)
    assert (found["ok"], found["tables"]["device"]["g_max_us"], f"# of crosssim.json\n{found['toml']}") == (
        True,
        50,
        text,
    )
