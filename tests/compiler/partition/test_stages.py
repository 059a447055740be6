"""Joined stages: nothing is lost, no limit is passed, only layers that follow each other directly share a core."""

from collections import Counter, defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.in_process import compile_in_memory
from support.onnx_nets import Net

from compiler.partition.matrix import FilterMatrix
from compiler.partition.spread import spread
from compiler.partition.stages import join_stages
from emu.arch import Arch, Core, Crossbar

MEMORY = 1 << 30
CHIP = Arch(name="chip", cores=64, core=Core(crossbars=64), crossbar=Crossbar(16, 16))


def layer(number, channels=16, filters=16, pixels=10):
    return FilterMatrix(f"m{number}", channels, filters, (1, 1), pixels, 16, 16, "dense")


@st.composite
def networks(draw):
    """Matrices, and for each those before it that feed it."""
    count = draw(st.integers(1, 8))
    sizes = st.integers(1, 80), st.integers(1, 80), st.integers(1, 200)
    matrices = [layer(number, *map(draw, sizes)) for number in range(count)]
    feeds = {
        number: frozenset(draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else ())
        for number in range(count)
    }
    return matrices, feeds


def rectangles(pieces):
    return Counter((piece.matrix, piece.rows, piece.cols) for piece in pieces)


def loads(matrices, pieces):
    """Products and crossbars of each core."""
    work, crossbars = Counter(), Counter()
    for piece in pieces:
        work[piece.core] += piece.crossbars * matrices[piece.matrix].pixels
        crossbars[piece.core] += piece.crossbars
    return work, crossbars


@given(networks(), st.integers(1, 60), st.integers(10, 40))
def test_parts_stay_and_limits_are_kept(network, cores, room):
    matrices, feeds = network
    before = spread(matrices, cores, room)
    after = join_stages(matrices, before, feeds, MEMORY)
    assert rectangles(after) == rectangles(before)
    numbers = {piece.core for piece in after}
    assert numbers == set(range(len(numbers)))
    assert len(numbers) <= len({piece.core for piece in before})
    (work, taken), (joined, crossbars) = loads(matrices, before), loads(matrices, after)
    assert max(joined.values()) == max(work.values())
    assert max(crossbars.values()) == max(taken.values())


@given(networks(), st.integers(30, 60))
def test_only_layers_that_follow_each_other_share_a_core(network, cores):
    matrices, feeds = network
    before = spread(matrices, cores, 1000)
    by_core = defaultdict(list)
    if len({piece.core for piece in before}) == len(before):  # a core of its own for each part
        for piece in join_stages(matrices, before, feeds, MEMORY):
            by_core[piece.core].append(piece.matrix)
    for held in by_core.values():
        numbers = sorted(held)
        assert len(set(numbers)) == len(numbers)  # parts of one layer run at the same time
        for one, two in pairwise(numbers):
            assert one in feeds[two]


def test_a_small_layer_goes_on_where_its_input_is_made():
    matrices = [layer(0, 32, pixels=1000), layer(1, pixels=100), layer(2, pixels=100)]
    feeds = {0: frozenset(), 1: frozenset((0,)), 2: frozenset((1,))}
    cores = {piece.matrix: piece.core for piece in join_stages(matrices, spread(matrices, 3, 9), feeds, MEMORY)}
    assert cores == {0: 0, 1: 1, 2: 1}  # the first one has more than its share already


def test_two_layers_that_run_side_by_side_stay_apart():
    matrices = [layer(0), layer(1), layer(2, pixels=1000)]
    feeds = {0: frozenset(), 1: frozenset(), 2: frozenset((0, 1))}
    assert len({piece.core for piece in join_stages(matrices, spread(matrices, 9, 9), feeds, MEMORY)}) == 3


def test_layers_that_would_fill_the_memory_stay_apart():
    matrices = [layer(0, 32, pixels=1000), layer(1, pixels=100), layer(2, pixels=100)]
    feeds = {0: frozenset(), 1: frozenset((0,)), 2: frozenset((1,))}
    assert len({piece.core for piece in join_stages(matrices, spread(matrices, 3, 9), feeds, 1 << 14)}) == 3


def test_a_network_uses_fewer_cores_and_messages_than_scattered():
    net, found = Net((1, 4, 16, 16)), {}
    x, channels = "x", 4
    for filters, kernel in ((16, 1), (32, 3), (16, 1), (32, 3)):
        x = net.add(
            "MaxPool",
            net.conv(x, channels, filters, (kernel, kernel), pads=[kernel // 2] * 4),
            kernel_shape=[2, 2],
            strides=[2, 2],
        )
        channels = filters
        if filters == 32:
            x = net.conv(x, 32, 32, (1, 1))
    model = net.model(x)
    for placement in ("spread", "scatter"):
        compiled = compile_in_memory(model, CHIP, 16, "dense", placement)
        sends = sum(op.name == "pim.send" for op in compiled.module.walk())
        found[placement] = len(compiled.programs), sends
    assert found["spread"][0] < found["scatter"][0]
    assert found["spread"][1] < found["scatter"][1]
