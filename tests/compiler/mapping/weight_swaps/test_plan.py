"""Which weights stay and which come in segments: everything once, nothing beyond the chip, few writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.dialects.names import RESIDENT
from compiler.mapping import tuned
from compiler.mapping.tiling.partition import STRATEGIES
from compiler.mapping.weight_swaps.plan import MatrixPart, best_plan, place_plan


def whole(number, rows, cols, pixels=1, cut=True, family=""):
    return MatrixPart(number, (0, rows), (0, cols), pixels, cut, family)


MATRICES = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 50)), min_size=1, max_size=6)


@given(MATRICES, st.integers(1, 5), st.integers(1, 12), st.sampled_from(sorted(STRATEGIES)))
def test_every_tile_stands_once_and_no_core_holds_too_many(sizes, cores, room, strategy):
    matrices = [whole(number, *size) for number, size in enumerate(sizes)]
    plan = best_plan(matrices, cores, room)
    pieces = place_plan(plan, cores, room, STRATEGIES[strategy])
    tiles = [(piece.matrix, row, col) for piece in pieces for row in range(*piece.rows) for col in range(*piece.cols)]
    assert sorted(tiles) == [
        (part.matrix, row, col) for part in matrices for row in range(part.rows[1]) for col in range(part.cols[1])
    ]
    held = {}
    for piece in pieces:
        place = piece.stay.core, piece.stay.segment
        held[place] = held.get(place, 0) + piece.crossbars
    for (core, segment), count in held.items():
        assert 0 <= core < cores
        assert count <= (room - plan.bank if segment == RESIDENT else plan.bank)
    assert plan.written == sum(part.work.crossbars for part in matrices) - sum(
        part.work.crossbars for part in plan.resident
    )


@given(MATRICES)
def test_segments_follow_the_order_of_the_data(sizes):
    matrices = [whole(number, *size) for number, size in enumerate(sizes)]
    plan = best_plan(matrices, 2, 4)
    order = [part.matrix for parts in plan.segments for part in parts]
    assert order == sorted(order)


def test_what_barely_does_not_fit_stays_but_for_a_little():
    plan = best_plan([whole(0, 10, 4, pixels=100), whole(1, 1, 30), whole(2, 1, 40)], 10, 10)
    assert plan.resident[0].matrix == 0  # it has most products
    assert plan.written == 20 and len(plan.segments) <= 2 * tuned.MOST_SEGMENTS


def test_what_may_not_be_cut_takes_a_segment_for_itself():
    plan = best_plan([whole(0, 4, 1), whole(1, 3, 1, cut=False), whole(2, 4, 1)], 1, 4)
    assert [[part.matrix for part in parts] for parts in plan.segments] == [[0], [1], [2]]
    assert best_plan([whole(0, 5, 1, cut=False)], 2, 4) is None


def test_a_column_that_no_segment_holds_is_cut_by_rows():
    plan = best_plan([whole(0, 5, 2)], 2, 1)
    assert [(part.rows, part.cols) for parts in plan.segments for part in parts] == [
        (rows, (col, col + 1)) for col in range(2) for rows in ((0, 2), (2, 4), (4, 5))
    ]


FAMILIES = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5)), min_size=1, max_size=6)


@given(FAMILIES, st.integers(1, 6), st.integers(1, 4))
def test_copies_of_a_layer_come_in_one_segment_if_it_can_hold_them(sizes, cores, room):
    families = [
        [whole(10 * number + copy, rows, cols, family=f"layer{number}") for copy in range(copies)]
        for number, (rows, cols, copies) in enumerate(sizes)
    ]
    plan = best_plan([part for family in families for part in family], cores, room)
    place_plan(plan, cores, room, STRATEGIES["frugal"])
    for family in families:
        found = [
            number for number, parts in enumerate(plan.segments) for part in parts if part.family == family[0].family
        ]
        stays = any(part.family == family[0].family for part in plan.resident)
        if len(family) > 1 and sum(part.work.crossbars for part in family) <= cores * room and not stays:
            assert len(set(found)) == 1


@pytest.mark.parametrize(("families", "segments"), [("abb", [[0], [1, 2]]), ("abc", [[0, 1], [2]])])
def test_a_segment_with_too_little_room_for_all_copies_gets_none(families, segments):
    parts = [
        whole(number, 1, size, family=name) for number, (size, name) in enumerate(zip((2, 1, 1), families, strict=True))
    ]
    assert [[part.matrix for part in found] for found in best_plan(parts, 3, 1).segments] == segments
