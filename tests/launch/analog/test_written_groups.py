"""Array groups that share crossbars count what each of their stays there does; host nodes have no crossbars."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import Emu
from host_nets import sandwich

import compiler

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
      xbwrite.i8 l[0x00], group 0, row 0, rows 2
      mvmul.i8.i32 l[0x40], l[0x00], group 0
      xbwrite.i8 l[0x00], group 1, row 0, rows 2
      mvmul.i8.i32 l[0x40], l[0x00], group 1
      mvmul.i8.i32 l[0x40], l[0x02], group 1
    }
    st g[0x20], l[0x40], 16
    halt
  }
}
"""


@pytest.fixture
def written(emu: Emu, tmp_path: Path) -> Path:
    (tmp_path / "chip.toml").write_text(CHIP)
    (tmp_path / "a.asm").write_text(PROGRAM)
    assert emu("import", tmp_path / "a.asm", "-o", tmp_path / "out").exit_code == 0
    return tmp_path / "out"


CELLS = """
[device]
programming = "gaussian"
programming_sigma = 0.2
"""
TIMED = """dac_bits = 8
endurance = 1000000
[timing]
model = "cim-mlc"
float_bits = 8
[timing.crossbar]
read_ns = 1000
write_row_ns = 100
[energy.crossbar]
write_cell_pj = 2
"""


def test_what_programs_write_is_told_by_its_pulses(emu: Emu, written: Path, tmp_path: Path) -> None:
    chip, verified = tmp_path / "noisy.toml", tmp_path / "verified.toml"
    chip.write_text(CELLS)
    verified.write_text(CELLS + "verify_pulses = 3\nverify_tolerance = 0.1\n")
    once, more = (run(emu, written, "--analog", file, "--trials", 2)["analog"] for file in (chip, verified))
    wear = once["wear"]
    assert (wear["cells"], wear["pulses"], wear["row_pulses"]) == (48, 48, 12)  # three times both groups
    assert wear["planned"]["cells"] == 48 and wear["planned"]["rows"] == 12
    assert {group["rewritten"] for group in once["groups"]} == {2 * 24}
    found = more["wear"]
    assert found["cells"] == 48 < found["pulses"] < 3 * 48 and 12 < found["row_pulses"] <= 36
    assert run(emu, written, "--analog", verified, "--trials", 2, "--sequential", "--engine", "step")["analog"] == more
    told = emu("launch", written, "--analog", verified, "--trials", 2).output
    assert f"programs wrote 48 cells per sample in {found['pulses']:g} pulses" in told


def test_time_energy_and_years_of_writing_follow_the_pulses(emu: Emu, tmp_path: Path) -> None:
    verified = tmp_path / "verified.toml"
    verified.write_text(CELLS + "verify_pulses = 3\nverify_tolerance = 0.1\n")
    (tmp_path / "chip.toml").write_text(CHIP + TIMED)
    (tmp_path / "a.asm").write_text(PROGRAM)
    assert emu("import", tmp_path / "a.asm", "-o", tmp_path / "out").exit_code == 0
    found = run(emu, tmp_path / "out", "--analog", verified, "--trials", 4)
    (tmp_path / "run.json").write_text(json.dumps(found))
    wear = found["analog"]["wear"]
    assert wear["time_ps"] == pytest.approx(wear["row_pulses"] * 100_000)
    assert wear["energy_pj"] == pytest.approx(wear["pulses"] * 2.0)
    planned = wear["planned"]
    assert (planned["time_ps"], planned["energy_pj"]) == (12 * 100_000, 96.0)
    assert wear["lifetime_years"] == pytest.approx(planned["lifetime_years"] * 48 / wear["pulses"])
    told = json.loads(emu("report", tmp_path / "out", "--run", tmp_path / "run.json", "--json").stdout)["analog"]
    assert told["wear"] == {name: wear[name] for name in wear if name != "planned"}
    page = emu("report", tmp_path / "out", "--run", tmp_path / "run.json", "-o", tmp_path / "page.html")
    assert page.exit_code == 0 and "cells per sample in" in (tmp_path / "page.html").read_text()


def run(emu: Emu, *options: object) -> dict[str, Any]:
    result = emu("launch", *options, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def groups_of(emu: Emu, *options: object) -> tuple[list[dict[str, Any]], Any]:
    result = emu("launch", *options, "--json", "--print")
    assert result.exit_code == 0, result.output
    values = json.loads(result.stdout)
    return values["analog"]["groups"], values["outputs"]


def test_every_stay_of_a_group_is_counted(emu: Emu, written: Path, tmp_path: Path) -> None:
    chip = tmp_path / "noisy.toml"
    chip.write_text('[device]\nprogramming = "gaussian"\nprogramming_sigma = 0.2\n')
    options = (written, "--analog", chip, "--trials", 2)
    groups, outputs = groups_of(emu, *options, "--sequential")
    assert [(group["core"], group["group"], group["vectors"]) for group in groups] == [(0, 0, 6), (0, 1, 12)]
    assert groups[0]["written"] == groups[1]["written"] == 2 * 3 * 8  # trials x writes x cells
    assert groups_of(emu, *options) == (groups, outputs)
    assert groups_of(emu, *options, "--engine", "step", "--hosts", "local:2") == (groups, outputs)


def test_host_nodes_are_refused(emu: Emu, tmp_path: Path) -> None:
    compiler.compile(sandwich(), "tiny", cores=8, out=tmp_path / "out", host_fallback=True)
    result = emu("launch", tmp_path / "out", "--analog", "own")
    assert result.exit_code == 2 and "--analog is about one chip" in result.stderr and result.stderr.count("\n") == 1
