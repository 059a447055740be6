"""Placement: every crossbar once, capacity kept, the thesis's example, balance."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.mapping.tiling.matrix import BlockMatrix, FilterMatrix, capacity
from compiler.mapping.tiling.pack import pack
from compiler.mapping.tiling.partition import STRATEGIES, partition
from compiler.mapping.tiling.spread import best_cut, even_ranges, spread
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError
from emu.isa.dtypes import DType

THESIS = Arch(name="thesis", core=Core(crossbars=5), crossbar=Crossbar(3, 3))


def matrix(name="m", channels=8, filters=8, kernel=(3, 3), pixels=16, size=4, packing="dense"):
    return FilterMatrix(name, channels, filters, kernel, pixels, size, size, packing)


filter_matrices = st.builds(
    matrix,
    channels=st.integers(1, 20),
    filters=st.integers(1, 20),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    pixels=st.integers(1, 400),
    size=st.integers(1, 7),
    packing=st.sampled_from(["dense", "kernel"]),
)
block_matrices = st.builds(
    lambda groups, pixels: BlockMatrix("b", groups, 1, 1, (3, 3), pixels, 30, 30),
    st.integers(1, 40),
    st.integers(1, 100),
)
networks = st.lists(filter_matrices | block_matrices, min_size=1, max_size=6)


def test_thesis_example_gives_6_tile_groups_54_crossbars_11_cores():
    thesis = FilterMatrix("conv", 4, 8, (3, 3), 100, 3, 3, "kernel")
    pieces = partition([thesis], 64, THESIS, "pack").pieces
    assert thesis.tile_groups == 6
    assert sum(piece.crossbars for piece in pieces) == 54
    assert len({piece.core for piece in pieces}) == 11


@given(networks, st.integers(1, 80), st.integers(1, 9), st.sampled_from(sorted(STRATEGIES)))
def test_every_crossbar_is_placed_once_and_capacity_is_kept(matrices, cores, room, strategy):
    pieces = STRATEGIES[strategy](matrices, cores, room)
    placed = Counter(
        (piece.matrix, row, col) for piece in pieces for row in range(*piece.rows) for col in range(*piece.cols)
    )
    wanted = {
        (index, row, col) for index, m in enumerate(matrices) for row in range(m.grid[0]) for col in range(m.grid[1])
    }
    assert set(placed) == wanted
    assert set(placed.values()) == {1}
    load = Counter()
    for piece in pieces:
        load[piece.core] += piece.crossbars
    assert max(load.values()) <= room
    total = len(wanted)
    if total <= room * cores and strategy == "pack":
        assert max(load) < cores, "filling without regard to groups always finds a place that exists"


@given(networks, st.integers(1, 9))
def test_pack_uses_no_more_cores_than_one_per_tile_group(matrices, room):
    pieces = pack(matrices, 10**6, room)
    groups = sum(m.tile_groups if isinstance(m, FilterMatrix) else len(m.blocks) for m in matrices)
    crossbars = sum(m.grid[0] * m.grid[1] for m in matrices)
    used = len({piece.core for piece in pieces})
    assert -(-crossbars // room) <= used <= groups + -(-crossbars // room)


def test_tile_groups_that_fit_stay_on_one_core():
    pieces = pack([matrix(channels=8, filters=12, size=4)], 64, 20)  # groups of 9 crossbars: two per core
    per_group = Counter()
    for piece in pieces:
        for begin in range(*piece.rows):
            per_group[begin // 9, piece.cols[0], piece.core] += 1
    assert set(per_group.values()) == {9}


def test_spread_gives_every_crossbar_its_core_when_there_are_enough():
    matrices = [matrix(channels=16, filters=8, size=4), matrix(channels=4, filters=4, kernel=(1, 1), size=4)]
    total = sum(m.grid[0] * m.grid[1] for m in matrices)
    pieces = spread(matrices, total + 3, 4)
    assert len({piece.core for piece in pieces}) == total


@given(networks, st.integers(6, 60))
def test_spread_is_no_worse_than_whole_matrices(matrices, cores):
    room = max(m.grid[0] * m.grid[1] for m in matrices)
    load = Counter()
    for piece in spread(matrices, cores, room):
        load[piece.core] += piece.crossbars * matrices[piece.matrix].pixels
    assert max(load.values()) <= max(m.grid[0] * m.grid[1] * m.pixels for m in matrices)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 30))
def test_cuts_keep_the_limit(rows, cols, limit):
    parts = best_cut((rows, cols), limit)
    assert parts is not None
    tallest = max(high - low for low, high in even_ranges(rows, parts[0]))
    widest = max(high - low for low, high in even_ranges(cols, parts[1]))
    assert tallest * widest <= limit


def test_too_large_a_network_says_how_many_cores_it_needs():
    with pytest.raises(CompileError, match=r"needs 54 crossbars, which take 11 cores .*but cores is 10"):
        partition([FilterMatrix("conv", 4, 8, (3, 3), 100, 3, 3, "kernel")], 10, THESIS, "pack")


@pytest.mark.parametrize("strategy", ["frugal", "scatter", "pack"])
def test_a_network_larger_than_the_chip_says_how_many_chips_it_takes(strategy):
    chip = replace(THESIS, cores=4)
    with pytest.raises(
        CompileError,
        match=r"which take 11 cores .*at most 4 cores.* it would take 3 such chips; use chips=3, another arch",
    ):
        partition([FilterMatrix("conv", 4, 8, (3, 3), 100, 3, 3, "kernel")], 4, chip, strategy)


def test_bit_slices_take_capacity():
    arch = Arch(core=Core(crossbars=32), crossbar=Crossbar(16, 16, cell_bits=2))
    assert capacity(arch, [DType.f32]) == capacity(arch, []) == capacity(arch, [DType.i8, DType.f32]) == 2
    assert capacity(arch, [DType.i8]) == 8
    with pytest.raises(CompileError, match="of float32 weights takes 16"):
        partition([matrix()], 4, Arch(core=Core(crossbars=8), crossbar=Crossbar(16, 16, cell_bits=2)), "pack")


def test_what_is_too_large_is_told_in_crossbars_of_the_chip():
    """Slices of weights take crossbars of their own, as `emu arch --list` and `emu info` count them."""
    arch = Arch(core=Core(crossbars=96), crossbar=Crossbar(16, 16, cell_bits=8))
    matrices = [FilterMatrix("f", 160, 160, (1,), 1, 16, 16, "dense")]
    with pytest.raises(CompileError, match=r"needs 400 crossbars, which take 5 cores of 96 crossbars each"):
        partition(matrices, 4, arch, "pack")


def test_integer_networks_take_the_crossbars_of_their_weights():
    arch = Arch(core=Core(crossbars=8), crossbar=Crossbar(16, 16, cell_bits=2))
    (piece,) = partition(
        [FilterMatrix("f", 16, 32, (1,), 1, 16, 16, "dense")], 1, arch, "pack", kinds={DType.i8}
    ).pieces
    assert piece.crossbars == 2
    with pytest.raises(CompileError, match="needs 16 crossbars, which take 2 cores of 8 crossbars each"):
        partition([FilterMatrix("f", 16, 32, (1,), 1, 16, 16, "dense")], 1, arch, "pack", kinds={DType.i16})
