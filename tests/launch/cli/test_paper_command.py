"""`emu paper`: the list, a figure beside its commands, files, pages, what a stopped run tells, and what is refused."""

import csv
import json
import shutil
import signal
import time
from pathlib import Path

import pytest
from commands import Emu
from emu_processes import EmuProcesses
from papers import FIGURES, words_of
from snippets import ROOT

from launch.papers.frame.library import paper_names

SMALL = ("cim-mlc/peak-power", "--networks", "lenet5", "--types", "float32", "--cores", "16", "--samples", "3")
JSON_PAGE = (ROOT / "docs" / "json.md").read_text("utf-8").partition("## emu paper\n")[2].partition("\n## ")[0]


def test_the_list_names_all(emu: Emu) -> None:
    found = json.loads(emu("paper", "--json").stdout)["papers"]
    assert [each["paper"] for each in found] == paper_names()
    assert [f"{each['paper']}/{figure['figure']}" for each in found for figure in each["figures"]] == [*FIGURES]
    assert emu("paper").stdout == emu("paper", "--list").stdout
    assert all(name in emu("paper").stdout for name in paper_names())


def test_a_figure_is_what_its_commands_tell(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also: it is kept, written as CSV and JSON, and its fields are those of the page."""
    monkeypatch.chdir(tmp_path)
    result = emu("paper", *SMALL, "--measurements", "kept.json", "--csv", "t.csv", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    (found,) = told["figures"]
    cases = json.loads(emu("paper", *SMALL, "--list", "--json").stdout)["cases"]
    assert [row["schedule"] for row in found["rows"]] == ["unscheduled", "stagger"]
    for row, case in zip(found["rows"], cases, strict=True):
        for line in case["commands"]:
            last = emu(*words_of(line), *(["--json"] if " time " in line else []))
            assert last.exit_code == 0, (line, last.output)
        timed = json.loads(last.stdout)
        same = ("latency_ps", "period_ps", "energy_pj")
        assert [row[key] for key in same] == [timed[key] for key in same]
        peak = timed["peak_power"]
        assert (row["peak_mw"], row["peak_crossbars"]) == (peak["dynamic_mw"], peak["crossbars"])
        shutil.rmtree("out")
    rows = list(csv.DictReader(Path("t.csv").read_text().splitlines()))
    assert [row["schedule"] for row in rows] == ["unscheduled", "stagger"]
    again = emu("paper", *SMALL, "--measurements", "kept.json")  # nothing is measured again
    assert again.exit_code == 0 and again.stdout.startswith("cim-mlc/peak-power: peak power with and without")
    assert "lenet5  cores=16  stagger" in again.stdout and again.stdout.endswith(f"in {found['seconds']:.0f} s\n")
    alone = emu("paper", *words_of(f"emu {' '.join(map(str, SMALL))}"), "-k", "stagger", "--measurements", "kept.json")
    assert "unscheduled" not in alone.stdout.partition("──\n")[2] and "stagger" in alone.stdout
    for name in {*told, *found, *found["rows"][0]} - {"schema"}:
        assert f"`{name}`" in JSON_PAGE, name


def test_a_page_is_made_anew_and_nothing_else_is_touched(emu: Emu, tmp_path: Path) -> None:
    page, text = tmp_path / "p.md", (ROOT / "docs" / "thesis.md").read_text("utf-8")
    begin, end = "<!-- emu paper: raptor/mapping -->", "<!-- emu paper: end -->"
    block = text.partition(begin)[2].partition(end)[0]
    other = "<!-- emu paper: occ/table --networks mm -->\n\nkept\n\n<!-- emu paper: end -->\n"
    page.write_text(f"before\n\n{begin}\n\nold\n\n{end}\n\nbetween\n{other}")
    done = emu("paper", "raptor", "--write", page)
    assert done.exit_code == 0 and f"written: {page}" in done.stdout, done.output
    assert page.read_text("utf-8") == f"before\n\n{begin}{block}{end}\n\nbetween\n{other}"
    assert emu("paper", "raptor/mapping", "--markdown").stdout == f"{block.strip()}\n"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_run_that_is_stopped_tells_what_it_has_and_goes_on_from_there(
    emu_processes: EmuProcesses, tmp_path: Path, as_json: bool
) -> None:
    """Of cases whose first ones are quick, and that are too many to end before the signal comes."""
    words = ["paper", "raptor/instructions", "--sizes", ",".join(map(str, range(2, 40))), "--measurements", "k.json"]
    process = emu_processes.start(*words, *(["--json"] if as_json else []), cwd=tmp_path)
    while not (tmp_path / "k.json").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and "interrupted" in errors and "Traceback" not in errors, errors
    kept = json.loads((tmp_path / "k.json").read_text())["measured"]
    if as_json:
        (figure,) = json.loads(out.splitlines()[0])["figures"]
        assert 0 < len(figure["rows"]) == len(kept) < 76
    else:
        assert out.startswith("raptor/instructions: ") and f", {len(kept)} of 76 measurements" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cores", "3"], "name a paper (`emu paper` lists all)"),
        (["--list", "--cores", "3"], "--list lists all papers and makes no figure: leave --cores out"),
        (["rapto"], "there is no paper 'rapto'; did you mean 'raptor'?"),
        (
            ["raptor/mapping", "ir-size"],
            "raptor/mapping names a figure, and 'ir-size' is another one: name one at a time",
        ),
        (["raptor", "maping"], "paper raptor has no figure 'maping'; did you mean 'mapping'?"),
        (["raptor/mapping", "--sizes", "3"], "--sizes means nothing to raptor/mapping: leave it out"),
        (["raptor/ir-size", "--sizes", "2,4"], "--sizes 2: the kernel is 3 pixels wide, so give 3 or more"),
        (["raptor/ir-size", "--sizes", "4,x"], "'4,x' are no sizes: write them as 4,8,12"),
        (["raptor/ir-size", "--csv", "x.svg", "--plot", "x.svg"], "--csv and --plot name the same file: name two"),
        (["raptor/ir-size", "--plot", "x.gif"], "--plot x.gif: name a file that ends with .svg or .png"),
        (["cim-mlc/levels", "--networks", "resnet18,lenet6"], "'lenet6' is not one of"),
        (["cim-mlc/levels", "--arch", "isaak"], "isaak"),
        (["cim-mlc/levels", "--networks", "mm"], "--networks mm: those of this figure are"),
        (["cim-mlc/levels", "--schedules", "tile"], "--schedules tile: those of this figure are unscheduled, pipeline"),
        (["occ/kernels", "--networks", "resnet18"], "--networks resnet18: those of this figure are mm, tmm"),
        (["chips", "--networks", "mm"], "--networks mm: those of this figure are"),
        (["cinnamon", "--flow", "credits:4"], "--flow means nothing to cinnamon/products: leave it out"),
        (["raptor/ir-size", "-k", "nowhere"], "nowhere: none of 10 cases matches"),
    ],
)
def test_refusals(emu: Emu, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = emu("paper", *arguments)
    assert result.exit_code == 2 and result.stdout == "" and said in result.stderr, result.stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [
        ("raptor/mapping", ["--markdown", "--published"], "--write makes what the page asks for"),
        ("raptor/mapping", ["-k", "a"], "--write makes whole figures: leave what chooses some"),
        ("raptor/mapping", ["occ"], "has nothing of occ: it has raptor/mapping"),
        ("raptor/maping", [], "paper raptor has no figure 'maping'; did you mean 'mapping'?"),
        ("raptor/mapping -j 2", [], "raptor/mapping -j 2: -j means nothing in a page: leave it out"),
        ("--networks mm", [], "--networks mm: begin with the name of a paper"),
        ("raptor/mapping --depth 3", [], "--depth"),
    ],
)
def test_pages_that_are_refused(emu: Emu, tmp_path: Path, command: str, arguments: list[str], said: str) -> None:
    page, text = tmp_path / "p.md", f"<!-- emu paper: {command} -->\n<!-- emu paper: end -->\n"
    page.write_text(text)
    result = emu("paper", *arguments, "--write", page)
    assert result.exit_code == 2 and result.stdout == "" and said in result.stderr, result.stderr
    assert page.read_text() == text


def test_a_figure_without_anything_is_an_error(emu: Emu) -> None:
    result = emu("paper", "raptor/ir-size", "--sizes", "60", "-k", "pixel-wise", "--json")
    assert result.exit_code == 2 and "more than 10000 products" in result.stderr
    (found,) = json.loads(result.stdout)["figures"]
    assert "more than 10000 products" in found["rows"][0]["reason"]


@pytest.mark.parametrize(("figure", "code"), [("networks", 2), ("refused", 0)])
def test_what_a_chip_refuses_is_the_one_figure_and_an_error_of_the_other(emu: Emu, figure: str, code: int) -> None:
    result = emu("paper", f"chips/{figure}", "--networks", "lenet5", "--arch", "jia")
    assert result.exit_code == code and ("error: " in result.stderr) == bool(code), result.output
    assert ("nothing is published of `timing." in result.stdout) == (figure == "refused")


@pytest.mark.parametrize(("name", "now"), [("thesis", "paper raptor"), ("schedules", "paper")])
def test_former_commands_are_named(emu: Emu, name: str, now: str) -> None:
    result = emu(name, "mapping")
    assert result.exit_code == 2 and f"`emu {name} mapping` is now `emu {now} mapping`" in result.stderr
