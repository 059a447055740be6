"""`emu info`: tables, JSON, CSV, pictures, comparison, and what is refused."""

import csv
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import Emu

from emu.census.instructions import families
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


def test_every_number_of_programs_written_by_hand(emu: Emu, by_hand: Path) -> None:
    image = told(emu, by_hand)
    first, second = image["cores"]
    assert first["written"] == {"loop": 2, "halt": 1, "ld": 1, "send": 1, "vvadd": 1}
    assert first["unrolled"] == {"vvadd": 6, "send": 3, "halt": 1, "ld": 1}
    assert (first["instructions"], first["executed"], first["init"], second["init"]) == (6, 11, 0, 1)
    assert second["instructions"] == 5
    assert (first["local_read"], first["local_written"]) == (6 * 32 + 3 * 16, 16 + 6 * 16)
    assert (first["loaded"], first["stored"], first["message_bytes"], first["received"]) == (16, 0, 48, 0)
    assert (second["loaded"], second["stored"], second["message_bytes"], second["received"]) == (0, 16, 0, 48)
    total = image["total"]
    assert (total["messages"], total["macs"], total["crossbars"], total["cell_share"]) == (3, 0, 0, 0.0)
    of_cores = {"init", "instructions", "weights", "cells", "weight_bytes"}  # those of no node
    for name in set(total) - {"written", "unrolled", "cell_share"}:
        assert total[name] == first[name] + second[name], name
        assert name in of_cores or total[name] == sum(node[name] for node in image["nodes"]), name


def test_it_agrees_with_the_report(emu: Emu, digits_image: Path) -> None:
    image = told(emu, digits_image)
    report = json.loads(emu("report", digits_image, "--json").stdout)
    total = image["total"]
    for name in ("crossbars", "cell_share", "instructions", "messages", "weight_bytes"):
        assert total[name] == report["totals"][name], name
    assert (image["crossbars"], image["cell_share"]) == (total["crossbars"], total["cell_share"])
    assert total["macs"] == report["totals"]["macs"]
    executed = {row["instruction"]: row["executed"] for row in report["instructions"]}
    assert total["unrolled"] == {name: count for name, count in executed.items() if name != "loop"}


def test_tables_name_every_instruction_and_every_core(emu: Emu, digits_image: Path) -> None:
    image = told(emu, digits_image)
    text = emu("info", digits_image, "--per-core", "--details").stdout
    for name, count in image["total"]["unrolled"].items():
        (row,) = [line for line in text.splitlines() if line.startswith(f" {name} ")]
        assert f" {count:,} " in row and f" {image['total']['written'][name]:,} " in row
    for core in image["cores"]:
        row = [core["core"], core["instructions"] - core["init"], core["executed"]]
        assert any(line.split()[:3] == [f"{number:,}" for number in row] for line in text.splitlines())
    plain, short = emu("info", digits_image, "-v").stdout, emu("info", digits_image).stdout
    assert "cores of" not in plain and len(plain.splitlines()) < len(text.splitlines())
    assert plain.startswith(short) and "unrolled" not in short


def test_two_side_by_side(emu: Emu, digits_image: Path, by_hand: Path) -> None:
    found = told(emu, digits_image, "--compare", by_hand)
    files = {"other", "table", "plot", "schema"}
    for side, path in ((found, digits_image), (found["other"], by_hand)):
        assert {name: side[name] for name in set(side) - files} == {
            name: value for name, value in told(emu, path).items() if name not in files
        }
    text = emu("info", by_hand, "--compare", by_hand).stdout
    rows = [line.split() for line in text.splitlines()]
    assert ["send", "communication", "1", "1", "1", "3", "3", "1"] in rows
    assert ["MACs", "0", "0"] in rows  # nothing over nothing is no number
    assert text.startswith(f"A: {by_hand}") and f"\nB: {by_hand}" in text


def test_the_csv_table_has_what_json_has(emu: Emu, digits_image: Path, by_hand: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    result = emu("info", digits_image, "--compare", by_hand, "--csv", table)
    assert f"written: {table}\n" in result.stdout
    found = told(emu, digits_image, "--compare", by_hand)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    for image in (found, found["other"]):
        mine = {row["core"]: row for row in rows if row["image"] == image["path"]}
        assert list(mine) == [*(str(core["core"]) for core in image["cores"]), "total"]
        for core, values in [*((str(core["core"]), core) for core in image["cores"]), ("total", image["total"])]:
            for mix in ("written", "unrolled"):
                columns = {
                    name: int(text) for name in families() if (text := mine[core].get(f"{mix} {name}", "0")) != "0"
                }
                assert columns == values[mix]
            assert [int(mine[core][name]) for name in ("executed", "macs", "message_bytes", "weights")] == [
                values[name] for name in ("executed", "macs", "message_bytes", "weights")
            ]


def test_what_is_drawn_adds_up(digits_image: Path, by_hand: Path) -> None:
    report = InfoReport(read_held(digits_image), read_held(by_hand))
    mixes = mix_rows(report)
    for bar in {row["bar"] for row in mixes}:
        assert sum(row["share"] for row in mixes if row["bar"] == bar) == pytest.approx(1)
    for label, held in zip("AB", report.images, strict=True):
        drawn = sum(row["count"] for row in core_rows(report) if row["image"] == label)
        assert drawn == held.total["executed"]
    assert OTHERS in {row["instruction"] for row in mixes}


@pytest.mark.skipif(not all(map(find_spec, ("altair", "vl_convert"))), reason="drawing takes two packages")
@pytest.mark.parametrize(("name", "begins"), [("p.svg", b"<svg"), ("p.png", b"\x89PNG\r\n")])
def test_pictures(by_hand: Path, tmp_path: Path, name: str, begins: bytes) -> None:
    """In a process of its own: the library keeps threads."""
    words = ["info", by_hand, "--compare", by_hand, "--plot", tmp_path / name]
    done = subprocess.run([sys.executable, "-m", "launch", *map(str, words)], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plot", "x.pdf"], "--plot x.pdf: name a file that ends with .svg or .png"),
        (["--csv", "x.svg", "--plot", "./x.svg"], "--csv and --plot name the same file: name two"),
        (["--compare", "."], ". is no image: it has no manifest.json"),
        (["--csv", "/proc/no/folder/x.csv"], "/proc/no/folder/x.csv: cannot be written"),
        (["--details", "--node", "x"], "--details is of programs: leave it out, or --node, --core and --crossbar"),
        (["--core", "0", "--csv", "x.csv"], "--csv has nothing to write here"),
    ],
)
def test_refusals(
    emu: Emu, by_hand: Path, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = emu("info", by_hand, *arguments)
    assert result.exit_code == 2 and result.stdout == "" and said in result.stderr, result.stderr
    assert not list(tmp_path.glob("x.*"))


def test_the_former_name_leads_here(emu: Emu, by_hand: Path) -> None:
    result = emu("stats", by_hand)
    assert (result.exit_code, result.stdout) == (2, "") and "`emu stats` is now `emu info`" in result.stderr
