"""Small layers that move beside a larger one: where nothing else need be sent for them, and within all limits."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pieces import layer, loads, networks, rectangles

from compiler.mapping.tiling.core_work import CoreLimits, numbered, units_of
from compiler.mapping.tiling.siblings import with_siblings
from compiler.mapping.tiling.spread import spread
from compiler.mapping.work import Work

AMPLE = CoreLimits(Work(100, 10_000), memory=1 << 40, cores=100)
BLOCK = {0: frozenset(), 1: frozenset((0,)), 2: frozenset((1,)), 3: frozenset((0,)), 4: frozenset((2, 3))}


def moved(matrices, feeds, homes, limits=AMPLE):
    """The core of each matrix, all whole and each in its home before."""
    pieces = [replace(piece, core=homes[piece.matrix]) for piece in spread(matrices, len(matrices), 1000)]
    single = {piece for piece in pieces if sum(other.core == piece.core for other in pieces) == 1 or piece.matrix == 3}
    after = numbered(with_siblings(matrices, units_of(matrices, pieces), single, feeds, limits))
    return {piece.matrix: piece.core for piece in after}


def block(shortcut=10):
    """A residual block of two layers, with a third one in its shortcut."""
    return [layer(0, pixels=100), *(layer(n, pixels=100) for n in (1, 2)), layer(3, pixels=shortcut), layer(4)]


def test_the_product_of_a_shortcut_moves_to_the_core_that_does_the_block():
    assert moved(block(), BLOCK, [0, 1, 1, 0, 2]) == {0: 0, 1: 1, 2: 1, 3: 1, 4: 2}


def test_a_core_that_has_nothing_else_is_not_used_any_more():
    assert moved(block(), BLOCK, [0, 1, 1, 2, 3]) == {0: 0, 1: 1, 2: 1, 3: 1, 4: 2}


@pytest.mark.parametrize(
    ("homes", "shortcut", "limits"),
    [
        ([0, 1, 2, 0, 3], 10, AMPLE),  # the end of the block stands elsewhere
        ([0, 1, 1, 0, 2], 90, AMPLE),  # no small layer
        ([0, 1, 1, 0, 2], 10, replace(AMPLE, most=Work(100, 200))),
        ([0, 1, 1, 0, 2], 10, replace(AMPLE, most=Work(2, 10_000))),
        ([0, 1, 1, 0, 2], 10, replace(AMPLE, memory=1 << 10)),
    ],
)
def test_what_gains_nothing_or_passes_a_limit_stays(homes, shortcut, limits):
    assert list(moved(block(shortcut), BLOCK, homes, limits).values()) == homes


@given(networks(), st.integers(1, 40), st.integers(10, 40))
def test_no_piece_is_lost_and_no_limit_passed(network, cores, room):
    matrices, feeds = network
    before = spread(matrices, cores, room)
    work, crossbars = loads(matrices, before)
    limits = CoreLimits(Work(max(crossbars.values()), max(work.values())), 1 << 40, 100)
    units = units_of(matrices, before)
    single = {unit.pieces[0] for unit in units if len(unit.pieces) == 1}
    after = numbered(with_siblings(matrices, units, single, feeds, limits))
    assert rectangles(after) == rectangles(before)
    more, taken = loads(matrices, after)
    assert max(more.values()) <= limits.most.products and max(taken.values()) <= limits.most.crossbars
    assert len(more) <= len(work)
