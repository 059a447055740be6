"""Architectures: presets, files, and errors that name file, key and line."""

import json

import pytest
from hypothesis import given
from strategies_archs import archs

from emu.arch import Arch, Core
from emu.arch_file import arch_from_dict, load_arch, parse_arch, preset_names
from emu.arch_toml import arch_to_toml
from emu.errors import ArchError


def test_default_preset_has_the_documented_limits():
    arch = load_arch("default")
    assert (arch.crossbar.rows, arch.crossbar.cols, arch.core.crossbars) == (128, 128, 64)
    assert (arch.core.local_memory, arch.cores, arch.network.topology) == (64 << 20, 1024, "mesh")
    assert "ideal" in arch.note


def test_tiny_preset_has_the_documented_limits():
    arch = load_arch("tiny")
    assert (arch.crossbar.rows, arch.core.crossbars, arch.core.local_memory, arch.cores) == (16, 4, 64 << 10, 1024)


def test_every_preset_is_named_as_its_file():
    assert [load_arch(name).name for name in preset_names()] == preset_names() == ["default", "small", "tiny"]


def test_unknown_preset_lists_presets():
    with pytest.raises(
        ArchError, match=r"'defualt' is neither a preset \(default, small, tiny\).*did you mean 'default'"
    ):
        load_arch("defualt")


def test_file_path(tmp_path):
    path = tmp_path / "chip.toml"
    path.write_text('[chip]\nname = "mine"\n[core]\nlocal_memory = "2 KiB"\nfunctions = ["vrelu"]\n')
    assert load_arch(str(path)) == Arch(name="mine", core=Core(local_memory=2048, functions=("vrelu",)))


def test_messages_call_an_architecture_by_its_file(tmp_path):
    (tmp_path / "chip.toml").write_text("[chip]\ncores = 3\n")
    arch = load_arch(str(tmp_path / "chip.toml"))
    assert (arch.name, arch.title) == ("chip", f"architecture {tmp_path / 'chip.toml'}")
    assert "origin" not in arch.to_dict()
    assert load_arch("small").title == "architecture small"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[crossbar]\n\nrow = 3\n", r"a.toml, line 3: unknown key crossbar.row; did you mean 'rows'"),
        ("[chip]\nname='x'\n[crosbar]\nrows = 3\n", r"line 3: unknown table \[crosbar\]; did you mean 'crossbar'"),
        ("\n# c\n[crossbar]\nrows = 0\n", r"line 4: crossbar.rows must be from 1 to 65536, not 0"),
        ("[crossbar]\nrows = -2\n", r"line 2: crossbar.rows must be from 1"),
        ("[chip]\ncores = 10_000_000\n", r"line 2: chip.cores must be from 1 to 65536, not 10000000"),
        ("[chip]\ncores = true\n", r"line 2: chip.cores must be an integer, not True"),
        ("[chip]\ncores = 4.0\n", r"line 2: chip.cores must be an integer, not 4.0"),
        ("[core]\nlocal_memory = '64 MB'\n", r"line 2: core.local_memory must be a number of bytes such as"),
        ("[core]\nlocal_memory = '9999 TiB'\n", r"line 2: core.local_memory must be from 1"),
        ("cores = 64\n", r"line 1: key cores stands in no table: write it below \[chip\]$"),
        ("rows = 3\n", r"line 1: key rows stands in no table: write it below \[crossbar\]$"),
        ("kores = 3\n", r"line 1: unknown key kores: keys stand in the tables \[chip\], \[core\]"),
        ("core = 3\n", r"line 1: core must be a table \[core\], not 3"),
        ("[network]\ntopology = 'mush'\n", r"line 2: network.topology must be one of mesh.*did you mean 'mesh'"),
        ("[network]\nwidth = 2000\n", r"line 2: network.width 2000 exceeds the 1024 cores"),
        ("[core]\nfunctions = [\n'vrelu',\n'vsigx']\n", r"line 2: core.functions names 'vsigx'.*did you mean 'vsign'"),
        ("[core]\nfunctions = 'vrelu'\n", r"line 2: core.functions must be a list"),
        ("chip = {cores = 4, name = 3}\n", r"line 1: chip.name must be a string, not 3"),
        ("[chip]\nnote = '''\ncores = 2\n'''\n\ncores = 0\n", r"line 6: chip.cores must be from 1"),
        ('[core]\n"even\\u0074s" = 0\n', r"line 2: core.events must be from 1"),
        ("[chip\n", r"a.toml: not valid TOML: .*line 1"),
    ],
)
def test_mistakes_name_file_key_and_line(text, message):
    with pytest.raises(ArchError, match=message):
        parse_arch(text, "a.toml")


def test_unreadable_files(tmp_path):
    binary, large = tmp_path / "b.toml", tmp_path / "l.toml"
    binary.write_bytes(b"\xff\xfe")
    large.write_bytes(b"#" * 70000)
    with pytest.raises(ArchError, match=r"b\.toml, line 1: not UTF-8 text"):
        load_arch(str(binary))
    with pytest.raises(ArchError, match=r"l\.toml has 70000 bytes, more than the 65536 that"):
        load_arch(str(large))


def test_dictionary_errors_name_the_place():
    with pytest.raises(ArchError, match=r"m.json: arch: core.events must be an integer, not None"):
        arch_from_dict({"core": {"events": None}}, "m.json: arch")


@given(archs())
def test_dictionary_and_toml_round_trip(arch):
    assert arch_from_dict(arch.to_dict(), "here") == arch
    assert arch_from_dict(json.loads(json.dumps(arch.to_dict())), "here") == arch
    assert parse_arch(arch_to_toml(arch), "here") == arch


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[core]\ncrossbars = " + "9" * 5000, "not valid TOML: Exceeds the limit"),
        ("[core]\ncrossbars = 0x" + "f" * 9000, "line 2: core.crossbars must be from 1 to 1048576, not a huge int"),
        ("core = 0x" + "f" * 9000, r"line 1: core must be a table \[core\], not a huge int"),
        ("[core]\ncrossbars" + ".a" * 20000 + " = 1", "core.crossbars must be an integer, not a huge dict"),
        ("a = " + "[" * 30000, "not valid TOML"),
    ],
    ids=["digits", "hexadecimal", "no table", "keys", "nested"],
)
def test_values_that_cannot_even_be_shown(text, message):
    with pytest.raises(ArchError, match=message) as error:
        parse_arch(text, "a.toml")
    assert len(str(error.value)) < 300
