"""Joined messages: fewer of them, the same bytes in the same order, the same results, and no deadlock."""

from collections import Counter, defaultdict

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, golden, random_sample, run_in_process
from onnx_nets import Net, conv_nets

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.rows import rows_of
from compiler.passes import PIPELINE
from compiler.streaming.lifetimes import trace
from emu.arch import Arch, Core, Crossbar

relaxed = settings(max_examples=examples(8, 60), suppress_health_check=list(HealthCheck))
APART = ",".join(name for name in PIPELINE if name != "join-messages")
PLACEMENTS = st.sampled_from(["frugal", "scatter", "pack"])
GRANULARITIES = st.sampled_from(["image", "rows:1", "rows:3", "auto"])


def chip(size, memory=64 << 20):
    core = Core(crossbars=1000, local_memory=memory)
    return Arch(name="chip", cores=1024, core=core, crossbar=Crossbar(size, size))


def both_ways(model, arch, cores, placement="frugal", granularity="image"):
    """The network compiled with messages joined, and with each by itself."""
    return [
        compile_in_memory(model, arch, cores, "dense", placement, granularity, pipeline=pipeline)
        for pipeline in (None, APART)
    ]


def streams(compiled):
    """By kind, core and peer: the sizes of all buffers or rows that go that way, in order, and how many messages."""
    sizes, count = defaultdict(list), Counter()
    for core in compiled.module.ops:
        for op, _ in trace(core) if isinstance(core, pim.CoreOp) else ():
            if isinstance(op, pim.MessageOp):
                key = type(op), core.coreId.value.data, op.peer.value.data
                count[key] += 1
                for buffer, rows in zip(op.buffers, rows_of(op.rows), strict=True):
                    sizes[key].append(attr.bytes_of(buffer) // attr.shape_of(buffer)[0] * rows.count)
    return sizes, count


@relaxed
@given(conv_nets(), st.integers(2, 40), st.sampled_from([3, 20, 60]), PLACEMENTS, GRANULARITIES)
def test_the_same_bytes_make_the_same_results(model, size, cores, placement, granularity):
    joined, apart = both_ways(model, chip(size), max(cores, 20), placement, granularity)
    sizes, count = streams(joined)
    wanted, most = streams(apart)
    assert sizes == wanted
    assert all(count[key] <= most[key] for key in most)
    sample = random_sample(joined.inputs)
    left, right = (run_in_process(each, [sample], flow="rendezvous")[0] for each in (joined, apart))
    assert all(left[name].tobytes() == right[name].tobytes() for name in right)


def wide(channels=40, size=2):
    """Products of several columns each, whose tiles go from core to core together."""
    net = Net([1, 8, size, size])
    y = net.add("Relu", net.conv("x", 8, channels, (1, 1)))
    y = net.add("Relu", net.conv(y, channels, channels, (1, 1)))
    return net.model(net.conv(y, channels, 8, (1, 1)))


@pytest.mark.parametrize("granularity", ["image", "rows:2"])
def test_tiles_of_one_core_go_to_another_one_together(granularity):
    model, arch = wide(), chip(8)
    joined, apart = both_ways(model, arch, 3, "scatter", granularity)
    count, most = streams(joined)[1], streams(apart)[1]
    assert most == dict.fromkeys(most, 5) and len(most) == 4
    assert count == dict.fromkeys(most, 1), "five tiles, one message from core to core"
    sample = random_sample(joined.inputs)
    for flow in ("rendezvous", "credits:1"):
        (found,) = run_in_process(joined, [sample], flow=flow)
        for name, values in golden(model, sample).items():
            assert abs(found[name] - values).max() < 1e-4 * abs(values).max()


def test_short_partial_sums_of_several_columns_are_one_message():
    net = Net([1, 40, 1, 1])
    model = net.model(net.conv("x", 40, 16, (1, 1)))  # 5 row tiles and 2 columns: 3 pieces with both columns
    joined, apart = both_ways(model, chip(8), 3)
    (sizes, count), (_, most) = streams(joined), streams(apart)
    assert set(sizes) == {(pim.SendOp, 1, 0), (pim.SendOp, 2, 0), (pim.ReceiveOp, 0, 1), (pim.ReceiveOp, 0, 2)}
    assert all(found == [32, 32] for found in sizes.values())
    assert set(count.values()) == {1} and set(most.values()) == {2}


def needs(compiled):
    """The bytes of local memory up to which a core has buffers."""
    allocs = [op for op in compiled.module.walk() if isinstance(op, pim.AllocOp)]
    return max(op.address.value.data + attr.bytes_of(op.buffer) for op in allocs)


@relaxed
@given(conv_nets(), st.integers(2, 20), PLACEMENTS)
def test_what_fits_with_messages_apart_fits_with_them_joined(model, size, placement):
    apart = compile_in_memory(model, chip(size), 20, "dense", placement, "image", pipeline=APART)
    memory = -(-needs(apart) // 64) * 64
    full = compile_in_memory(model, chip(size, memory), 20, "dense", placement)
    assert needs(full) <= memory
    sample = random_sample(apart.inputs)
    left, right = (run_in_process(each, [sample])[0] for each in (full, apart))
    assert all(left[name].tobytes() == right[name].tobytes() for name in right)
