"""Rows of figures beside each other and beside what is published."""

import pytest

from launch.schedules.case import KINDS, Case, Outcome
from launch.schedules.differences import DIFFERENCES
from launch.schedules.experiments import EXPERIMENTS, Wanted, beside, cases_of
from launch.schedules.published import MEASURES, PUBLISHED, compared
from launch.schedules.report import rows_csv, sentences, tables, values

MS = 10**9


def rows_of(name, *outcomes, network="resnet18"):
    cases = cases_of(name, Wanted((network,)))
    return list(beside(zip(cases, outcomes, strict=False)))


def outcome(latency, period=None, **more):
    return Outcome(cores=2, crossbars=3, latency_ps=latency * MS, period_ps=(period or latency) * MS, **more)


LEVELS = (outcome(100, 50), outcome(60, 40), outcome(10, 5), outcome(5, 4), outcome(6, 2), outcome(6, 2))


def test_gains_are_over_the_first_schedule_of_the_point():
    rows = values("levels", rows_of("levels", *LEVELS))["rows"]
    assert [row["schedule"] for row in rows] == list(EXPERIMENTS["levels"].schedules)
    assert [row["latency_ratio"] for row in rows[:3]] == [1, 100 / 60, 10]
    assert [row["period_ratio"] for row in rows[:3]] == [1, 1.25, 10]
    assert [row["overlap_ratio"] for row in rows[:3]] == [2, 2.5, 20]


def test_published_figures_stand_beside_ours():
    found = {entry.what: entry for entry in compared("levels", rows_of("levels", *LEVELS))}
    assert len(found) == 5
    pipeline, both = found["pipeline: overlap gain"], found["both: overlap gain"]
    assert (pipeline.paper, pipeline.rerun, pipeline.ours) == (2.3, 2.33, 2.5)
    assert pipeline.ratio == pytest.approx(2.5 / 2.33) and pipeline.why == ""
    assert (both.paper, both.rerun, both.ours, both.why) == (None, 80.8, 25, DIFFERENCES["products"])
    assert found["both + stagger: pace gain over the schedule before"].ours == 2


def test_what_could_not_be_measured_is_a_row_with_the_reason():
    rows = rows_of("levels", outcome(100), Outcome(reason="it is too large"), outcome(10))
    (table, _) = tables("levels", rows)
    assert table.rows[1][2:] == ("-",) * (len(table.columns) - 2)
    assert "resnet18, pipeline: it is too large" in sentences("levels", rows)
    assert [entry.what for entry in compared("levels", rows)] == ["duplication: latency gain"]
    assert "it is too large" in rows_csv(rows).splitlines()[2]


def test_without_a_reference_there_is_no_gain():
    rows = rows_of("levels", Outcome(reason="no"), outcome(10))
    assert values("levels", rows)["rows"][1]["overlap_ratio"] is None and not compared("levels", rows)


def test_a_point_has_a_reference_of_its_own():
    cases = cases_of("vit", Wanted(("vit_tiny",)))
    assert len(cases) == 2 * 14 and cases[2].point == "chip.cores=256" and cases[0].point == ""
    rows = list(beside((case, outcome(place + 1)) for place, case in enumerate(cases[:4])))
    assert [row.reference.latency_ps // MS for row in rows] == [1, 1, 3, 3]
    assert [row.before and row.before.latency_ps // MS for row in rows] == [None, 1, None, 3]


def test_of_many_rows_the_best_is_compared():
    cases = cases_of("cores", Wanted(cores=(80, 160)))
    rows = list(beside(zip(cases, (outcome(2, energy_pj=4e9), outcome(1, energy_pj=3e9)), strict=True)))
    ours = {entry.what: entry.ours for entry in compared("cores", rows)}
    assert ours["HT: samples per second (RAPTOR, at its best)"] == 1000
    assert ours["HT: uJ per sample (RAPTOR, at its best)"] == 3000
    assert not any("gain" in column for column in tables("cores", rows)[0].columns)


def test_power_is_compared_where_it_is_known_else_crossbars():
    powers = [outcome(1, peak_mw=10.0, peak_crossbars=8), outcome(1, peak_mw=4.0, peak_crossbars=1)]
    crossbars = [outcome(1, peak_crossbars=8), outcome(1, peak_crossbars=2)]
    saved = [
        compared(name, rows_of(name, *found, network="resnet101"))[0].ours
        for name, found in (("peak-power", powers), ("peak-crossbars", crossbars))
    ]
    assert saved == [pytest.approx(0.6), 0.75]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_tables_name_what_there_is(name):
    row = EXPERIMENTS[name]
    assert set(row.schedules) <= set(KINDS[row.kind]) and row.networks and row.title
    assert len({case.key for case in cases_of(name, Wanted())}) == len(cases_of(name, Wanted()))


def test_every_published_figure_can_be_compared_and_explained():
    for entry in PUBLISHED:
        row = EXPERIMENTS[entry.experiment]
        assert entry.schedule in row.schedules and entry.of in MEASURES and DIFFERENCES[entry.why]
        assert entry.network in ("", *row.networks) and entry.source
        assert entry.paper is not None or entry.rerun is not None
    assert {entry.why for entry in PUBLISHED} == set(DIFFERENCES)


def test_cases_differ_by_what_is_measured():
    case = Case(network="lenet5", schedule="both", chip="isaac")
    assert case.key != Case(network="lenet5", schedule="both", chip="isaac", flow="credits:2").key


def test_the_published_model_is_the_sum_of_products():
    """Pixels of ResNet-18's convolutions without shortcuts, 8 bits, 128 rows of which 8 are driven at a time."""
    cycles = [pixels**2 * 8 * (128 // 8) for pixels in (112, *(56,) * 4, *(28,) * 4, *(14,) * 4, *(7,) * 4)]
    assert f"{sum(cycles) / 1e6:.2f} million for ResNet-18" in DIFFERENCES["products"]
    (pipeline,) = (entry for entry in PUBLISHED if (entry.schedule, entry.network) == ("pipeline", "resnet18"))
    assert sum(cycles) / max(cycles) == pytest.approx(pipeline.rerun, abs=0.005)
