"""Cores of layers that are cut and of those that stay whole: all tiles once, within the room, whenever it is enough."""

from collections import Counter
from functools import partial
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compiler.mapping.cost import NOMINAL, LayerTime
from compiler.mapping.tiling.allotment import Layers, allot
from compiler.mapping.tiling.matrix import FilterMatrix, WholeMatrix
from compiler.mapping.tiling.partition import partition
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

SIZE = 4  # rows and columns of a crossbar


def matrix(channels, filters, pixels):
    return FilterMatrix(f"m{channels}", channels, filters, (1, 1), pixels, SIZE, SIZE, "dense")


def whole(rows, columns, pixels):
    return WholeMatrix(f"w{rows}", (rows, columns), pixels, rows * SIZE * pixels)


def chain(matrices, wholes):
    """A matrix and a layer that stays whole by turns, each of which needs the one before."""
    numbers = [range(len(matrices)), range(len(matrices), len(matrices) + len(wholes))]
    order = sorted((*numbers[0], *numbers[1]), key=lambda n: (n % max(1, len(matrices)), n))
    feeds = {number: frozenset(order[:place][-1:]) for place, number in enumerate(order)}
    times = [LayerTime(NOMINAL, each.pixels, 0) for each in (*matrices, *wholes)]
    return Layers(matrices, wholes, order, feeds, times)


def allotted(layers, cores, room):
    arch = Arch(name="small", cores=cores, core=Core(crossbars=room), crossbar=Crossbar(SIZE, SIZE))
    return allot(partial(partition, layers.matrices, arch=arch, strategy="frugal"), layers, cores, room)


def fit_on_cores(wholes, cores, room):
    """Whether first-fit decreasing finds room for all of them."""
    left = [room] * cores
    for size in sorted((each.work.crossbars for each in wholes), reverse=True):
        core = next((core for core, free in enumerate(left) if free >= size), None)
        if core is None:
            return False
        left[core] -= size
    return True


matrices = st.builds(matrix, st.integers(1, 20), st.integers(1, 20), st.integers(1, 30))
wholes = st.builds(whole, st.integers(1, 3), st.integers(1, 4), st.integers(1, 30))


@given(st.lists(matrices, max_size=5), st.lists(wholes, min_size=1, max_size=5), st.integers(1, 9), st.integers(1, 30))
@example([], [whole(1, 2, 1)], 1, 1)
def test_whatever_fits_finds_cores(matrices, wholes, cores, room):
    layers = chain(matrices, wholes)
    wanted = sum(each.work.crossbars for each in (*matrices, *wholes))
    try:
        found = allotted(layers, cores, room)
    except CompileError:
        assert sum(each.work.crossbars for each in matrices) > room * cores
        return
    if found is None:
        assert wanted > room * cores or not fit_on_cores(wholes, cores, room)
        return
    held, tiles = Counter(), Counter()
    for piece in found.pieces:
        held[piece.core] += piece.crossbars
        tiles.update((piece.matrix, row, col) for row in range(*piece.rows) for col in range(*piece.cols))
    assert max(held.values()) <= room
    assert set(held) <= set(range(cores))
    grids = [*found.matrices, *wholes]
    every = ((n, *tile) for n, each in enumerate(grids) for tile in product(*map(range, each.grid)))
    assert tiles == dict.fromkeys(every, 1)
    assert all(len(cores_of(found, number)) == 1 for number in range(len(matrices), len(grids)))


def cores_of(found, number):
    return {piece.core for piece in found.pieces if piece.matrix == number}


def test_each_layer_has_cores_of_its_own_while_there_are_enough():
    layers = chain([matrix(4, 4, 10), matrix(4, 4, 10)], [whole(1, 1, 10), whole(1, 1, 10)])
    found = allotted(layers, 4, 64)
    assert len({piece.core for piece in found.pieces}) == 4
    assert found.forecast.period == found.forecast.busiest


def test_layers_that_share_a_core_follow_each_other():
    """Three cores for four layers: the first and the last one together would keep a core for the whole sample."""
    layers = chain([matrix(4, 4, 10), matrix(4, 4, 10)], [whole(1, 1, 10), whole(1, 1, 10)])
    found = allotted(layers, 3, 64)
    assert cores_of(found, layers.order[0]) != cores_of(found, layers.order[-1])
    assert found.forecast.period < found.forecast.latency


@pytest.mark.parametrize("room", [8, 9])
def test_matrices_fill_what_is_left_beside_layers_that_stay_whole(room):
    """Cut for cores of their own they would take the room of a layer that cannot be cut."""
    layers = chain([matrix(16, 16, 3)], [whole(2, 3, 3), whole(2, 3, 3), whole(2, 3, 3)])
    found = allotted(layers, 5, room)
    assert found is not None
    assert all(len(cores_of(found, number)) == 1 for number in (1, 2, 3))
