"""`emu thesis`: each experiment's figures, its table, picture and JSON, and what is refused."""

import csv
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import Emu

from launch.thesis.experiments import EXPERIMENTS, NAMED

ROOT = Path(__file__).parents[3]
SMALL = {"mapping": [], "instructions": ["--sizes", "2,4"], "ir-size": ["--sizes", "3,5"],
         "compile-time": ["--sizes", "3,5", "--repeat", "1"]}  # fmt: skip


def told(emu: Emu, *arguments: object) -> dict:
    result = emu("thesis", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_mapping_example_is_the_published_one(emu: Emu) -> None:
    found = told(emu, "mapping")
    assert [row["here"] for row in found["published"]] == [row["thesis"] for row in found["published"]]
    assert [row["here"][0] for row in found["published"]] == [6, 9, 54, 11]
    assert sum(row["crossbars"] for row in found["rows"]) == 54 and len(found["rows"]) == 11
    assert sum(row["weights"] for row in found["rows"]) == 8 * 4 * 3 * 3


def test_instructions_of_both_schemes(emu: Emu) -> None:
    found, sizes = told(emu, "instructions", "--sizes", "5,3,2"), (2, 3, 5)
    assert EXPERIMENTS["instructions"].sizes == (*range(2, 10),)
    rows = {(row["size"], row["scheme"]): row for row in found["rows"]}
    assert tuple(dict.fromkeys(size for size, _ in rows)) == sizes
    for (size, scheme), row in rows.items():
        assert sum(row[name] for name in NAMED) + row["others"] == row["unrolled"]
        pixels = (size - 1) ** 2  # of the output: the kernel has 2 x 2
        assert row["mvmul"] == 24 // 4 * pixels and row["sent"] == 32 * pixels, scheme  # the same work in both
    for size in sizes:
        channel, pixel = rows[size, "channel"], rows[size, "pixel"]
        assert pixel["send"] == (size - 1) ** 2 * channel["send"]
    written = {scheme: [rows[size, scheme]["written"] for size in sizes[1:]] for scheme in ("channel", "pixel")}
    assert len(set(written["channel"])) == 1 and written["pixel"] == sorted(set(written["pixel"]))


def test_only_pixel_wise_ir_grows(emu: Emu) -> None:
    found = told(emu, "ir-size", "--sizes", "4,6")
    (published,) = found["published"]
    assert published["thesis"] == published["here"] == [1, 1]
    for key in ("spat_operations", "pim_operations"):
        channel, pixel = ([row[key] for row in found["rows"] if row["scheme"] == name] for name in ("channel", "pixel"))
        assert len(set(channel)) == 1 and pixel == sorted(set(pixel)) and pixel[-1] > 4 * channel[-1]


def test_times_are_measured_and_compared(emu: Emu) -> None:
    found = told(emu, "compile-time", *SMALL["compile-time"])
    ratios = [row["ratio"] for row in found["rows"]]
    assert [row["size"] for row in found["rows"]] == [3, 5]
    assert all(row["ratio"] == row["pixel"] / row["channel"] > 0 for row in found["rows"])
    assert found["published"][0]["thesis"] == [5, 8]
    assert found["published"][0]["here"] == [min(ratios), max(ratios)]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_text_and_table_say_the_same(emu: Emu, name: str, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    result = emu("thesis", name, *SMALL[name], "-o", table)
    assert result.exit_code == 0 and result.stdout.startswith(EXPERIMENTS[name].title)
    assert result.stdout.endswith(f"written: {table}\n")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    shown = [line.split() for line in result.stdout.splitlines()]
    first = next(iter(rows[0]))
    assert all(any(words[:1] == [row[first]] for words in shown) for row in rows)
    assert ("beside the thesis" in result.stdout) == (name != "instructions")


@pytest.mark.skipif(not all(map(find_spec, ("altair", "vl_convert"))), reason="drawing takes two packages")
@pytest.mark.parametrize(
    ("name", "file", "begins"),
    [
        pytest.param("mapping", "p.svg", b"<svg", marks=pytest.mark.full),
        pytest.param("instructions", "p.svg", b"<svg", marks=pytest.mark.full),
        ("ir-size", "p.png", b"\x89PNG\r\n"),
        ("compile-time", "p.svg", b"<svg"),
    ],
)
def test_pictures(tmp_path: Path, name: str, file: str, begins: bytes) -> None:
    """In a process of its own: the library keeps threads."""
    words = ["thesis", name, *SMALL[name], "--plot", tmp_path / file]
    done = subprocess.run([sys.executable, "-m", "launch", *map(str, words)], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr
    picture = (tmp_path / file).read_bytes()
    assert picture.startswith(begins)
    if file == "p.svg":
        assert EXPERIMENTS[name].title.encode() in picture


def test_the_list(emu: Emu) -> None:
    assert [row["experiment"] for row in told(emu, "--list")["experiments"]] == list(EXPERIMENTS)
    assert all(name in emu("thesis", "--list").stdout for name in EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name an experiment, one of mapping, instructions"),
        (["speed"], "'speed' is not one of"),
        (["--list", "--sizes", "3"], "--list lists all experiments and runs none: leave --sizes out"),
        (["mapping", "--sizes", "3"], "--sizes means nothing to mapping"),
        (["ir-size", "--repeat", "3"], "--repeat means nothing to ir-size, which times nothing"),
        (["ir-size", "--sizes", "2,4"], "--sizes 2: the kernel is 3 pixels wide, so give 3 or more"),
        (["ir-size", "--sizes", "4,x"], "'4,x' are no sizes: write them as 4,8,12"),
        (["ir-size", "--sizes", "60"], "pixel by pixel the network becomes more than 10000 products"),
        (["ir-size", "-o", "x.svg", "--plot", "x.svg"], "-o and --plot name the same file: name two"),
        (["ir-size", "--plot", "x.gif"], "--plot x.gif: name a file that ends with .svg or .png"),
    ],
)
def test_refusals(emu: Emu, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = emu("thesis", *arguments)
    assert result.exit_code == 2 and result.stdout == "" and said in result.stderr, result.stderr
    assert not any(tmp_path.iterdir())
