"""Joined stages: nothing is lost, no limit is passed, only layers that follow others of a core directly join it."""

from collections import defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from in_process import compile_in_memory
from onnx_nets import Net
from pieces import layer, loads, networks, rectangles

from compiler.mapping.tiling.core_work import CoreLimits
from compiler.mapping.tiling.shared_cores import join_stages
from compiler.mapping.tiling.spread import spread
from compiler.mapping.work import Work
from emu.arch import Arch, Core, Crossbar

MEMORY = 1 << 30
CORES = 1 << 10
CHIP = Arch(name="chip", cores=64, core=Core(crossbars=64), crossbar=Crossbar(16, 16))


def joined(matrices, pieces, feeds, memory=MEMORY, cores=CORES):
    """As `join_stages`, bound by what the busiest and the fullest core of `pieces` have."""
    work, crossbars = loads(matrices, pieces)
    return join_stages(
        matrices, pieces, feeds, CoreLimits(Work(max(crossbars.values()), max(work.values())), memory, cores)
    )


@given(networks(), st.integers(1, 60), st.integers(10, 40))
def test_parts_stay_and_limits_are_kept(network, cores, room):
    matrices, feeds = network
    before = spread(matrices, cores, room)
    after = joined(matrices, before, feeds)
    assert rectangles(after) == rectangles(before)
    numbers = {piece.core for piece in after}
    assert numbers == set(range(len(numbers)))
    assert len(numbers) <= len({piece.core for piece in before})
    (work, taken), (more, crossbars) = loads(matrices, before), loads(matrices, after)
    assert max(more.values()) == max(work.values())
    assert max(crossbars.values()) == max(taken.values())


@given(networks(), st.integers(2, 30), st.integers(1, 9))
def test_too_many_cores_become_as_many_as_there_are_or_none(network, cores, fewer):
    matrices, feeds = network
    before = spread(matrices, 60, 40)
    work, crossbars = loads(matrices, before)
    limits = CoreLimits(Work(fewer * max(crossbars.values()), fewer * max(work.values())), MEMORY, cores)
    after = join_stages(matrices, before, feeds, limits)
    if after is None:
        return
    assert rectangles(after) == rectangles(before)
    more, taken = loads(matrices, after)
    assert len(more) <= cores
    assert max(more.values()) <= limits.most.products and max(taken.values()) <= limits.most.crossbars


@given(networks(), st.integers(30, 60))
def test_only_layers_that_follow_each_other_share_a_core(network, cores):
    matrices, feeds = network
    before = spread(matrices, cores, 1000)
    by_core = defaultdict(list)
    if len({piece.core for piece in before}) == len(before):  # a core of its own for each part
        for piece in joined(matrices, before, feeds):
            by_core[piece.core].append(piece.matrix)
    for held in by_core.values():
        numbers = sorted(held)
        assert len(set(numbers)) == len(numbers)  # parts of one layer run at the same time
        for one, two in pairwise(numbers):
            # What stands beside the layer before has next to nothing to do.
            assert one in feeds[two] or any(maker in feeds[two] for maker in numbers if maker < two)


def test_a_small_layer_goes_on_where_its_input_is_made():
    matrices = [layer(0, 32, pixels=1000), layer(1, pixels=100), layer(2, pixels=100)]
    feeds = {0: frozenset(), 1: frozenset((0,)), 2: frozenset((1,))}
    cores = {piece.matrix: piece.core for piece in joined(matrices, spread(matrices, 3, 9), feeds)}
    assert cores == {0: 0, 1: 1, 2: 1}  # the first one has more than its share already


def test_two_layers_that_run_side_by_side_stay_apart():
    matrices = [layer(0), layer(1), layer(2, pixels=1000)]
    feeds = {0: frozenset(), 1: frozenset(), 2: frozenset((0, 1))}
    assert len({piece.core for piece in joined(matrices, spread(matrices, 9, 9), feeds)}) == 3


def test_layers_that_would_fill_the_memory_stay_apart():
    matrices = [layer(0, 32, pixels=1000), layer(1, pixels=100), layer(2, pixels=100)]
    feeds = {0: frozenset(), 1: frozenset((0,)), 2: frozenset((1,))}
    assert len({piece.core for piece in joined(matrices, spread(matrices, 3, 9), feeds, 1 << 14)}) == 3


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
    for placement in ("frugal", "scatter"):
        compiled = compile_in_memory(model, CHIP, 16, "dense", placement)
        sends = sum(op.name == "pim.send" for op in compiled.module.walk())
        found[placement] = len(compiled.programs), sends
    assert found["frugal"][0] < found["scatter"][0]
    assert found["frugal"][1] < found["scatter"][1]
