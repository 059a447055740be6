"""Duplicated weights: any network with any copies = golden = the network without, to the bit if sums are cut alike."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx import TensorProto, helper, numpy_helper
from onnx_models import make_model
from onnx_nets import Net, conv_nets
from random_graphs import random_graphs

from compiler.clock import Clock
from compiler.compiling import lower
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.rows import rows_of
from compiler.frontend.operators import OPERATORS
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.nest import NestOp
from compiler.kernels.pool import PoolOp
from compiler.passes import PIPELINE
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.arch.read import load_arch
from emu.errors import CompileError, EmuError
from emu.noc.ports.port import FlowControl
from emu.timing.fast.fast import fast
from emu.timing.prepare import prepare

relaxed = settings(suppress_health_check=list(HealthCheck))
MAPPINGS = st.tuples(
    st.sampled_from([17, 1024]), st.sampled_from(["dense", "kernel"]), st.sampled_from(["frugal", "scatter", "pack"])
)
SMALL = Arch(name="small", cores=64, core=Core(crossbars=256), crossbar=Crossbar(4, 4))
GRANULARITIES = st.sampled_from(["image", "image", "rows:1", "rows:3", "auto"])


def chip(size=4):
    core = Core(crossbars=4096, local_memory=64 << 20)
    return Arch(name="chip", cores=1024, core=core, crossbar=Crossbar(size, size))


def with_duplicate(text):
    """The default passes with `duplicate` where it belongs."""
    return ",".join(f"duplicate{{{text}}},{name}" if name == "cut-layers" else name for name in PIPELINE)


def products(model, arch):
    """How many layers of a network multiply."""
    request = make_request(model, arch, cores=64, pipeline=",".join(PIPELINE[: PIPELINE.index("cut-layers")]))
    module, _ = lower(request, make_context(arch, request.options))
    return sum(isinstance(op, spat.ProductOp) for op in module.ops)


def check(model, arch, mapping, granularity, text, *, sample=None, wanted=None):
    """One sample without and with copies; the latter against onnxruntime, too."""
    alone = compile_in_memory(model, arch, *mapping)
    copied = compile_in_memory(model, arch, *mapping, granularity, pipeline=with_duplicate(text))
    sample = random_sample(alone.inputs) if sample is None else sample
    assert_close(run_in_process(copied, [sample])[0], golden(model, sample) if wanted is None else wanted)
    same(alone, copied, sample)
    return copied


def same(alone, copied, sample):
    """Both give the same bits, if partial sums are cut alike; else they differ by roundings."""
    (wanted,), (found,) = (run_in_process(compiled, [sample]) for compiled in (alone, copied))
    if row_cuts(alone) == row_cuts(copied):
        assert {name: value.tobytes() for name, value in found.items()} == {
            name: value.tobytes() for name, value in wanted.items()
        }
    else:
        assert_close(found, wanted, 1e-5)


def row_cuts(compiled):
    """Which rows of each filter the cores add up before they are sent: it decides how sums are rounded."""
    kernels = [op for op in compiled.module.walk() if isinstance(op, ApplyFiltersOp)]
    filters = [(op, number) for op in kernels for columns in op.channels.data for number in range(*columns)]
    return {(op.node.data, number, rows_added(op)) for op, number in filters}


def rows_added(op):
    """The row tiles of a kernel: the first of the channels that each is of, how many these are, its range of rows."""
    inputs = [(first, shape[-1]) for first, shape in zip(attr.values(op.origins), op.input_shapes, strict=True)]
    return tuple((*inputs[index], *rows) for index, *rows in op.tiles.data)


def check_drawn(model, size, mapping, granularity, data):
    arch = chip(size)
    count = products(model, arch)
    copies = data.draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    check(model, arch, mapping, granularity, setting(copies, data.draw(st.sampled_from(["rows", "columns"]))))


def setting(copies, along="rows"):
    return f"along={along}" + (f" copies={','.join(map(str, copies))}" if copies else "")


@settings(relaxed, max_examples=examples(8, 60))
@given(conv_nets(), st.integers(2, 40), MAPPINGS, GRANULARITIES, st.data())
def test_random_networks(model, size, mapping, granularity, data):
    check_drawn(model, size, mapping, granularity, data)


@pytest.mark.full
@settings(relaxed, max_examples=2000)
@given(conv_nets(), st.integers(2, 40), MAPPINGS, GRANULARITIES, st.data())
@pytest.mark.timeout(3600)
def test_many_random_networks(model, size, mapping, granularity, data):
    check_drawn(model, size, mapping, granularity, data)


KINDS = ("Conv", "ConvTranspose", "MatMul", "Gemm", "MaxPool", "AveragePool", "Relu", "Add", "Mul", "Concat", "Pad")


def check_graph(case, granularity, data):
    """A graph of any ranks, with batches; most nodes are cut along one axis or another, or stay whole."""
    try:
        count = products(case.model, SMALL)
        alone = compile_in_memory(case.model, SMALL)
    except EmuError:
        assume(False)
    copies = data.draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    pipeline = with_duplicate(setting(copies))
    try:
        copied = compile_in_memory(case.model, SMALL, granularity=granularity, pipeline=pipeline)
    except CompileError as error:  # copies may be too many
        assert "crossbars" in str(error)
        assume(False)
    case.assert_close(run_in_process(copied, [case.sample])[0])
    same(alone, copied, case.sample)


@pytest.mark.parametrize("seed", range(4))
def test_products_of_results_round_alike_wherever_they_are_cut(seed):
    """Copies of the first layer cut the product into parts, down to a single element of the result."""
    draw = np.random.default_rng(seed).standard_normal
    weights = {"w": draw((64, 2, 1)).astype(np.float32)}
    nodes = [helper.make_node("Conv", ["x", "w"], ["t"]), helper.make_node("MatMul", ["z", "t"], ["y"])]
    model = make_model(nodes, {"x": (1, 2, 2), "z": (1, 5, 64)}, weights=weights)
    alone, copied = (compile_in_memory(model, SMALL, pipeline=with_duplicate(setting([copies]))) for copies in (1, 2))
    same(alone, copied, random_sample(alone.inputs))


@settings(relaxed, max_examples=examples(8, 60))
@given(random_graphs(KINDS), GRANULARITIES, st.data())
def test_random_graphs_of_any_rank(case, granularity, data):
    check_graph(case, granularity, data)


@pytest.mark.full
@settings(relaxed, max_examples=600)
@given(random_graphs(tuple(OPERATORS)), GRANULARITIES, st.data())
@pytest.mark.timeout(3600)
def test_many_random_graphs(case, granularity, data):
    check_graph(case, granularity, data)


def image(shape, *channels, **attributes):
    """A chain of convolutions over an image of `shape`, each as wide as `channels` say."""
    net, y = Net(list(shape)), "x"
    rank = len(shape) - 2
    for before, after in pairwise((shape[1], *channels)):
        y = net.add("Relu", net.conv(y, before, after, (3,) * rank, pads=[1] * 2 * rank, **attributes))
    return net.model(y)


@pytest.mark.parametrize("shape", [(1, 3, 20), (1, 3, 9, 6), (1, 2, 7, 4, 4), (3, 2, 8, 5), (6, 2, 4, 4)])
@pytest.mark.parametrize("granularity", ["image", "rows:1"])
def test_signals_images_volumes_and_batches(shape, granularity):
    copied = check(image(shape, 5, 4), chip(256), (7, "dense", "frugal"), granularity, "copies=4,3")
    assert len(copied.programs) == 7


@pytest.mark.parametrize("granularity", ["image", "rows:1"])
@pytest.mark.parametrize("copies", ["2,2,2,2,2,2,2,3", "5,1,2,3,1,2,4,2"])
def test_tiles_between_each_other_and_boxes_of_boxes(copies, granularity):
    """What a transposed convolution makes is cut across its phases, what is padded and joined across its parts."""
    net = Net([1, 3, 6, 5])
    y = net.conv("x", 3, 4, (3, 3), pads=[1] * 4)
    wide = net.add("ConvTranspose", y, net.weights(4, 2, 3, 3), strides=[3, 2], output_padding=[2, 1])
    pads = net.constant(np.array([0, 0, 2, 1, 0, 0, 1, 0]))
    joined = net.add("Concat", net.add("Pad", wide, pads), net.add("Pad", net.add("Relu", wide), pads), axis=1)
    model = net.model(net.conv(joined, 4, 3, (2, 3)), net.add("Concat", wide, wide, axis=2))
    check(model, chip(64), (64, "dense", "frugal"), granularity, f"copies={copies}")


def test_tokens_of_a_transformer():
    net = Net([1, 12, 6])
    y = net.add("Relu", net.add("Add", net.add("MatMul", "x", net.weights(6, 8)), net.weights(8)))
    model = net.model(net.add("Add", net.add("MatMul", y, net.weights(8, 6)), "x"))
    copied = check(model, chip(64), (64, "dense", "frugal"), "image", "copies=4,2")
    assert len(copied.programs) == 6


def test_copies_round_otherwise_where_their_rows_are_cut_otherwise():
    """Rows of what multiplies a grouped convolution end where slices of their chain do, and copies are in no chain."""
    net = Net([1, 7, 4, 3])
    model = net.model(net.conv(net.conv("x", 7, 14, (1, 1), 7), 14, 6, (1, 1)))
    mapping = (17, "dense", "frugal")
    alone, copied = compile_in_memory(model, chip(9), *mapping), check(model, chip(9), mapping, "image", "copies=2,2")
    assert {rows for *_, rows in row_cuts(alone)} == {((0, 6, 0, 6),), ((6, 8, 0, 8),)}
    assert {rows for *_, rows in row_cuts(copied)} == {((0, 9, 0, 9),), ((9, 5, 0, 5),)}


def test_integers_are_the_same_whatever_the_cuts():
    rng = np.random.default_rng(0)
    weights = rng.integers(-9, 10, (5, 3, 3, 3)).astype(np.int8)
    nodes = [helper.make_node("ConvInteger", ["x", "w"], ["y"], pads=[1, 1, 1, 1])]
    inputs = [helper.make_tensor_value_info("x", TensorProto.UINT8, (1, 3, 9, 5))]
    outputs = [helper.make_tensor_value_info("y", TensorProto.INT32, (1, 5, 9, 5))]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    sample = {"x": rng.integers(0, 256, (1, 3, 9, 5)).astype(np.uint8)}
    copied = compile_in_memory(model, chip(4), 20, pipeline=with_duplicate("copies=4"))
    np.testing.assert_array_equal(run_in_process(copied, [sample])[0]["y"], golden(model, sample)["y"])


def received(compiled):
    """Rows and bytes of every buffer that a message fills, by its core."""
    return [
        (rows.count, rows.total, attr.shape_of(buffer)[0])
        for op in compiled.module.walk()
        if isinstance(op, pim.ReceiveOp)
        for rows, buffer in zip(rows_of(op.rows), op.buffers, strict=True)
    ]


def test_messages_carry_the_rows_that_are_needed():
    copied = check(image((1, 3, 16, 5), 4, 4), chip(64), (64, "dense", "frugal"), "image", "copies=4,4")
    halos = received(copied)
    assert [count for count, _, _ in halos].count(1) >= 6
    assert all(depth == 1 for count, _, depth in halos if count == 1)


def test_bands_do_not_meet_before_all_rows_are_needed():
    net = Net([1, 3, 16, 6])
    y = net.add("Relu", net.conv("x", 3, 4, (3, 3), pads=[1, 1, 1, 1]))
    y = net.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = net.add("Add", y, net.conv(y, 4, 4, (1, 1)))
    model = net.model(net.add("GlobalAveragePool", y))
    copied = check(model, chip(64), (64, "dense", "frugal"), "image", "copies=4,4")
    nodes = Counter(op.node.data for op in copied.module.walk() if isinstance(op, PoolOp | NestOp))
    assert nodes == {"maxpool3": 4, "add5": 4, "globalaveragepool6": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("for=speed", "duplicate: for=speed is no schedule"),
        ("copies=2", "copies has 1 number, but 2 layers of the network multiply"),
        ("copies=2,0", "copies has 0, but a layer needs 1 or more"),
        ("cores=0", "duplicate: cores has 0"),
        ("way=1", "cannot be made a pass"),
        ("along=column", "duplicate: along=column is no axis; did you mean 'columns'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(text, sentence):
    with pytest.raises(EmuError, match=sentence):
        compile_in_memory(image((1, 3, 8, 5), 4, 4), chip(64), pipeline=with_duplicate(text))


@pytest.mark.parametrize("goal", ["latency", "throughput", "greedy"])
def test_goals_use_the_cores_that_are_left(goal):
    model = image((1, 3, 32, 8), 4, 8)
    copied = check(model, chip(64), (8, "dense", "frugal"), "image", f"for={goal}")
    assert 6 <= len(copied.programs) <= 8
    fewer = check(model, chip(64), (8, "dense", "frugal"), "image", f"for={goal} cores=4")
    assert received(fewer) != received(copied)


def test_a_network_larger_than_the_chip_has_copies_where_writes_are_cheap():
    """Each layer has all 8 cores in its segment: those of 2, 4 and 4 crossbars get 4, 2 and 2 copies."""
    jia = load_arch("cim-mlc-jia")
    small = replace(jia, crossbar=replace(jia.crossbar, rows=36, cols=4, cell_bits=0, parallel_rows=36))
    timing = small.timing
    model = image((1, 3, 12, 12), 8, 8, 8)
    alone = compile_in_memory(model, small, 8, segments=True)
    copied = compile_in_memory(model, small, 8, segments=True, duplicate="latency")
    sample = random_sample(alone.inputs)
    assert_close(run_in_process(copied, [sample, sample])[1], golden(model, sample))
    assert timed(copied) < timed(alone) / 2
    assert timing is not None
    dear = replace(small, timing=replace(timing, crossbar=replace(timing.crossbar, write_row_ns=1e6)))
    frugal = compile_in_memory(model, dear, 8, segments=True, duplicate="latency")
    assert frugal.programs == compile_in_memory(model, dear, 8, segments=True).programs


def timed(compiled):
    """Picoseconds of a sample."""
    setup = prepare(compiled.programs, compiled.arch, FlowControl.parse("rendezvous"), 1)
    return fast(setup, 1).latency


def passes_of(**settings_):
    """The passes that ran, by a request for a small network."""
    arch, clock = chip(64), Clock()
    model = image((1, 3, 8, 5), 4, 4)
    request = make_request(model, arch, cores=8, **settings_)
    context = make_context(arch, request.options)
    lower(request, context, clock)
    return list(clock.seconds), context.settings


def test_options_name_passes():
    names, listed = passes_of(duplicate="latency", pipelined=True)
    assert names.index("duplicate") + 1 == names.index("cut-layers")
    assert names.index("pipeline") + 1 == names.index("lower-spat-to-pim")
    assert (listed["duplicate"], listed["pipelined"]) == ("latency", "yes")
    names, listed = passes_of()
    assert not {"duplicate", "pipeline"} & set(names) and not {"duplicate", "pipelined"} & set(listed)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"duplicate": "speed"}, "duplicate 'speed' is unknown: use one of 'latency', 'throughput', 'greedy'"),
        ({"duplicate": "greedy", "pipeline": "place"}, "name duplicate{for=greedy} there, before cut-layers"),
        ({"pipelined": True, "pipeline": "place"}, "name pipeline there, before lower-spat-to-pim"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, sentence):
    with pytest.raises(EmuError) as raised:
        passes_of(**options)
    assert sentence in str(raised.value)
