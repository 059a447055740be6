"""`emu schedules`: a small figure, what a stopped run tells, and what is refused."""

import csv
import json
from pathlib import Path

import pytest
from commands import Emu

from launch.schedules import measuring
from launch.schedules.case import Case, Outcome
from launch.schedules.experiments import EXPERIMENTS

SMALL = ("schedules", "peak-power", "--networks", "lenet5", "--types", "float32", "--cores", "16", "--samples", "3")


def test_a_figure_is_what_compile_and_time_tell(emu: Emu, tmp_path: Path) -> None:
    kept, table = tmp_path / "kept.json", tmp_path / "t.csv"
    result = emu(*SMALL, "--measurements", kept, "-o", table, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    plain, staggered = found["rows"]
    assert emu("export", "lenet5", "-o", tmp_path / "l.onnx").exit_code == 0
    out = tmp_path / "out"
    words = ("--arch", "isaac", "--cores", 16, "--golden", "none", "--no-check")
    assert emu("compile", tmp_path / "l.onnx", "-o", out, *words).exit_code == 0
    timed = json.loads(emu("time", out, "--peak-power", "--samples", 3, "--json").stdout)
    assert [plain[key] for key in ("latency_ps", "period_ps", "energy_pj")] == [
        timed[key] for key in ("latency_ps", "period_ps", "energy_pj")
    ]
    assert plain["peak_mw"] == timed["peak_power"]["dynamic_mw"]
    assert staggered["peak_crossbars"] <= plain["peak_crossbars"] == timed["peak_power"]["crossbars"]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["schedule"] for row in rows] == ["unscheduled", "stagger"]
    again = emu(*SMALL, "--measurements", kept)  # nothing is measured again
    assert again.exit_code == 0 and again.stdout.startswith(EXPERIMENTS["peak-power"].title)
    assert "lenet5  cores=16  stagger" in again.stdout


def test_kernels_are_executed_and_counted(emu: Emu, tmp_path: Path) -> None:
    kept, words = tmp_path / "kept.json", ("schedules", "occ", "--networks", "lstm,conv1d", "--schedules", "tile,both")
    first = emu(*words, "--measurements", kept, "--json")
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    found = {(row["network"], row["changes"]["timing.crossbar.write_row_ns"], row["schedule"]): row
             for row in told["rows"]}  # fmt: skip
    assert all(row["differ"] == 0 and row["executed"] == row["size"] for row in found.values())
    assert [found["conv1d", 2500, schedule]["writes"] for schedule in ("tile", "both")] == [4, 1]
    # 256 vectors of 1 us; 9 rows of cells for each write, or for one.
    assert found["conv1d", 2500, "tile"]["latency_ps"] == (256 + 4 * 9 * 2.5) * 10**6
    assert found["conv1d", 2500, "both"]["latency_ps"] == (256 + 9 * 2.5) * 10**6
    assert found["lstm", 2500, "tile"]["latency_ps"] == 8 * (64 * 2.5 + 1) * 10**6
    assert found["lstm", 2500 / 64, "both"]["latency_ratio"] == 4  # four of eight tiles at a time
    sites = [entry for entry in told["published"] if "call sites" in entry["what"]]
    assert [(entry["network"], entry["point"], entry["ratio"]) for entry in sites] == [
        ("conv1d", "", 1),
        ("lstm", "", 1),
    ]
    again = emu(*words, "--measurements", kept)
    assert "2.5 us a tile" in again.stdout and "differ" in again.stdout


def test_products_are_scheduled(emu: Emu) -> None:
    words = ("schedules", "cinnamon", "--networks", "mlp3,10-products", "--cores", "1,4", "--json")
    rows = json.loads(emu(*words).stdout)["rows"]
    steps = {(row["network"], row["cores_given"], row["schedule"]): row["steps"] for row in rows}
    assert all(steps["mlp3", cores, name] == 3 for cores in (1, 4) for name in ("asap", "alap"))
    assert [steps["10-products", cores, "asap"] for cores in (1, 4)] == [10, 3]
    assert all(row["differ"] == 0 for row in rows)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_run_that_is_stopped_tells_what_it_has(emu: Emu, monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
    def one(case: Case, *_: object) -> Outcome:
        if case.schedule != "unscheduled":
            raise KeyboardInterrupt
        return Outcome(cores=1, latency_ps=10**9, period_ps=10**9)

    monkeypatch.setattr(measuring, "_network", lambda *_: None)
    monkeypatch.setattr(measuring, "_outcome", one)
    result = emu("schedules", "greedy", "--networks", "lenet5", *(["--json"] if as_json else []))
    assert result.exit_code == 130 and "interrupted" in result.stderr
    if as_json:
        told = json.loads(result.stdout)
        assert [row["schedule"] for row in told["rows"]] == ["unscheduled"] and told["exit_code"] == 130
    else:
        assert "lenet5  unscheduled" in result.stdout


def test_the_list_of_figures(emu: Emu) -> None:
    assert [row["figure"] for row in json.loads(emu("schedules", "--list", "--json").stdout)["figures"]] == [
        *EXPERIMENTS
    ]
    assert all(name in emu("schedules", "--list").stdout for name in EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a figure, one of levels, peak-power"),
        (["speed"], "'speed' is not one of"),
        (["--list", "--cores", "3"], "--list lists all figures and makes none: leave --cores out"),
        (["levels", "--networks", "resnet18,lenet6"], "'lenet6' is not one of"),
        (["levels", "--arch", "isaak"], "isaak"),
        (["levels", "--networks", "mm"], "--networks mm: those of this figure are"),
        (["levels", "--schedules", "tile"], "--schedules tile: those of this figure are unscheduled, pipeline"),
        (["occ", "--networks", "resnet18"], "--networks resnet18: those of this figure are mm, tmm"),
        (["cinnamon", "--flow", "credits:4"], "--flow and --samples are about networks that are compiled"),
        (["levels", "--cores", "a"], "'a' are no sizes"),
        (["levels", "--plot", "x.gif"], "--plot x.gif: name a file that ends with .svg or .png"),
        (["levels", "-o", "x.svg", "--plot", "x.svg"], "-o and --plot name the same file: name two"),
    ],
)
def test_wrong_figures(
    emu: Emu, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = emu("schedules", *arguments)
    assert result.exit_code == 2 and result.stdout == "" and said in result.stderr, result.stderr
    assert not any(tmp_path.iterdir())
