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
