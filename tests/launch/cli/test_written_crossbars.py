"""Crossbars that are written while a program runs: `emu time`, `emu info` and `emu report` tell the same of them."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from commands import DIGITS, Emu

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")
CHIP = """
[chip]
name = "written"
cores = 4
[core]
crossbars = 16
[crossbar]
rows = 32
cols = 32
cell_bits = 8
dac_bits = 8
endurance = 32000000
[timing]
model = "cim-mlc"
float_bits = 8
[timing.crossbar]
read_ns = 1000
write_row_ns = 2500
[energy.crossbar]
write_cell_pj = 200
"""
PROGRAM = """
arch "chip.toml"
input "x" i8[1, 8] at 0x00
output "y" i32[1, 4] at 0x20
core 0 {
  group 0 i8.i8.i32 rows 2 cols 4 bank 0
  group 1 i8.i8.i32 rows 2 cols 4 bank 0
  main {
    ld l[0x00], g[0x00], 8
    loop i 3 {
      @ "k"
      vvadd.i8 l[0x20], l[0x00], l[0x00], 8
      xbwrite.i8 l[0x20], group 0, row 0, rows 2
      mvmul.i8.i32 l[0x40], l[0x00], group 0
      xbwrite.i8 l[0x24], group 1, row 1, rows 1
      xbwrite.i8 l[0x20], group 1, row 0, rows 1
      mvmul.i8.i32 l[0x40], l[0x00], group 1
    }
    st g[0x20], l[0x40], 16
    halt
  }
}
"""


def told(emu: Emu, command: str, *arguments: object) -> dict:
    result = emu(command, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def by_hand(emu: Emu, tmp_path: Path) -> Path:
    """Two groups that take the crossbar from each other, with data that the program computes."""
    (tmp_path / "chip.toml").write_text(CHIP)
    (tmp_path / "a.asm").write_text(PROGRAM)
    assert emu("import", tmp_path / "a.asm", "-o", tmp_path / "a").exit_code == 0
    return tmp_path / "a"


@pytest.fixture
def segments(emu: Emu, tmp_path: Path) -> Path:
    """A network whose weights come and go on two cores."""
    (tmp_path / "chip.toml").write_text(CHIP)
    arguments = ("--arch", tmp_path / "chip.toml", "--cores", 2, "--segments", "--golden", "none")
    result = emu("compile", DIGITS, "-o", tmp_path / "out", *arguments)
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


def test_every_figure_of_a_program_written_by_hand(emu: Emu, by_hand: Path) -> None:
    found = told(emu, "time", by_hand)
    wear = found["wear"]
    assert (wear["events"], wear["rows"], wear["cell_writes"], wear["cells"]) == (9, 12, 48, 1024)
    assert (wear["time_ps"], wear["energy_pj"]) == (12 * 2_500_000, 48 * 200.0)
    (energy,) = [part for part in found["components"] if part["component"] == "crossbar"]
    assert energy["counts"]["write_cell"] == 48 and energy["dynamic_pj"] == wear["energy_pj"]
    years = 32e6 * 1024 / (48 / (found["period_ps"] / 1e12)) / 31_536_000
    assert wear["lifetime_years"] == pytest.approx(years) == pytest.approx(wear["most_worn"]["lifetime_years"])
    assert [(group["group"], group["nodes"], group["events"]) for group in wear["groups"]] == [
        (0, ["k"], 3),
        (1, ["k"], 6),
    ]


@pytest.mark.parametrize("name", ["by_hand", "segments"])
def test_time_info_and_report_agree(emu: Emu, name: str, request: pytest.FixtureRequest) -> None:
    out = request.getfixturevalue(name)
    timed, image, report = (told(emu, command, out) for command in ("time", "info", "report"))
    assert timed["wear"] == image["wear"] == report["wear"]
    for ours, theirs in (("events", "write_events"), ("rows", "written_rows"), ("cell_writes", "written_cells")):
        assert timed["wear"][ours] == image["total"][theirs] == sum(core[theirs] for core in image["cores"]) > 0
    assert [core["written_cells"] for core in report["cores"]] == [core["written_cells"] for core in image["cores"]]
    assert image["total"]["unrolled"]["xbwrite"] == timed["wear"]["events"]
    counted = sum(part["counts"].get("write_cell", 0) for part in timed["components"])
    assert counted == timed["wear"]["cell_writes"]


def test_what_people_see(emu: Emu, by_hand: Path) -> None:
    line = "writes 48 cells per sample (9 writes of 12 rows, 30 us, 9.6 nJ), in 1 crossbar of 1024 cells, which last "
    for command, *options in (("time",), ("time", "--details"), ("info",)):
        text = emu(command, by_hand, *options).stdout
        assert line in text and "most worn: core 0, crossbar 0 of the bank, 0.0469 writes per cell, " in text
    assert "groups that are written, per sample" in emu("time", by_hand, "--details").stdout
    for command, *options in (("time", "--details"), ("info", "--details"), ("report",)):
        assert "wear of crossbars, per sample" in emu(command, by_hand, *options).stdout


def test_tables_have_every_number(emu: Emu, by_hand: Path, tmp_path: Path) -> None:
    assert emu("time", by_hand, "--csv", tmp_path / "time.csv").exit_code == 0
    texts = (tmp_path / "time.csv").read_text(), emu("report", by_hand, "--format", "csv").stdout
    for text in texts:
        numbers = {(row["part"], row["name"], row["figure"]): row["value"] for row in csv.DictReader(io.StringIO(text))}
        assert numbers["chip", "", "wear.cell_writes"] == "48"
        assert numbers["written group", "core 0 group 1", "rows"] == "6"
        assert numbers["written crossbar", "core 0, crossbar 0 of the bank", "cells"] == "48"
    assert emu("info", by_hand, "--csv", tmp_path / "info.csv").exit_code == 0
    row = next(csv.DictReader(io.StringIO((tmp_path / "info.csv").read_text())))
    assert (row["write_events"], row["written_rows"], row["written_cells"]) == ("9", "12", "48")


def test_programs_that_write_nothing_say_nothing_of_it(emu: Emu, digits_image: Path) -> None:
    assert told(emu, "info", digits_image)["wear"] is None
    report = told(emu, "report", digits_image)
    assert report["wear"] is None and not any(core["written_cells"] for core in report["cores"])
    assert "writes to crossbars" not in emu("info", digits_image, "--details").stdout
    assert "written cells" not in emu("report", digits_image).stdout


def test_all_fields_are_in_the_page(emu: Emu, by_hand: Path) -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.partition("\nOf `wear`")[2].partition("\n## ")[0]))
    wear = told(emu, "time", by_hand)["wear"]
    assert {*wear, *wear["groups"][0], *wear["crossbars"][0]} <= named
