"""Chains: which matrices they join, and that their slices hold every crossbar once and need nothing of each other."""

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st
from in_process import compile_in_memory
from onnx_nets import Net

from compiler.mapping.tiling.chain import Chain, find_chains, largest_slices, sliced, slices, spread_chains
from compiler.mapping.tiling.matrix import BlockMatrix, FilterMatrix
from compiler.mapping.tiling.partition import partition
from emu.arch import Arch, Core, Crossbar
from emu.noc.traffic.traffic import traffic


def dense(channels, filters, pixels=16, size=9, kernel=(1, 1), packing="dense"):
    return FilterMatrix("f", channels, filters, kernel, pixels, size, size, packing)


def grouped(groups, channels=1, filters=1, pixels=16, size=9):
    return BlockMatrix("b", groups, channels, filters, (2, 2), pixels, max(size, 4 * channels), max(size, filters))


@st.composite
def chains(draw):
    """Expand, grouped, project."""
    groups, channels, filters = draw(st.integers(1, 40)), draw(st.integers(1, 2)), draw(st.integers(1, 2))
    packing, kernel = draw(st.sampled_from(["dense", "kernel"])), draw(st.sampled_from([(1, 1), (2, 1)]))
    pixels = st.integers(1, 50)
    matrices = [
        dense(draw(st.integers(1, 30)), groups * channels, draw(pixels), packing=packing),
        grouped(groups, channels, filters, draw(pixels)),
        dense(groups * filters, draw(st.integers(1, 30)), draw(pixels), kernel=kernel, packing=packing),
    ]
    ends = draw(st.sampled_from([(0, 2), (None, 2), (0, None)]))
    return matrices, Chain(ends[0], 1, ends[1])


def test_a_grouped_convolution_is_joined_with_both_neighbours():
    matrices = [dense(3, 8), grouped(8), dense(8, 4), dense(4, 8), grouped(8), dense(8, 4), dense(4, 4)]
    assert find_chains(matrices, {k: k - 1 for k in range(1, 7)}) == [Chain(0, 1, 2), Chain(3, 4, 5)]


def test_neighbours_are_shared_by_nobody_and_grouped_ones_are_not_joined():
    matrices = [dense(3, 8), grouped(8), grouped(8), dense(8, 4), grouped(4)]
    assert find_chains(matrices, {1: 0, 2: 1, 3: 2, 4: 3}) == [Chain(0, 1, None), Chain(None, 2, 3)]
    assert find_chains([grouped(8)], {}) == []


def test_of_several_users_the_first_is_joined():
    assert find_chains([grouped(8), dense(8, 4), dense(8, 5)], {1: 0, 2: 0}) == [Chain(None, 0, 1)]


@given(chains(), st.data())
def test_slices_hold_every_crossbar_once_and_meet_at_channels(given_chain, data):
    matrices, chain = given_chain
    parts = data.draw(st.integers(1, matrices[1].groups))
    cut = sliced(matrices, chain, parts)
    found = slices(cut, chain, parts)
    assert len(found) == parts
    held = Counter((p.matrix, r, c) for pieces in found for p in pieces for r in range(*p.rows) for c in range(*p.cols))
    wanted = {(k, r, c) for k in chain.members for r in range(cut[k].grid[0]) for c in range(cut[k].grid[1])}
    assert set(held) == wanted
    assert set(held.values()) == {1}
    for pieces in found:
        by = {piece.matrix: piece for piece in pieces}
        blocks = cut[1].blocks[slice(*by[1].cols)]
        groups = blocks[0][0], blocks[-1][1]
        if 0 in by:
            columns = cut[0].col_tiles[slice(*by[0].cols)]
            assert (columns[0][0], columns[-1][1]) == tuple(g * matrices[1].group_channels for g in groups)
        if 2 in by:
            channels = [cut[2].channel_tiles[row.tile] for row in cut[2].row_tiles[slice(*by[2].rows)]]
            ends = min(low for low, _ in channels), max(high for _, high in channels)
            assert ends == tuple(g * matrices[1].group_filters for g in groups)


@given(chains())
def test_the_largest_slice_is_known_without_making_all(given_chain):
    matrices, chain = given_chain
    for parts, work in enumerate(largest_slices(matrices, chain), start=1):
        cut = sliced(matrices, chain, parts)
        held = slices(cut, chain, parts)
        assert work.products == max(
            sum(piece.crossbars * cut[piece.matrix].pixels for piece in pieces) for pieces in held
        )
        assert work.crossbars == max(sum(piece.crossbars for piece in pieces) for pieces in held)
    assert parts == matrices[1].groups


@given(st.lists(chains(), min_size=1, max_size=4), st.integers(1, 40), st.integers(1, 30))
def test_cores_and_capacity_are_kept(several, cores, capacity):
    matrices, found = [], []
    for members, chain in several:
        first = len(matrices)
        matrices += members
        found.append(Chain(*(None if k is None else k + first for k in (chain.before, chain.middle, chain.after))))
    placed = spread_chains(matrices, found, cores, capacity)
    if placed is None:
        return
    cut, pieces = placed
    load = defaultdict(int)
    for piece in pieces:
        load[piece.core] += piece.crossbars
    assert max(load) < cores
    assert max(load.values()) <= capacity
    assert sum(load.values()) == sum(matrix.grid[0] * matrix.grid[1] for matrix in cut)


def test_too_few_cores_fall_back_to_matrices_by_themselves():
    matrices = [dense(3, 8), grouped(8), dense(8, 4)]
    arch = Arch(cores=4, core=Core(crossbars=2), crossbar=Crossbar(9, 9))
    placement = partition(matrices, 4, arch, "frugal", {1: 0, 2: 1})
    assert {piece.matrix for piece in placement.pieces} == {0, 1, 2}
    assert max(piece.core for piece in placement.pieces) < 4


def bottleneck(channels=24):
    net = Net([1, 4, 6, 6])
    y = net.add("Relu", net.conv("x", 4, channels, (1, 1)))
    y = net.add("Relu", net.conv(y, channels, channels, (3, 3), group=channels, pads=[1, 1, 1, 1]))
    return net.model(net.conv(y, channels, 5, (1, 1)))


def moved(placement):
    """Bytes that cores send per sample."""
    arch = Arch(cores=64, core=Core(crossbars=16), crossbar=Crossbar(36, 16))
    return sum(traffic(compile_in_memory(bottleneck(), arch, 6, placement=placement).programs).values())


def test_chains_keep_the_channels_at_home():
    assert moved("frugal") < moved("scatter") / 2


def test_a_whole_chain_on_one_core_sends_nothing():
    arch = Arch(cores=1, core=Core(crossbars=64), crossbar=Crossbar(36, 16))
    compiled = compile_in_memory(bottleneck(), arch, 1)
    assert len(compiled.programs) == 1
    assert traffic(compiled.programs) == {}
