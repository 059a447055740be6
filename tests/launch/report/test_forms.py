"""All forms have the figures of the report: JSON and its page, CSV, text, and the values inside of the page."""

import csv
import html
import io
import json
import re
from pathlib import Path

import pytest
from commands import DIGITS, Emu

from launch.report.forms import FORMS, PictureOptions, form_for
from launch.report.html_page import HOME, PANELS_HOME, SCRIPTS, embedded
from launch.report.panels.panel import Drawing
from launch.report.panels.table import PANELS
from launch.report.report import Values

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text("utf-8")


def fields_in(section: str) -> set[str]:
    text = PAGE.partition("## emu report\n")[2].partition("\n## ")[0]
    cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall("`([^`]+)`", cell)}


def test_json_has_the_fields_of_its_page(values: Values, emu: Emu, image: Path) -> None:
    told = json.loads(emu("report", image, "--json").stdout)
    known = fields_in("emu report") | {"schema"}
    assert told.keys() == values.keys() | {"schema", "file"} and told.keys() <= known
    for part in ("totals", "verdict", "real", "chip", "time", "timeline", "graph"):
        assert values[part].keys() <= known, part
    for part in ("cores", "nodes", "traffic", "instructions", "metrics"):
        assert values[part][0].keys() <= known, part
    assert values["chip"]["links"][0].keys() | values["critical_path"].keys() <= known
    two = json.loads(emu("report", "--compare", image, image, "--json").stdout)
    assert two.keys() <= known and two["figures"][0].keys() <= known


def test_a_file_of_json_is_what_json_prints(emu: Emu, image: Path, tmp_path: Path) -> None:
    told = json.loads(emu("report", image, "--json").stdout)
    assert emu("report", image, "-o", tmp_path / "r.json").exit_code == 0
    assert json.loads((tmp_path / "r.json").read_text()) | {"file": None} == told
    assert json.loads(emu("report", image, "--format", "json").stdout) | {"file": None} == told


def numbers(value: object, at: str = "") -> dict[str, float]:
    """All numbers of a part of the report outside of lists, by path."""
    if isinstance(value, dict):
        return {name: n for key, part in value.items() for name, n in numbers(part, f"{at}.{key}").items()}
    return {at[1:]: value} if isinstance(value, int | float) and not isinstance(value, bool) else {}


def test_csv_has_all_numbers(values: Values) -> None:
    rows = list(csv.DictReader(io.StringIO(FORMS["csv"].make(values, PictureOptions()).decode())))
    found = {(row["part"], row["name"], row["figure"]): float(row["value"]) for row in rows}
    assert len(found) == len(rows)  # each number once
    for part, name in (("cores", "core"), ("nodes", "node"), ("instructions", "instruction")):
        for entry in values[part]:
            for figure, number in numbers({key: part for key, part in entry.items() if key != name}).items():
                assert found[name, str(entry[name]), figure] == number
    for pair in values["traffic"]:
        assert found["traffic", f"{pair['from']} {pair['to']}", "bytes"] == pair["bytes"]
    assert found["chip", "", "time.latency_ps"] == values["time"]["latency_ps"]
    assert found["chip", "", "totals.macs"] == values["totals"]["macs"]


def test_text_tells_what_people_look_for(emu: Emu, image: Path, run_file: Path, tmp_path: Path) -> None:
    result = emu("report", image, "--run", run_file, "--model", DIGITS)
    assert result.exit_code == 0 and result.stderr == ""
    for words in (
        "RIGHT: all outputs of 2 samples",
        "latency, simulated",
        "node_Conv_36 ",
        "Conv ",
        "mvmul",
        "array groups",
    ):
        assert words in result.stdout, words
    assert "cores, per sample (the first 20 of 55)" in result.stdout
    emu("report", image, "--run", run_file, "--model", DIGITS, "-o", tmp_path / "r.txt")
    assert (tmp_path / "r.txt").read_text() == result.stdout


def test_the_page_holds_the_report_and_needs_nothing_else(emu: Emu, image: Path, tmp_path: Path) -> None:
    assert emu("report", image, "-o", tmp_path / "r.html").stdout == f"written: {tmp_path / 'r.html'}\n"
    page = (tmp_path / "r.html").read_text("utf-8")
    told = json.loads(emu("report", image, "--json").stdout)
    inside = re.search(r'<script id="report" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert inside and json.loads(inside[1]) | {"file": None} == told
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page) and "url(" not in page and "@import" not in page
    assert "default-src 'none'" in page and "@title@" not in page
    assert {file.stem for file in HOME.glob("*.js")} == set(SCRIPTS)
    drawn = {block.name for panel in PANELS for block in panel.blocks if isinstance(block, Drawing)}
    assert {file.stem for file in PANELS_HOME.glob("*.js")} == drawn


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--<script>", "@data@ & 'x' \"y\"", "\u2028\ud800"]
)
def test_no_name_gets_out_of_its_place(values: Values, text: str) -> None:
    hostile = values | {"model": text, "arch": text}
    page = FORMS["html"].make(hostile, PictureOptions()).decode()
    assert page.count("<script") == 2 and page.count("</script>") == 2
    inside = page.partition('type="application/json">')[2].partition("</script>")[0]
    assert json.loads(inside)["model"] == text
    assert (
        html.escape(text).encode("utf-8", "replace").decode() in page.partition("<title>")[2].partition("</title>")[0]
    )
    assert "<" not in embedded(hostile)


def test_the_form_is_that_of_the_name(tmp_path: Path) -> None:
    assert form_for(None, None).name == "text" and form_for("csv", tmp_path / "x.html").name == "csv"
    for form in FORMS.values():
        for suffix in form.suffixes:
            assert form_for(None, tmp_path / f"x{suffix.upper()}") is form


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "x.pdf"), "tells no form"),
        (("--format", "html"), "is for a file: name it by -o FILE.html"),
        (("--format", "svg"), "is for a file: name it by -o FILE.svg"),
        (("-o", "x.html", "--figure", "chip"), "--figure is of pictures"),
        (("-o", "x.txt", "--by", "load"), "--by is of pictures"),
        (("-o", "x.svg", "--figure", "matrix", "--by", "load"), "--by colours cores"),
        (("--compare",), "1 directory given: --compare takes two"),
        (("--format", "csv", "--json"), "both take stdout"),
        (("-o", "/proc/none/report.html"), "/proc/none"),
        (("--run", "missing.json"), "missing.json"),
    ],
)
def test_what_cannot_be_is_refused(image: Path, emu: Emu, arguments: tuple[str, ...], words: str) -> None:
    result = emu("report", image, *arguments)
    assert result.exit_code == 2 and words in result.stderr, result.stderr
    assert result.stderr.count("\n") == 1 and not Path("x.svg").exists()


def test_two_directories_need_compare(image: Path, emu: Emu, run_file: Path) -> None:
    result = emu("report", image, image)
    assert result.exit_code == 2 and "2 directories given: give one, or two with --compare" in result.stderr
    result = emu("report", "--compare", image, image, "--run", run_file)
    assert result.exit_code == 2 and "--run is given 1 time for 2 directories" in result.stderr
    result = emu("report", "--compare", image, image, "-o", "x.svg")
    assert result.exit_code == 2 and "draws one directory" in result.stderr
