"""`emu info`: tables, JSON, CSV, pictures, comparison, and what is refused."""

import json
from pathlib import Path

import pytest
from commands import CAN_DRAW, Emu
from emu_processes import EmuProcesses

from launch.info.drawing import OTHERS, core_rows, mix_rows
from launch.info.report import InfoReport, read_held

ROOT = Path(__file__).parents[3]
ASM = """arch tiny
input "x" f32[1, 4] at 0x00
output "y" f32[1, 4] at 0x10
core 0 {
  main {
    ld l[0x00], g[0x00], 16
    loop i0 3 {
      loop i1 2 {
        vvadd.f32 l[0x10], l[0x00], l[0x00], 4
      }
      send core 1, l[0x10], 16
    }
    halt
  }
}
core 1 {
  init {
    lldi l[0x40], 0, 8
  }
  main {
    loop i0 3 {
      recv core 0, l[0x00], 16
    }
    st g[0x10], l[0x00], 16
    halt
  }
}
"""


@pytest.fixture
def by_hand(emu: Emu, tmp_path: Path) -> Path:
    """Two cores of which every number is known."""
    (tmp_path / "a.asm").write_text(ASM)
    assert emu("import", tmp_path / "a.asm", "-o", tmp_path / "a").exit_code == 0
    return tmp_path / "a"


def told(emu: Emu, *arguments: object) -> dict:
    result = emu("info", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_what_is_drawn_adds_up(digits_image: Path, by_hand: Path) -> None:
    report = InfoReport(read_held(digits_image), read_held(by_hand))
    mixes = mix_rows(report)
    for bar in {row["bar"] for row in mixes}:
        assert sum(row["share"] for row in mixes if row["bar"] == bar) == pytest.approx(1)
    for label, held in zip("AB", report.images, strict=True):
        drawn = sum(row["count"] for row in core_rows(report) if row["image"] == label)
        assert drawn == held.total["executed"]
    assert OTHERS in {row["instruction"] for row in mixes}


@pytest.mark.skipif(not CAN_DRAW, reason="drawing takes two packages")
def test_a_picture(emu_processes: EmuProcesses, by_hand: Path, tmp_path: Path) -> None:
    """In a process of its own: the library keeps threads. Another form is drawn in the tests of `emu sweep`."""
    done = emu_processes.run("info", by_hand, "--against", by_hand, "--plot", tmp_path / "p.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG\r\n")
