"""What is told of a sweep: tables, CSV, reasons and warnings."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch
from emu.arch.derived import derived
from emu.arch.read import load_arch
from launch.images.idle import kind_of_programs
from launch.sweeps.keys import CHIP, SweptKey
from launch.sweeps.metrics import chosen_metrics
from launch.sweeps.notes import without_effect
from launch.sweeps.points import Point, answered_point
from launch.sweeps.report import SweepReport
from launch.sweeps.space import Space
from launch.sweeps.sweep import Sweep
from launch.sweeps.variations import Changes, Variation, changes_text
from launch.sweeps.wording import places_text
from launch.timing.priced import kind_of_times

FIGURES = {"latency_ps": 2000, "period_ps": 1000, "energy_pj": 5.0, "power_mw": 5.0, "area_mm2": None}
SHOWN = chosen_metrics(None, True).shown


def timed(changes: Changes, remarks: tuple[str, ...] = (), **other: object) -> Point:
    answer = {"figures": FIGURES, "steady": True, "idle": None, "unpriced": []}
    figures = {name: other.pop(name) for name in FIGURES if name in other}
    return answered_point(changes, answer | other | {"figures": FIGURES | figures}, remarks)


def variations(points: list[Point]) -> tuple[Variation, ...]:
    """Those of which all keys of the points are, each by itself."""
    found = []
    for key in points[0].changes:
        rows = dict.fromkeys((point.changes[key],) for point in points)
        found.append(Variation((SweptKey(key, CHIP, key, lambda given: given),), tuple(rows)))
    return tuple(found)


def report(*points: Point, kind: str = "image", metric: str | None = None) -> SweepReport:
    sweep = Sweep(
        subject=Path("out"),
        kind=kind,
        bases={"puma": load_arch("puma")},
        space=Space(variations(list(points))),
        metrics=chosen_metrics(metric, True),
    )
    return SweepReport(sweep, points)


def refused(number: int, reason: str = 'it has "3", not 4') -> Point:
    return Point({"chip.cores": number}, {}, reason)


def test_figures_and_reasons_are_in_every_form() -> None:
    found = report(timed({"chip.cores": 9}), *(refused(number) for number in range(1, 5)), refused(7, "other"))
    assert found.failure == "" and found.front == [True, *[False] * 5] and found.compared == ("latency", "energy")
    assert found.lines() == ["out on puma: 6 points, 1 timed; 1 on the Pareto front of latency x energy"]
    assert found.table().rows[0] == ("9", "2 ns", "1 ns", "1e+09", "5 pJ", "5 mW", "", "front")
    assert found.table().rows[1] == ("1", *[""] * 6, "no")
    assert found.reasons() == [
        'not timed with chip.cores=1, 2, 3 and 4: it has "3", not 4',
        "not timed with chip.cores=7: other",
    ]
    rows = list(csv.DictReader(found.csv().splitlines()))
    assert rows[0] == {
        **{"chip.cores": "9", "latency_ps": "2000", "period_ps": "1000", "samples_per_s": "1000000000.0"},
        **{"energy_pj": "5.0", "power_mw": "5.0", "area_mm2": "", "pareto": "yes", "reason": ""},
        **{"dynamic_pj": "", "static_pj": "", "edp_js": str(2000 * 5.0 * 1e-24)},
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
        timed({"crossbar.adc_bits": bits, "timing.window": window}, latency_ps=2000 // window)
        for bits in (4, 6, 8)
        for window in (1, 2)
    ]
    found = report(*points)
    assert found.front == [False, True, *[False] * 4] and found.same == [None, None, 0, 1, 0, 1]
    assert [row[-1] for row in found.table().rows] == ["", "front", "as row 1", "as row 2", "as row 1", "as row 2"]
    assert [point["same_as"] for point in found.values()["points"]] == found.same
    assert without_effect(variations(points), points, SHOWN) == {"crossbar.adc_bits": ["4", "6", "8"]}
    (sentence,) = found.notes
    assert sentence.startswith("crossbar.adc_bits changes nothing here") and sentence.endswith("with 4, 6 and 8")
    assert "area" not in sentence  # of which nothing is known


def test_keys_that_change_together_are_without_effect_together() -> None:
    points = [timed({"a": n, "b": n, "c": c}, latency_ps=c) for n in (1, 2) for c in (1, 2)]
    a, b, c = (each.keys[0] for each in variations(points))
    tied = Variation((a, b), ((1, 1), (2, 2)))
    assert without_effect([tied, Variation((c,), ((1,), (2,)))], points, SHOWN) == {"a=b": ["1", "2"]}
    in_step = Variation((a, b, c), ((1, 1, 1), (2, 2, 1)))
    assert without_effect([in_step], [points[0], points[2]], SHOWN) == {"a:b:c": ["1:1:1", "2:2:1"]}


def test_a_key_with_one_value_or_one_figure_that_follows_it_is_not_without_effect() -> None:
    alone = [timed({"timing.window": 1}), refused(2)]
    assert without_effect(variations(alone[:1]), alone[:1], SHOWN) == {} and report(alone[0]).notes == []
    follows = [timed({"timing.window": n}, power_mw=float(n)) for n in (1, 2)]
    assert without_effect(variations(follows), follows, SHOWN) == {} and report(*follows).front == [True, True]


def test_keys_that_only_change_something_together_are_none_without_effect() -> None:
    points = [timed({"a": a, "b": b}, latency_ps=1 if a == b else 2) for a in (1, 2) for b in (1, 2)]
    assert without_effect(variations(points), points, SHOWN) == {}


def test_what_is_built_without_any_area_is_told() -> None:
    """Wider flits and more rows take none here, more cores do; a faster read is a figure, nothing that is built."""
    points = [
        timed(
            {"network.flit_bytes": flit, "timing.crossbar.read_ns": read, "core.crossbars": count},
            latency_ps=100 * read // (flit * count),
            area_mm2=float(count),
        )
        for flit in (4, 32)
        for read in (50, 100)
        for count in (8, 16)
    ]
    (sentence,) = report(*points, kind="model").notes
    assert sentence.startswith("the area is the same with network.flit_bytes=4 and 32: no area of this chip follows")
    unknown = [replace(point, figures={**point.figures, "area_mm2": None}) for point in points]
    assert report(*unknown, kind="model").notes == []


def test_programs_that_stay_are_told_and_idle_chips_once_for_each_sentence() -> None:
    two = [timed({"chip.cores": n}, area_mm2=float(n), idle={"sentence": "much"}) for n in (64, 1104)]
    assert report(*two).notes == [
        "the programs of out stay as they are whatever chip.cores is: give the model, which is compiled for each chip"
    ]
    model = report(*two, kind="model")
    assert model.notes == ["much"] and model.values()["points"][0]["idle"] == {"sentence": "much"}
    other = report(two[0], replace(two[1], idle={"sentence": "little"}), kind="model")
    assert other.notes == ["with chip.cores=64: much", "with chip.cores=1104: little"]


def test_energies_of_different_things_are_told() -> None:
    less = timed({"timing.window": 1}, unpriced=["vector.op", "link.flit", "bus.byte"])
    found = report(less, timed({"timing.window": 2}, unpriced=["link.flit"], latency_ps=1))
    (sentence,) = found.warnings
    assert sentence.startswith("with timing.window=1: bus.byte and vector.op have no price")


def test_what_chips_count_is_told_where_others_say_nothing_of_it() -> None:
    points = [timed({"arch": name}, latency_ps=place) for place, name in enumerate(("isaac", "puma"))]
    found = report(*points, kind="model")
    several = replace(found.sweep, bases={name: load_arch(name) for name in ("isaac", "puma")})
    notes = SweepReport(several, points).notes
    assert any(note.startswith("static power: isaac counts offchip (10.4 W), of which puma says") for note in notes)
    assert found.notes == []


def test_remarks_of_chips_are_told_once_with_the_points_that_they_are_of() -> None:
    points = [
        timed({"a": a, "b": b}, (*(("all",)), *(("some",) if a == 1 else ())), latency_ps=a * 10 + b)
        for a in (1, 2)
        for b in (1, 2)
    ]
    assert report(*points, kind="model").notes == ["all", "with a=1: some"]
    assert report(*points[:1], *points[2:], kind="model").notes == ["all", "with a=1: some"]
    of_a_key = [replace(points[0], remarks=("a: nothing follows it",)), *points[1:2]]
    assert "a: nothing follows it" in report(*of_a_key, kind="model").notes
    strange = [replace(points[0], remarks=("x",)), points[1], replace(points[3], remarks=("x",))]
    assert "with a=1, b=1; a=2, b=2: x" in report(*strange, kind="model").notes


@given(st.sets(st.tuples(*[st.integers(0, 2)] * 3), min_size=1), st.data())
def test_points_are_named_by_what_they_alone_have(rows: set[tuple[int, ...]], data: st.DataObject) -> None:
    points = [Point(dict(zip("abc", row, strict=True)), {}) for row in sorted(rows)]
    some = data.draw(st.lists(st.sampled_from(points), min_size=1, unique_by=str))
    text = places_text(some, points)
    if ";" in text or len(some) == len(points):
        assert text.startswith(changes_text(some[0].changes)) or len(some) == len(points)
        shared = {key: value for key, value in some[0].changes.items() if all(p.changes[key] == value for p in some)}
        assert len(some) == len(points) or any(shared.items() <= p.changes.items() for p in points if p not in some)
        return
    values = {key: value.split(" and ") for key, value in (part.split("=") for part in text.split(", "))}
    assert [p for p in points if all(str(p.changes[key]) in those for key, those in values.items())] == [
        p for p in points if p in some
    ]


def test_metrics_that_were_asked_for_and_are_not_known_are_told() -> None:
    found = report(timed({"chip.cores": 9}, area_mm2=1.0), timed({"chip.cores": 8}), metric="area,edp,latency")
    assert found.compared == ("edp", "latency")
    assert found.warnings == ["points are not compared by area, which not all of them have"]
    assert found.table().columns[1:4] == ("area", "energy x delay", "latency")


def test_not_a_single_figure_is_a_failure() -> None:
    found = report(refused(1, "this"), refused(2, "that"))
    assert found.failure == "no point of the sweep can be timed; with chip.cores=1: this"
    assert found.compared == () and found.lines() == ["out on puma: 2 points, 0 timed"]


@pytest.mark.parametrize(("steady", "warned"), [(False, 1), (True, 0)])
def test_points_without_a_steady_state_are_told(steady: bool, warned: int) -> None:
    words = ["1 point did not reach the steady state: ask for more with samples"]
    found = report(timed({"chip.cores": 9}), timed({"chip.cores": 8}, steady=steady))
    assert found.warnings == words * warned


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


@pytest.mark.parametrize("kind", [kind_of_programs, kind_of_times])
@pytest.mark.parametrize("words", [{"origin": "elsewhere.toml"}, {"name": "mine"}, {"note": "a copy of it"}])
def test_what_a_description_says_to_people_does_not_matter(words: dict[str, str], kind: Callable[[Arch], str]) -> None:
    base = load_arch("puma")
    assert kind(replace(base, **words)) == kind(base)
