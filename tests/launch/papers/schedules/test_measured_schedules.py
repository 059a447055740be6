"""Networks and kernels, compiled, timed and executed for figures about schedules; and what is refused."""

import re
from dataclasses import asdict

import pytest
from papers import made

from launch.papers.schedules.case import FigurePoint
from launch.papers.schedules.measuring import measure

SMALL = {"network": "lenet5", "schedule": "unscheduled", "types": "float32"}


def measured(folder, **given):
    return measure(str(folder), **FigurePoint(**SMALL, **given).given)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"chip.cores": 1}, "the network needs .* crossbars, which take .* cores"),
        ({"crossbar.rows": 0}, "crossbar.rows"),
    ],
)
def test_what_does_not_fit_is_a_sentence_without_paths(changes, said, tmp_path):
    found = measured(tmp_path, chip="cim-mlc-jain", changes=changes)
    assert re.search(said, found["reason"]), found
    assert "/" not in found["reason"] and found["exit_code"] == 2 and "latency_ps" not in found


def test_what_has_no_peak_still_has_its_times(monkeypatch, tmp_path):
    whole = measured(tmp_path, chip="cim-mlc-isaac", peak=True)
    assert whole["peak_crossbars"] and not whole["no_peak"]
    monkeypatch.setattr("emu.timing.power.operations.KEPT", 10)
    found = measured(tmp_path, chip="cim-mlc-isaac", peak=True)
    assert re.search("no peak power: more than 10 operations .*: ask for fewer samples", found["no_peak"])
    assert (found["latency_ps"], found["peak_crossbars"]) == (whole["latency_ps"], None)
    assert [file.suffix for file in tmp_path.iterdir() if file.suffix != ".lock"] == [".onnx"]


def test_kernels_are_executed_and_counted():
    made_now = made("occ/kernels", networks=("lstm", "conv1d"), schedules=("tile", "both"))
    found = {(row["network"], row["point"], row["schedule"]): row for row in made_now.rows}
    assert all(row["differ"] == 0 and row["executed"] == row["size"] for row in found.values())
    row, tile = "2.5 us a row", "2.5 us a tile"
    assert [found["conv1d", row, schedule]["writes"] for schedule in ("tile", "both")] == [4, 1]
    # 256 vectors of 1 us; 9 rows of cells for each write, or for one.
    assert found["conv1d", row, "tile"]["latency_ps"] == (256 + 4 * 9 * 2.5) * 10**6
    assert found["conv1d", row, "both"]["latency_ps"] == (256 + 9 * 2.5) * 10**6
    assert found["lstm", row, "tile"]["latency_ps"] == 8 * (64 * 2.5 + 1) * 10**6
    assert found["lstm", tile, "both"]["latency_ratio"] == 4  # four of eight tiles at a time
    sites = [entry for entry in made_now.published if "call sites" in entry.what]
    assert [(entry.network, entry.point, entry.ratio) for entry in sites] == [("conv1d", "", 1), ("lstm", "", 1)]
    assert {entry.point for entry in made_now.published if "both: latency gain" in entry.what} == {""}
    assert "differ" in [column.title for column in made_now.request.figure.shown(made_now.rows)]


def test_products_are_scheduled():
    rows = made("cinnamon/products", networks=("mlp3", "10-products"), cores=(1, 4)).rows
    steps = {(row["network"], row["cores_given"], row["schedule"]): row["steps"] for row in rows}
    assert all(steps["mlp3", cores, name] == 3 for cores in (1, 4) for name in ("asap", "alap"))
    assert [steps["10-products", cores, "asap"] for cores in (1, 4)] == [10, 3]
    assert all(row["differ"] == 0 for row in rows)


def test_cases_differ_by_what_is_measured():
    one = FigurePoint(**SMALL, chip="isaac")
    assert one.given != FigurePoint(**SMALL, chip="isaac", flow="credits:2").given
    assert one.given == {**asdict(one), "options": {}}
