"""`emu bench`: options, JSON, the page; measured on rows of our own."""

import json
from pathlib import Path

import pytest
from commands import Emu
from junitparser import JUnitXml

from launch.bench import engines, rows, session, speed
from launch.bench.costs import Costs
from launch.bench.instructions import InstructionCost
from launch.bench.measurement import BenchGoal
from launch.bench.row import BenchRow
from launch.bench.rows import ROWS
from launch.text.markdown_page import end_marker, marker

QUICK = BenchRow(
    name="small",
    title="A small crossbar",
    function=engines.crossbar_kernel,
    arguments={"batch": 2, "size": 16},
    target=BenchGoal(">=", 0),
)
BROKEN = BenchRow(
    name="broken", title="No such network", function=speed.latency, arguments={"network": "x", "cores": 1}
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(f"before\n{marker('rows')}\n{end_marker()}\nafter\n")
    return path


def use(monkeypatch: pytest.MonkeyPatch, *table: BenchRow) -> None:
    monkeypatch.setattr(rows, "ROWS", table)


def test_list_names_all_rows(emu: Emu) -> None:
    result = emu("bench", "--list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == [row.name for row in ROWS]


def test_json(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, QUICK)
    result = emu("bench", "--row", "small", "--quick", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert {"cpu", "cores", "python", "numpy", "blas", "onnxruntime"} <= found["machine"].keys()
    (row,) = found["rows"]
    assert (row["row"], row["unit"], row["target"], row["verdict"]) == ("small", "GFLOP/s", ">= 0x", "met")
    assert row["ratio"] == pytest.approx(row["ours"] / row["baseline"])
    assert (found["profiles"], found["bounds"], found["costs"]) == ({}, {}, None)


def test_all_rows_go_to_the_page_even_if_one_fails(emu: Emu, monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    use(monkeypatch, BROKEN, QUICK)
    result = emu("bench", "--all", "--quick", "--write", page)
    assert result.exit_code == 1
    assert "broken: not measured: " in result.stdout
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith(f"{end_marker()}\nafter\n")
    assert "| small | A small crossbar |" in text
    assert "| broken | No such network |" in text


def test_a_page_without_markers_is_refused_before_anything_is_measured(emu: Emu, page: Path) -> None:
    text = page.read_text()
    result = emu("bench", "--all", "--profile", "nothing", "--write", page)
    assert result.exit_code == 2
    assert marker("profile nothing") in result.stderr
    assert "resnet18-latency" not in result.stderr
    assert page.read_text() == text


@pytest.mark.parametrize("page_too", [False, True])
def test_costs_are_a_case_and_a_block(
    emu: Emu, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page_too: bool
) -> None:
    monkeypatch.setattr(
        session, "measure_costs", lambda work: Costs([], [], [InstructionCost("a", "an add", 3e-6, 1e-6)])
    )
    page = tmp_path / "costs.md"
    page.write_text(f"{marker('costs')}\n{end_marker()}\n")
    result = emu("bench", "--costs", "--json", *(["--write", page] if page_too else []))
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["rows"], found["costs"]["instructions"][0]["ours"]) == ([], 3e-6)
    assert ("| an add | 3 | 1 | 2 |" in page.read_text()) == page_too


def test_profiles_of_what_cannot_be_measured(emu: Emu, tmp_path: Path) -> None:
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"junk")
    for network, words in [
        (bad, f"error: {bad} is not an ONNX model"),
        (tmp_path / "none.onnx", "none.onnx: there is no such file"),
        ("lenet", "'lenet' is no built-in network; did you mean 'lenet5'?"),
    ]:
        result = emu("bench", "--profile", network, "--quick")
        assert (result.exit_code, result.stdout) == (2, "")
        assert words in result.stderr
        assert "emu export lenet" not in result.stderr and "exit code" not in result.stderr


def test_rows_are_cases(emu: Emu, monkeypatch: pytest.MonkeyPatch, page: Path, tmp_path: Path) -> None:
    use(monkeypatch, BROKEN, QUICK)
    out = tmp_path / "out.xml"
    result = emu("bench", "--all", "--quick", "-k", "small", "--junit", out)
    assert result.exit_code == 0 and "broken" not in result.stdout
    (suite,) = JUnitXml.fromfile(str(out))
    assert [case.name for case in suite] == ["small"]
    assert emu("bench", "--all", "--quick", "-x").exit_code == 1
    refused = emu("bench", "--all", "--write", page, "-k", "small")
    assert refused.exit_code == 2 and "--write needs all rows of one run" in refused.stderr
