"""Placement by a table of work: every row gets a core that there is, and what was asked for."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Region

from compiler.dialects import spat
from compiler.mapping.placement.place import place
from compiler.mapping.placement.work import ComputeRow
from compiler.mapping.work import Work
from emu.errors import CompileError


def row(crossbars=0, products=0, operands=(), cluster=None, core=None):
    """A row of the table, of a compute that only has a name."""
    compute = spat.ComputeOp.create(properties={"node": StringAttr("n")}, regions=[Region(Block())])
    return ComputeRow(compute, Work(crossbars, products), tuple(operands), cluster, core)


@st.composite
def tables(draw, cores, given_cores=True):
    """Rows that use rows before them; given cores are those of the machine, one per cluster."""
    table, core_of = [], {}
    for index in range(draw(st.integers(1, 12))):
        crossbars = draw(st.integers(0, 2))
        makers = st.tuples(st.integers(-1, index - 1), st.integers(1, 64))
        cluster = draw(st.none() | st.integers(0, 3))
        core = draw(st.none() | st.integers(0, cores - 1)) if given_cores else None
        if cluster is not None and core is not None:
            core = core_of.setdefault(cluster, core)
        operands = draw(st.lists(makers, max_size=3))
        table.append(row(crossbars, crossbars * draw(st.integers(1, 50)), operands, cluster, core))
    return table


@given(st.integers(1, 5).flatmap(lambda cores: st.tuples(st.just(cores), tables(cores))))
def test_every_row_gets_a_core_given_ones_stay_and_clusters_stand_together(case):
    cores, table = case
    placed = place(table, cores, room=100)
    assert len(placed) == len(table) and all(0 <= core < cores for core in placed)
    assert all(work.core in (None, core) for work, core in zip(table, placed, strict=True))
    together = defaultdict(set)
    for work, core in zip(table, placed, strict=True):
        if work.cluster is not None:
            together[work.cluster].add(core)
    assert all(len(found) == 1 for found in together.values())


@given(st.integers(1, 5).flatmap(lambda cores: st.tuples(st.just(cores), tables(cores, given_cores=False))))
def test_no_core_gets_more_crossbars_than_it_has_room_for(case):
    cores, table = case
    room = max(sum(work.work.crossbars for work in table), 1)
    while room > 0:
        try:
            placed = place(table, cores, room)
        except CompileError:
            return
        held = Counter()
        for work, core in zip(table, placed, strict=True):
            held[core] += work.work.crossbars
        assert max(held.values()) <= room
        room -= 1


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 3))
def test_units_with_weights_stand_alone_while_there_are_cores(crossbars, spare):
    table = [row(count, count) for count in crossbars]
    assert place(table, len(crossbars) + spare, room=9) == list(range(len(crossbars)))


def test_of_too_few_cores_the_one_with_the_least_work_is_taken():
    assert place([row(1, products) for products in (30, 20, 10, 5)], 2, room=4) == [0, 1, 1, 0]


def test_a_full_core_is_left_out():
    assert place([row(1, 10), row(1, 30), row(1, 1)], 2, room=2) == [1, 0, 1]
    assert place([row(2, 30), row(1, 20), row(1, 15)], 2, room=2) == [0, 1, 1]


def test_what_needs_most_room_is_placed_first():
    assert place([row(2, 1), row(1, 30), row(1, 20)], 2, room=2) == [0, 1, 1]


def test_given_cores_take_room_and_work():
    assert place([row(1, 10, core=0), row(1, 5), row(1, 5)], 2, room=2) == [0, 1, 1]
    with pytest.raises(CompileError, match="needs 1 crossbar on one core, but none of 1 core has so many left"):
        place([row(1, 10, core=0), row(1, 5)], 1, room=1)


def test_the_rest_of_a_cluster_takes_room_beside_its_given_core():
    table = [row(1, 1, cluster=0, core=0), row(1, 1, cluster=0), row(1, 50, core=1), row(1, 1)]
    assert place(table, 2, room=2) == [0, 0, 1, 1]


def test_a_cluster_that_no_core_can_hold_is_refused_though_cores_are_free():
    with pytest.raises(CompileError, match="needs 3 crossbars on one core, but none of 4 cores has so many left"):
        place([row(2, cluster=0), row(1, cluster=0)], 4, room=2)


def test_followers_go_where_most_bytes_are_and_among_equals_to_the_last_maker():
    makers = [row(1, 1), row(1, 1)]
    assert place([*makers, row(operands=[(0, 8), (1, 4)])], 3, room=1) == [0, 1, 0]
    assert place([*makers, row(operands=[(0, 8), (1, 4), (1, 8)])], 3, room=1) == [0, 1, 1]
    assert place([*makers, row(operands=[(1, 8), (0, 8)])], 3, room=1) == [0, 1, 1]
    assert place([*makers, row(operands=[(-1, 80), (0, 4)])], 3, room=1) == [0, 1, 0]


def test_a_residual_moves_to_the_latest_product():
    """However large it is: else its core would wait for all products before it could begin the next sample."""
    first, second = row(1, 5), row(1, 5, [(0, 4)])
    added = row(operands=[(0, 1000), (1, 4)])
    third, normal = row(1, 5, [(2, 4)]), row(operands=[(2, 1000), (3, 4)])
    placed = place([first, second, added, third, normal], cores=3, room=100)
    assert placed[:2] == [0, 1] and placed[2] == placed[1] and placed[4] == placed[3] == 2


def test_what_uses_only_inputs_goes_to_the_core_with_the_least_to_do():
    assert place([row(1, 1), row(), row(operands=[(-1, 4)]), row()], 3, room=1) == [0, 1, 2, 0]


@given(tables(3))
def test_the_same_table_gives_the_same_cores(table):
    assert place(table, 3, room=100) == place(table, 3, room=100)
