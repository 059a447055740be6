"""Pictures for papers: all figures in both forms, what they are drawn from, and what is refused."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from commands import Emu

from launch.report.drawing import OTHERS, core_rows, extent, link_rows, pair_rows, slice_rows
from launch.report.forms import FORMS, PictureOptions
from launch.report.panels.metrics import METRICS
from launch.report.report import Values
from launch.text.picture import PACKAGES
from launch.text.units import SIZES, WRITE, unit_of, written

DRAWS = pytest.mark.skipif(not all(map(find_spec, PACKAGES)), reason="altair and vl-convert-python are not installed")


def size_of(unit: str, name: str) -> float:
    return next((size for size, called in SIZES.get(unit, ()) if called == name), 1)


@DRAWS
@pytest.mark.parametrize("figure", ["chip", "timeline", "matrix"])
def test_every_figure_is_drawn(values: Values, figure: str) -> None:
    picture = FORMS["svg"].make(values, PictureOptions(figure)).decode()
    assert picture.startswith("<svg") and "main_graph on small" in picture
    marks = {"chip": len(values["cores"]), "timeline": 55, "matrix": len(values["traffic"])}
    assert len(re.findall("<path ", picture)) >= marks[figure]
    assert FORMS["png"].make(values, PictureOptions(figure)).startswith(b"\x89PNG")


@DRAWS
def test_cores_are_coloured_by_each_metric(values: Values) -> None:
    pictures = {name: FORMS["svg"].make(values, PictureOptions("chip", name)) for name in METRICS}
    for name, picture in pictures.items():
        assert METRICS[name].title in picture.decode()


@DRAWS
def test_a_picture_is_written_whole(image: Path, emu: Emu, tmp_path: Path) -> None:
    assert emu("report", image, "-o", tmp_path / "x.svg", "--figure", "matrix").exit_code == 0
    assert (tmp_path / "x.svg").read_text().rstrip().endswith("</svg>")


@DRAWS
def test_what_is_not_known_cannot_be_drawn(tmp_path: Path, emu: Emu, own_plain: Path) -> None:
    for arguments in (("--figure", "timeline"), ("--by", "energy"), ("--by", "real")):
        result = emu("report", own_plain, "-o", tmp_path / "x.svg", *arguments)
        words = "--trace run.json.gz" if "real" in arguments else "[timing]"
        assert result.exit_code == 2 and words in result.stderr, result.stderr
        assert not (tmp_path / "x.svg").exists()


@pytest.fixture
def own_plain(tmp_path: Path, emu: Emu) -> Path:
    """An image for a chip without times."""
    emu("export", "kernels/mv", "-o", tmp_path / "mv.onnx")
    emu("compile", tmp_path / "mv.onnx", "-o", tmp_path / "mv", "--golden", "none")
    return tmp_path / "mv"


def test_without_the_packages_the_way_to_them_is_told(
    monkeypatch: pytest.MonkeyPatch, image: Path, emu: Emu, tmp_path: Path
) -> None:
    monkeypatch.setattr("launch.text.picture.find_spec", lambda module: None)
    result = emu("report", image, "-o", tmp_path / "x.png")
    assert result.exit_code == 2 and "pip install altair vl-convert-python" in result.stderr
    assert emu("report", image, "-o", tmp_path / "x.html").exit_code == 0


def test_rows_of_pictures_are_the_report(values: Values) -> None:
    for metric in METRICS.values():
        found = core_rows(values, metric)
        for row, core in zip(found.rows, values["cores"], strict=True):
            assert row["value"] * size_of(metric.unit, found.unit) == pytest.approx(metric.of(core))
            assert row["row"] * values["chip"]["width"] + row["column"] == core["core"]
    links = link_rows(values)
    assert [row["bytes"] * size_of("bytes", links.unit) for row in links.rows] == [
        link["bytes"] for link in values["chip"]["links"]
    ]
    pairs = pair_rows(values)
    order = [core["core"] for core in values["cores"]]
    for row, pair in zip(pairs.rows, values["traffic"], strict=True):
        assert (order[row["sender"]], order[row["receiver"]]) == (pair["from"], pair["to"])
    columns, rows = extent(values)
    assert columns == 8 and rows == 7  # 55 cores of 64


def test_nodes_with_little_time_share_a_colour(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    slices, names = slice_rows(values)
    assert OTHERS not in names and {row["node"] for row in slices.rows} == set(names)
    monkeypatch.setattr("launch.report.drawing.NAMED", 2)
    slices, names = slice_rows(values)
    assert len(names) == 3 and names[-1] == OTHERS and {row["node"] for row in slices.rows} == set(names)


def test_values_for_people() -> None:
    assert written(2_099_932_031, "ps") == "2.1 ms" and written(0, "ps") == "0 ps" and written(None, "ps") == "-"
    assert (
        written(1536, "bytes") == "1.5 KiB"
        and written(0.125, "share") == "12.5 %"
        and written("nan", "number") == "nan"
    )
    assert written(1234567, "count") == "1,234,567" and written(0.01, "seconds") == "10 ms"
    assert unit_of(5e6, "ps") == (1e6, "us") and unit_of(7, "count") == (1, "") and set(SIZES) < set(WRITE)
