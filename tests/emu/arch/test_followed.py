"""Laws that chips name: refused where they make no sense, remarked upon where they end; what files write is kept."""

from __future__ import annotations

import pytest

from emu.arch.chip import Arch
from emu.arch.derived import derived
from emu.arch.followed import scaled_tables
from emu.arch.read import arch_from_dict, load_arch, parse_arch
from emu.arch.schema import figure
from emu.arch.write import arch_to_toml
from emu.errors import ArchError

ADC = "[crossbar]\nadc_bits = 8\n[timing.adc]\nconvert_ns = 1\n[chip]\nnode_nm = 32\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[energy.adc]\nscale = 'adc'",
            r"line 2: energy.adc.scale names 'adc', which is none of adc-survey, .*; did you",
        ),
        ("[energy.adc]\nscale = 3", "line 2: energy.adc.scale must be a name or a list of names, not 3"),
        ("[energy.adc]\nscale = []", r"energy.adc.scale must be a name or a list of names, not \[\]"),
        ("[energy.adc]\nscale = [3]", r"energy.adc.scale must be a name or a list of names, not \[3\]"),
        ("[energy.adc]\nscale = ['node', 'node']", "energy.adc.scale must name each once"),
        (
            "[energy.dac]\nscale = 'adc-survey'",
            "line 2: energy.dac.scale names adc-survey, which is no law of the energy of dac: use dac-binary or node",
        ),
        (
            "[timing.adc]\nscale = 'node'",
            "line 2: timing.adc.scale names node, which is no law of the time of adc: leave it out",
        ),
        (
            "[energy.adc]\nscale = 'adc-survey'",
            "energy.adc.scale names adc-survey, which follows chip.node_nm and crossbar.adc_bits and"
            " timing.adc.convert_ns: add them to the description",
        ),
        ("[area.router]\nscale = 'node'", "area.router.scale names node, which follows chip.node_nm: add it to the"),
        (
            ADC + "[area.adc]\nscale = ['node', 'adc-survey']",
            "area.adc.scale names node and adc-survey, which both follow chip.node_nm: leave one of them out",
        ),
        (
            "[chip]\nbase = 'isaac'\n[crossbar]\ndac_bits = 60",
            "energy.dac.power_mw, which follows dac-binary and node, must be from 0 to 1e9, not .*: change"
            " less, or leave energy.dac.scale out",
        ),
        (
            "[core]\ncrossbars = 6\ncrossbars_per_mvmu = 3\n[crossbar]\nadc_arrays = 2",
            "crossbar.adc_arrays 2 does not divide the 3 crossbars of an MVM unit that there are",
        ),
        (
            "[crossbar]\nadc_arrays = 2",
            "crossbar.adc_arrays 2 does not divide the 1 crossbar of an MVM unit that there",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ArchError, match=f"a.toml.*{sentence}"):
        parse_arch(text, "a.toml")


def test_a_figure_beyond_its_range_is_refused_in_a_derived_chip() -> None:
    with pytest.raises(ArchError, match=r"^isaac: energy.dac.*, which follows dac-binary and node, must be"):
        derived(load_arch("isaac"), {"crossbar.dac_bits": 60})


@pytest.mark.parametrize(
    ("name", "change", "remarks"),
    [
        ("isaac", {"network.flit_bytes": 8}, []),
        ("isaac", {"crossbar.adc_bits": 8}, []),
        ("isaac", {"crossbar.adc_count": 2}, []),
        ("isaac", {"crossbar.adc_bits": 6}, ["crossbar.adc_bits: no time of this chip follows it"]),
        (
            "isaac",
            {"crossbar.adc_bits": 3},
            [
                "law adc-sar of adc: crossbar.adc_bits 3 is outside its range of 4 to 10",
                "crossbar.adc_bits: no time of this chip follows it",
            ],
        ),
        (
            "isaac",
            {"core.local_memory": 65536},
            ["core.local_memory: no time, energy or area of this chip follows it"],
        ),
        ("isaac", {"timing.adc.convert_ns": 1}, ["timing.adc.convert_ns: no area of this chip follows it"]),
        ("puma", {"timing.crossbar.read_ns": 256, "timing.vector.lanes": 8}, []),
        ("cim-mlc-isaac", {"crossbar.adc_bits": 6}, ["crossbar.adc_bits: no time of this chip follows it"]),
        ("cim-mlc-isaac", {"network.flit_bytes": 6, "crossbar.rows": 64}, []),
        ("pimsim-latency", {"crossbar.adc_bits": 6}, ["crossbar.adc_bits: no time or energy of this chip follows it"]),
        ("pimsim-latency", {"crossbar.adc_count": 1}, []),
        ("tiny", {"crossbar.rows": 32, "crossbar.adc_bits": 3}, []),
    ],
)
def test_a_changed_chip_says_what_its_figures_do_not(name: str, change: dict[str, object], remarks: list[str]) -> None:
    assert list(derived(load_arch(name), change).remarks) == remarks


def test_a_survey_beyond_its_bits_costs_what_it_does_at_its_end() -> None:
    base = derived(load_arch("isaac"), {"energy.adc.scale": "adc-survey"})
    fewest, fewer = (derived(base, {"crossbar.adc_bits": bits}) for bits in (4, 2))
    assert figure(fewer, "energy.adc.convert_pj") == figure(fewest, "energy.adc.convert_pj")
    assert "law adc-survey of adc: crossbar.adc_bits 2 is outside its range of 4 to 20" in fewer.remarks


def test_a_file_that_changes_a_preset_has_the_figures_that_follow() -> None:
    text = '[chip]\nbase = "isaac"\n[crossbar]\nadc_bits = 6\n'
    mine, same = parse_arch(text, "m.toml"), derived(load_arch("isaac"), {"crossbar.adc_bits": 6})
    assert (mine.energy, mine.area, mine.remarks) == (same.energy, same.area, same.remarks)
    stated = parse_arch(f"{text}[energy.adc]\npower_mw = 2\n", "m.toml")
    assert figure(stated, "energy.adc.power_mw") == 2  # as in the preset, but written
    assert figure(stated, "energy.adc.convert_pj") == figure(mine, "energy.adc.convert_pj")
    other = parse_arch(f'{text}[energy.adc]\nscale = "node"\n', "m.toml")
    assert figure(other, "energy.adc.convert_pj") == figure(load_arch("isaac"), "energy.adc.convert_pj")
    assert parse_arch(arch_to_toml(mine), "again.toml") == mine


def test_a_preset_that_changes_another_is_where_files_on_it_begin() -> None:
    board = parse_arch('[chip]\nbase = "isaac-board"\nnode_nm = 16\n', "m.toml")
    assert board.area == derived(load_arch("isaac"), {"chip.node_nm": 16}).area and board.system.chips == 16


def test_what_rests_stays_within_what_works() -> None:
    chip = parse_arch(
        "[core]\nlocal_memory = 1024\n[timing.local_memory]\nwidth_bytes = 8\n"
        "[energy.local_memory]\nscale = 'local-memory'\npower_mw = 5\nstatic_mw = 4\n",
        "m.toml",
    )
    more = derived(chip, {"core.local_memory": 16 * 1024})
    assert figure(more, "energy.local_memory.static_mw") == 16 * 4
    assert figure(more, "energy.local_memory.power_mw") == pytest.approx(16 * 4 + 16**0.78)


def test_laws_are_kept_and_descriptions_without_them_are_read() -> None:
    isaac = load_arch("isaac")
    plain = isaac.to_dict()
    assert plain["energy"]["adc"]["scale"] == ("adc-sar", "node") and "remarks" not in plain
    assert arch_from_dict(plain, "a") == isaac
    for table in (plain["energy"], plain["area"]):
        for part in table.values():
            part.pop("scale", None)
    old = arch_from_dict(plain, "a")
    assert scaled_tables(old) == () and old != isaac
    changed = derived(old, {"crossbar.adc_bits": 6})
    assert changed.energy == old.energy
    assert changed.remarks == ("crossbar.adc_bits: no time, energy or area of this chip follows it",)


def test_one_law_is_written_as_its_name_or_as_a_list() -> None:
    one, listed = (
        parse_arch(f"[chip]\nnode_nm = 7\n[area.bus]\nmm2 = 1\nscale = {text}\n", "a.toml")
        for text in ("'node'", "['node']")
    )
    assert one == listed and isinstance(one, Arch)
