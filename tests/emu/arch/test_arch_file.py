"""Architectures: presets, files, and errors that name file, key and line."""

import json

import pytest
from draws import examples
from hypothesis import given, settings
from strategies_archs import archs

from emu.arch import Arch, Core
from emu.arch.checks import Real
from emu.arch.read import arch_from_dict, load_arch, parse_arch, preset_names
from emu.arch.schema import schema
from emu.arch.write import arch_to_toml
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
    assert [load_arch(name).name for name in preset_names()] == preset_names()
    assert {
        *(f"cim-mlc-{name}" for name in ("example", "isaac", "jain", "jia", "puma")),
        "cinnamon",
        "default",
        "isaac",
        "isaac-board",
        "jain",
        "jia",
        "occ",
        "pimsim-latency",
        "prime",
        "puma",
        "small",
        "tiny",
    } == {*preset_names()}


def test_unknown_preset_lists_presets():
    with pytest.raises(
        ArchError,
        match=r"'defualt' is neither a preset \(cim-mlc-example, .*, default, .*, tiny\).*did you mean 'default'",
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


TABLE = "[chip]\ncores = 1\n[network]\nlatency_table_ns = [[0, 1],\n[1, 0]]\n"


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
        ("[chip]\ncores = 7\n[network]\nwidth = 8\n", r"line 4: network.width 8 exceeds the 7 cores"),
        ("[core]\nfunctions = [\n'vrelu',\n'vsigx']\n", r"line 2: core.functions names 'vsigx'.*did you mean 'vsign'"),
        ("[core]\nfunctions = 'vrelu'\n", r"line 2: core.functions must be a list"),
        ("chip = {cores = 4, name = 3}\n", r"line 1: chip.name must be a string, not 3"),
        ("[chip]\nnote = '''\ncores = 2\n'''\n\ncores = 0\n", r"line 6: chip.cores must be from 1"),
        ('[core]\n"even\\u0074s" = 0\n', r"line 2: core.events must be from 1"),
        ("[chip\n", r"a.toml: not valid TOML: .*line 1"),
        (
            "[timing]\n[timing.adc]\nconvert_ns = 0\n",
            r"line 3: timing.adc.convert_ns must be from 0.001 to 1e9, not 0",
        ),
        ("[timing.crossbar]\nread_ns = -1\n", r"line 2: timing.crossbar.read_ns must be from 0.001 to 1e9, not -1$"),
        (
            "[timing]\nclock_ns = nan\n",
            r"line 2: timing.clock_ns must be .*, not nan \(leave the key out if the figure",
        ),
        ("[energy.adc]\npower_mw = inf\n", r"line 2: energy.adc.power_mw must be from 0 to 1e9, not inf \(leave"),
        ("[energy.adc]\nconvert_pj = '1 pJ'\n", r"line 2: energy.adc.convert_pj must be a number, not '1 pJ'"),
        ("[energy.adc]\nconvert_pj = true\n", r"line 2: energy.adc.convert_pj must be a number, not True"),
        ("[energy.adc]\nconvert_nj = 1\n", r"line 2: unknown key energy.adc.convert_nj; did you mean 'convert_pj'"),
        (
            "[energy.bus]\nstatic_mw = 1e12\n",
            r"line 2: energy.bus.static_mw must be from 0 to 1e9, not 1000000000000",
        ),
        ("[energy.abc]\nconvert_pj = 1\n", r"line 1: unknown table \[energy.abc\]; did you mean 'dac'"),
        ("[energy]\nadc_pj = 1\n", r"line 2: unknown key energy.adc_pj; did you mean 'adc'"),
        ("[energy]\nadc = 1\n", r"line 2: energy.adc must be a table \[energy.adc\], not 1"),
        ("energy = 1\n", r"line 1: energy must be a table \[energy\], not 1"),
        ("[timing]\nadc.convert_ns = -3\n", r"line 2: timing.adc.convert_ns must be from"),
        ("timing = { adc = { convert_ns = -3 } }\n", r"line 1: timing.adc.convert_ns must be from"),
        ("[timing]\nwindow = 0\n", r"line 2: timing.window must be from 1 to 1024, not 0"),
        ("[timing]\nwindow = 1.5\n", r"line 2: timing.window must be an integer, not 1.5"),
        ("[timing]\npipelined = 1\n", r"line 2: timing.pipelined must be true or false, not 1"),
        (
            "[timing]\nmodel = 'isac'\n",
            r"line 2: timing.model must be one of pipeline, isaac, puma, cim-mlc, .*did you mean 'isaac'",
        ),
        ("[area.adc]\nmm2 = -0.1\n", r"line 2: area.adc.mm2 must be from 0 to 1e9, not -0.1"),
        ("[area.adc]\ncount = 0\n", r"line 2: area.adc.count must be from 1"),
        (
            "[area.adc]\nper = 'tile'\n",
            r"line 2: area.adc.per must be one of crossbar, mvmu, core, cluster, chip, system, not 'tile'",
        ),
        ("[published]\npeak_tops = 0\n", r"line 2: published.peak_tops must be from 1e-9 to 1e9, not 0"),
        ("[published.why]\nchip_mm2 = 1\n", r"line 2: published.why.chip_mm2 must be a string, not 1"),
        ("convert_ns = 1\n", r"line 1: key convert_ns stands in no table: write it below \[timing.adc\]$"),
        (
            "mm2 = 1\n",
            r"line 1: key mm2 stands in no table: write it below \[area.crossbar\] or .* another of the 29 tables",
        ),
        ("[network]\nflit_ns = 0\n", r"line 2: network.flit_ns must be from 0.001"),
        ("[network]\ncontention = 'on'\n", r"line 2: network.contention must be one of none, links, shared, not 'on'"),
        ("[network]\nlatency_table_ns = []\n", r"line 2: network.latency_table_ns must be a list of 1 to 1024 rows"),
        ("[network]\nlatency_table_ns = [[0, 1], [1]]\n", r"must be square: row 1 is no list of 2 numbers"),
        ("[network]\nlatency_table_ns = [[0, 1], [-1, 0]]\n", r"row 1: a number must be from 0 to 1e9, not -1"),
        (
            "[network]\nlatency_table_ns = [[0]]\n",
            r"line 2: network.latency_table_ns has 1 row, not 1025: one for each core",
        ),
        (TABLE + "hop_ns = 1\n", r"line 6: network.hop_ns is given beside latency_table_ns"),
        (TABLE + "contention = 'links'\n", r'line 6: network.contention is "links" beside latency_table_ns'),
        (TABLE + "contention = 'shared'\n", r'line 6: network.contention is "shared" beside latency_table_ns'),
        ("[core]\ncrossbars_per_mvmu = 5\n", r"line 2: core.crossbars_per_mvmu 5 does not divide the 64 crossbars"),
        ("[chip]\ncores_per_cluster = 5\n", r"line 2: chip.cores_per_cluster 5 does not divide the 1024 cores"),
        ("[crossbar]\nadc_count = 129\n", r"line 2: crossbar.adc_count 129 exceeds the 128 bit lines of a crossbar"),
        ("[crossbar]\ndac_count = 129\n", r"line 2: crossbar.dac_count 129 exceeds the 128 word lines of a crossbar"),
        (
            "[crossbar]\nparallel_rows = 129\n",
            r"line 2: crossbar.parallel_rows 129 exceeds the 128 word lines of a crossbar",
        ),
        ("[chip]\nmode = 'xb'\n", r"line 2: chip.mode must be one of cm, xbm, wlm, not 'xb'; did you mean 'xbm'"),
        (
            "[crossbar]\nweight_binding = 'rows'\n",
            r"line 2: crossbar.weight_binding must be one of crossbars, columns, not 'rows'",
        ),
        ("[energy.bus]\npower_mw = 1\nstatic_mw = 2\n", r"line 3: energy.bus.static_mw 2 exceeds power_mw 1, in which"),
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


def test_empty_tables_of_figures_are_none():
    arch = parse_arch("[timing]\n[energy]\n[energy.adc]\n", "a.toml")
    assert (arch.timing, arch.energy, arch.area) == (None, None, None)


def test_figures_are_read_and_absent_ones_are_none():
    arch = parse_arch("[timing.adc]\nconvert_ns = 1\n[energy.adc]\nconvert_pj = 0\n", "a.toml")
    assert arch.timing is not None and arch.energy is not None
    assert (arch.timing.adc.convert_ns, arch.timing.crossbar.read_ns, arch.timing.clock_ns) == (1.0, None, None)
    assert (arch.energy.adc.convert_pj, arch.energy.adc.power_mw) == (0.0, None)


@pytest.mark.parametrize(
    ("table", "key", "check"),
    [
        (table, name, key.check)
        for table, keys in schema().items()
        for name, key in keys.items()
        if isinstance(key.check, Real)
    ],
)
def test_no_cost_is_negative_or_endless(table, key, check):
    for value in ("-1", "nan", "inf", "-inf", "1e10", *(["0", "0.0", "-0.0"] if check.low else [])):
        with pytest.raises(ArchError, match=rf"^a.toml, line 2: {table}.{key} must be from "):
            parse_arch(f"[{table}]\n{key} = {value}\n", "a.toml")
    assert parse_arch(f"[{table}]\n{key} = {check.low}\n", "a.toml") != parse_arch("", "a.toml")


@settings(max_examples=examples(5, 100))
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
        ("[core]\ncrossbars" + ".a" * 5000 + " = 1", "core.crossbars must be an integer, not a huge dict"),
        ("a = " + "[" * 30000, "not valid TOML"),
    ],
    ids=["digits", "hexadecimal", "no table", "keys", "nested"],
)
def test_values_that_cannot_even_be_shown(text, message):
    with pytest.raises(ArchError, match=message) as error:
        parse_arch(text, "a.toml")
    assert len(str(error.value)) < 300
