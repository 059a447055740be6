"""What is told of a sweep: tables, CSV, reasons and warnings."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from emu.arch.derived import derived
from emu.arch.read import load_arch
from launch.images.idle import kind_of_programs
from launch.sweeps.notes import without_effect
from launch.sweeps.points import Point, timed_point
from launch.sweeps.report import SweepReport
from launch.sweeps.sweep import Sweep

ANSWER = {
    **{"latency_ps": 2000, "period_ps": 1000, "energy_pj": 5.0, "power_mw": 5.0, "area_mm2": None},
    **{"steady": True, "samples": 8, "idle": None, "unpriced": []},
}


def report(*points: Point) -> SweepReport:
    changes = tuple(point.changes for point in points)
    base = load_arch("puma")
    return SweepReport(Sweep(subject=Path("out"), is_model=False, base=base, combinations=changes), points)


def refused(number: int, reason: str = 'it has "3", not 4') -> Point:
    return Point({"chip.cores": number}, {}, reason)


def test_figures_and_reasons_are_in_every_form() -> None:
    timed = timed_point({"chip.cores": 9}, ANSWER)
    found = report(timed, *(refused(number) for number in range(1, 5)), refused(7, "other"))
    assert (
        found.failure == "" and found.front == [True, *[False] * 5] and found.objectives == ("latency_ps", "energy_pj")
    )
    assert found.lines() == ["out on puma: 6 points, 1 timed; 1 on the Pareto front of latency x energy"]
    assert found.table().rows[0] == ("9", "2 ns", "1 ns", "1e+09", "5 pJ", "5 mW", "", "front")
    assert found.table().rows[1] == ("1", *[""] * 6, "no")
    assert found.reasons() == [
        'not timed with chip.cores=1; chip.cores=2; chip.cores=3; and 1 more: it has "3", not 4',
        "not timed with chip.cores=7: other",
    ]
    rows = list(csv.DictReader(found.csv().splitlines()))
    assert rows[0] == {
        **{"chip.cores": "9", "latency_ps": "2000", "period_ps": "1000", "samples_per_s": "1000000000.0"},
        **{"energy_pj": "5.0", "power_mw": "5.0", "area_mm2": "", "pareto": "yes", "reason": ""},
    }
    assert rows[1]["reason"] == 'it has "3", not 4' and rows[1]["latency_ps"] == ""
    points = found.values()["points"]
    assert [point["reason"] for point in points] == [None, *['it has "3", not 4'] * 4, "other"]
    assert points[0]["values"] == {"chip.cores": 9} and points[1]["latency_ps"] is None


def idle(sentence: str) -> dict[str, object]:
    return {"sentence": sentence}


def test_a_key_that_changes_nothing_is_told_and_stands_on_no_front() -> None:
    """What another key changes is no effect of this one."""
    points = [
        timed_point({"crossbar.adc_bits": bits, "timing.window": window}, ANSWER | {"latency_ps": 2000 // window})
        for bits in (4, 6, 8)
        for window in (1, 2)
    ]
    found = report(*points)
    assert found.front == [False, True, *[False] * 4] and found.same == [None, None, 0, 1, 0, 1]
    assert [row[-1] for row in found.table().rows] == ["", "front", "as row 1", "as row 2", "as row 1", "as row 2"]
    assert [point["same_as"] for point in found.values()["points"]] == found.same
    assert without_effect(points) == {"crossbar.adc_bits": ["4", "6", "8"]}
    (sentence,) = found.notes
    assert sentence.startswith("crossbar.adc_bits changes nothing here") and sentence.endswith("with 4, 6 and 8")
    assert "area" not in sentence  # of which nothing is known


def test_a_key_with_one_value_or_one_figure_that_follows_it_is_not_without_effect() -> None:
    alone = [timed_point({"timing.window": 1}, ANSWER), refused(2)]
    assert without_effect(alone[:1]) == {} and report(alone[0]).notes == []
    follows = [timed_point({"timing.window": n}, ANSWER | {"power_mw": float(n)}) for n in (1, 2)]
    assert without_effect(follows) == {} and report(*follows).front == [True, True]


def test_keys_that_only_change_something_together_are_none_without_effect() -> None:
    points = [
        timed_point({"a": a, "b": b}, ANSWER | {"latency_ps": 1 if a == b else 2}) for a in (1, 2) for b in (1, 2)
    ]
    assert without_effect(points) == {}


def test_what_is_built_without_any_area_is_told() -> None:
    """Wider flits and more rows take none here, more cores do; a faster read is a figure, nothing that is built."""
    points = [
        timed_point(
            {"network.flit_bytes": flit, "timing.crossbar.read_ns": read, "core.crossbars": count},
            ANSWER | {"latency_ps": 100 * read // (flit * count), "area_mm2": float(count)},
        )
        for flit in (4, 32)
        for read in (50, 100)
        for count in (8, 16)
    ]
    sweep = replace(report(*points).sweep, is_model=True)
    (sentence,) = SweepReport(sweep, points).notes
    assert sentence.startswith("the area is the same with network.flit_bytes=4 and 32: no area of this chip follows")
    unknown = [replace(point, figures={**point.figures, "area_mm2": None}) for point in points]
    assert SweepReport(sweep, unknown).notes == []


def test_programs_that_stay_are_told_and_idle_chips_once_for_each_sentence() -> None:
    two = [timed_point({"chip.cores": n}, ANSWER | {"area_mm2": float(n), "idle": idle("much")}) for n in (64, 1104)]
    assert report(*two).notes == [
        "the programs of out stay as they are whatever chip.cores is: give the model, which is compiled for each chip"
    ]
    model = SweepReport(replace(report(*two).sweep, is_model=True), two)
    assert model.notes == ["much"] and model.values()["points"][0]["idle"] == {"sentence": "much"}
    other = [two[0], replace(two[1], idle=idle("little"))]
    assert SweepReport(model.sweep, other).notes == ["with chip.cores=64: much", "with chip.cores=1104: little"]


def test_energies_of_different_things_are_told() -> None:
    less = timed_point({"timing.window": 1}, ANSWER | {"unpriced": ["vector.op", "link.flit"]})
    found = report(less, timed_point({"timing.window": 2}, ANSWER | {"unpriced": ["link.flit"], "latency_ps": 1}))
    (sentence,) = found.warnings
    assert sentence.startswith("with timing.window=1: vector.op has no price")


def test_not_a_single_figure_is_a_failure() -> None:
    found = report(refused(1, "this"), refused(2, "that"))
    assert found.failure == "no point of the sweep can be timed; with chip.cores=1: this"
    assert found.objectives == () and found.lines() == ["out on puma: 2 points, 0 timed"]


@pytest.mark.parametrize(("samples", "steady", "warned"), [(8, False, 1), (8, True, 0), (2, False, 0)])
def test_points_without_a_steady_state_are_told(samples: int, steady: bool, warned: int) -> None:
    early = timed_point({"chip.cores": 8}, ANSWER | {"samples": samples, "steady": steady})
    words = ["1 point did not reach the steady state: ask for more with samples"]
    assert report(timed_point({"chip.cores": 9}, ANSWER), early).warnings == words * warned


def test_a_sample_that_takes_no_time_has_no_rate() -> None:
    assert timed_point({}, ANSWER | {"period_ps": 0}).figures["samples_per_s"] is None


@pytest.mark.parametrize(
    ("key", "value", "same"),
    [
        ("crossbar.adc_count", 2, True),
        ("timing.window", 7, True),
        ("energy.vector.op_pj", 7, True),
        ("network.hop_ns", 7, True),
        ("core.crossbars", 32, False),
        ("crossbar.cell_bits", 4, False),
        ("crossbar.cols", 256, False),
        ("chip.cores", 16, False),
        ("network.width", 3, False),
        ("crossbar.differential", True, False),
    ],
)
def test_chips_that_differ_in_figures_alone_share_their_programs(key: str, value: int, same: bool) -> None:
    base = load_arch("puma")
    assert (kind_of_programs(derived(base, {key: value})) == kind_of_programs(base)) == same


@pytest.mark.parametrize("scheduled", [False, True])
@pytest.mark.parametrize("words", [{"origin": "elsewhere.toml"}, {"name": "mine"}, {"note": "a copy of it"}])
def test_what_a_description_says_to_people_does_not_matter(words: dict[str, str], scheduled: bool) -> None:
    base = load_arch("puma")
    assert kind_of_programs(replace(base, **words), scheduled) == kind_of_programs(base, scheduled)
