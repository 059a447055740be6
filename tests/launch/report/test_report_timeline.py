"""Slices of a timeline: joined ones lose nothing that can be seen, those of one core never overlap."""

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from launch.report.panels.timeline import Cut, apart, joined
from launch.report.report import Values

LENGTHS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40), st.sampled_from("abc")), max_size=30)


def in_a_row(parts: list[tuple[int, int, str]]) -> list[Cut]:
    found: list[Cut] = []
    at = 0
    for gap, length, name in parts:
        found.append((at + gap, at + gap + length, name))
        at += gap + length
    return found


def at(cuts: list[Cut], ps: int) -> str | None:
    return next((name for begin, end, name in cuts if begin <= ps < end), None)


@given(LENGTHS, st.integers(1, 30))
def test_long_slices_stay_and_short_ones_are_joined(parts: list[tuple[int, int, str]], resolution: int) -> None:
    cuts = in_a_row(parts)
    found = joined(cuts, resolution)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    for begin, end, name in cuts:
        if end - begin >= resolution:
            assert all(at(found, ps) == name for ps in range(begin, end))
        for ps in range(begin, end):
            assert at(found, ps) is not None  # no work disappears
    whole, long = (
        sum(gap + length for gap, length, _ in parts),
        sum(end - begin >= resolution for begin, end, _ in cuts),
    )
    assert len(found) <= 1 + 2 * long + whole // resolution


@given(LENGTHS)
def test_with_the_finest_resolution_nothing_changes(parts: list[tuple[int, int, str]]) -> None:
    cuts = in_a_row(parts)
    found = joined(cuts, 1)
    for ps in range(cuts[-1][1] if cuts else 0):
        assert at(found, ps) == at(cuts, ps)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20), st.sampled_from("abc")), max_size=20))
def test_slices_of_several_units_are_cut_where_they_overlap(parts: list[tuple[int, int, str]]) -> None:
    cuts = [(begin, begin + length, name) for begin, length, name in parts]
    found = apart(cuts)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    for ps in range(90):
        names = {name for begin, end, name in cuts if begin <= ps < end}
        assert (at(found, ps) in names) if names else at(found, ps) is None


def test_the_timeline_of_a_network_lies_in_its_sample(values: Values, image: Path) -> None:
    told = values["timeline"]
    assert told["end_ps"] == values["time"]["latency_ps"]
    assert [core["core"] for core in told["cores"]] == [core["core"] for core in values["cores"]]
    ends = {core["core"]: core["end_ps"] for core in values["cores"]}
    nodes = {core["core"]: set(core["nodes"]) for core in values["cores"]}
    for core in told["cores"]:
        for begin, end, place in core["slices"]:
            assert 0 <= begin < end <= ends[core["core"]]
            assert told["names"][place] in nodes[core["core"]]
        for begin, end, place in core["requests"]:
            assert 0 <= begin < end <= ends[core["core"]]
            assert told["names"][place].split()[0] in ("send", "recv", "load", "store", "sync", "wait")
