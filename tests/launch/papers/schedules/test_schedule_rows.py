"""Rows of figures about schedules beside each other, and beside what is published."""

from dataclasses import asdict

import pytest
from papers import FIGURES, report_of

from launch.papers import cim_mlc
from launch.papers.frame.figure import WantedOptions
from launch.papers.schedules.case import PointOutcome

MS = 10**9
ALL = {"networks": ("resnet18",)}


def outcome(latency, period=None, **more):
    made = PointOutcome(cores=2, crossbars=3, latency_ps=latency * MS, period_ps=(period or latency) * MS, **more)
    return asdict(made)


LEVELS = (outcome(100, 50), outcome(60, 40), outcome(10, 5), outcome(5, 4), outcome(6, 2), outcome(6, 2))


def test_gains_are_over_the_first_schedule_of_the_point():
    rows = report_of("cim-mlc/levels", *LEVELS, **ALL).rows
    assert [row["schedule"] for row in rows] == [*cim_mlc.LEVELS]
    assert [row["latency_ratio"] for row in rows[:3]] == [1, 100 / 60, 10]
    assert [row["period_ratio"] for row in rows[:3]] == [1, 1.25, 10]
    assert [row["overlap_ratio"] for row in rows[:3]] == [2, 2.5, 20]
    assert [row["period_ratio_before"] for row in rows[:3]] == [None, 1.25, 8]


def test_published_figures_stand_beside_ours():
    report = report_of("cim-mlc/levels", *LEVELS, **ALL)
    found = {entry.what: entry for entry in report.published}
    assert len(found) == 5
    pipeline, both = found["pipeline: overlap gain"], found["both: overlap gain"]
    assert (pipeline.paper, pipeline.rerun, pipeline.ours) == (2.3, 2.33, 2.5)
    assert pipeline.ratio == pytest.approx(2.5 / 2.33) and pipeline.met and pipeline.why == ""
    assert (both.paper, both.rerun, both.ours, both.met, both.why) == (None, 80.8, 25, False, cim_mlc.PRODUCTS)
    assert found["both + stagger: pace gain over the schedule before"].ours == 2
    assert report.values()["met"] + report.values()["missed"] == 5
    assert report.values()["met"] == sum(entry.met for entry in report.published)


def test_what_could_not_be_measured_is_a_row_with_the_reason():
    report = report_of("cim-mlc/levels", outcome(100), "it is too large", outcome(10), **ALL)
    (table, _) = report.tables()
    assert table.rows[1][2:] == ["-"] * (len(table.columns) - 2)
    assert "resnet18, pipeline: it is too large" in report.sentences()
    assert [entry.what for entry in report.published] == ["duplication: latency gain"]
    assert "it is too large" in report.csv().splitlines()[2]
    assert report.parts()[0].endswith(", 3 of 6 measurements")


def test_without_a_reference_there_is_no_gain():
    report = report_of("cim-mlc/levels", "no", outcome(10), **ALL)
    assert report.rows[1]["overlap_ratio"] is None and not report.published


def test_a_point_has_a_reference_of_its_own():
    report = report_of("cim-mlc/vit", *(outcome(place + 1) for place in range(4)), networks=("vit_tiny",))
    assert report.total == 2 * 14
    assert [row["point"] for row in report.rows] == ["", "", "chip.cores=256", "chip.cores=256"]
    assert [row["latency_ratio"] for row in report.rows] == [1, 1 / 2, 1, 3 / 4]
    assert [row["latency_ratio_before"] for row in report.rows] == [None, 1 / 2, None, 3 / 4]


def test_of_many_rows_the_best_is_compared():
    report = report_of("raptor/cores", outcome(2, energy_pj=4e9), outcome(1, energy_pj=3e9), cores=(80, 160))
    ours = {entry.what: entry.ours for entry in report.published}
    assert ours["HT: samples per second (RAPTOR, at its best)"] == 1000
    assert ours["HT: uJ per sample (RAPTOR, at its best)"] == 3000
    assert not any("gain" in column for column in report.tables()[0].columns)


def test_power_is_compared_where_it_is_known_else_crossbars():
    powers = [outcome(1, peak_mw=10.0, peak_crossbars=8), outcome(1, peak_mw=4.0, peak_crossbars=1)]
    crossbars = [outcome(1, peak_crossbars=8), outcome(1, peak_crossbars=2)]
    saved = [
        report_of(f"cim-mlc/{name}", *found, networks=("resnet101",)).published[0].ours
        for name, found in (("peak-power", powers), ("peak-crossbars", crossbars))
    ]
    assert saved == [pytest.approx(0.6), 0.75]


def test_the_published_model_is_the_sum_of_products():
    """Pixels of ResNet-18's convolutions without shortcuts, 8 bits, 128 rows of which 8 are driven at a time."""
    cycles = [pixels**2 * 8 * (128 // 8) for pixels in (112, *(56,) * 4, *(28,) * 4, *(14,) * 4, *(7,) * 4)]
    assert f"{sum(cycles) / 1e6:.2f} million for ResNet-18" in cim_mlc.PRODUCTS
    (pipeline,) = (
        entry
        for entry in FIGURES["cim-mlc/levels"].published
        if entry.where == {"schedule": "pipeline", "network": "resnet18"}
    )
    assert sum(cycles) / max(cycles) == pytest.approx(pipeline.rerun, abs=0.005)


def test_a_stopped_figure_is_of_what_there_is():
    assert FIGURES["cim-mlc/greedy"].measure(WantedOptions())[0].label == "resnet18/unscheduled"
    report = report_of("cim-mlc/greedy", outcome(10))
    assert len(report.rows) == 1 and report.rows[0]["schedule"] == "unscheduled" and not report.published
