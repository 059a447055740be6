"""Rows at a time of each compute: any network, with or without copies = whole images, bit for bit; memory is enough."""

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx_nets import Net, conv_nets

from compiler.compiling import lower
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.mapping import tuned
from compiler.mapping.schedules.pipelining import rows_of_parts
from compiler.passes import PIPELINE
from compiler.request import make_request
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar
from emu.errors import EmuError

relaxed = settings(suppress_health_check=list(HealthCheck))


def chip(size=64, memory=64 << 20):
    core = Core(crossbars=4096, local_memory=memory)
    return Arch(name="chip", cores=1024, core=core, crossbar=Crossbar(size, size))


def with_passes(pipeline, duplicate=""):
    """The default passes with `pipeline`, and perhaps with `duplicate`."""
    before = {"cut-layers": duplicate, "lower-spat-to-pim": pipeline}
    return ",".join(step for name in PIPELINE for step in (before.get(name, ""), name) if step)


def check(model, arch, mapping, pipeline, duplicate=""):
    """One sample through whole images and through rows, with the same copies; the latter against onnxruntime, too."""
    copies = [duplicate] if duplicate else []
    whole = compile_in_memory(model, arch, *mapping, pipeline=with_passes("", *copies))
    parts = compile_in_memory(model, arch, *mapping, pipeline=with_passes(pipeline, *copies))
    sample = random_sample(whole.inputs)
    (wanted,), (found,) = (run_in_process(compiled, [sample]) for compiled in (whole, parts))
    assert_close(found, golden(model, sample))
    for name, value in wanted.items():
        assert found[name].tobytes() == value.tobytes()
    return parts


HOW = st.tuples(st.sampled_from([7, 60, 1024]), st.just("dense"), st.sampled_from(["frugal", "scatter", "pack"]))
PARTS = st.integers(1, 9).map(lambda parts: f"pipeline{{parts={parts}}}")
COPIES = st.sampled_from(["", "duplicate{for=latency cores=12}", "duplicate{for=throughput cores=20}"])


@settings(relaxed, max_examples=examples(5, 40))
@given(conv_nets(), st.integers(2, 40), HOW, PARTS, COPIES)
def test_random_networks(model, size, mapping, parts, copies):
    check(model, chip(size), mapping, parts, copies)


@pytest.mark.full
@settings(relaxed, max_examples=600)
@given(conv_nets(), st.integers(2, 40), HOW, PARTS, COPIES)
@pytest.mark.timeout(3600)
def test_many_random_networks(model, size, mapping, parts, copies):
    check(model, chip(size), mapping, parts, copies)


def chain(height=64, width=64):
    """Convolutions, one with a stride, and a pooling."""
    net = Net([1, 4, height, width])
    y = net.add("Relu", net.conv("x", 4, 16, (3, 3), pads=[1, 1, 1, 1]))
    y = net.add("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    return net.model(net.conv(y, 16, 8, (3, 3), pads=[1, 1, 1, 1], strides=[2, 2]))


def computes(model, arch, pipeline):
    request = make_request(model, arch, cores=64, pipeline=pipeline)
    module, _ = lower(request, make_context(arch, request.options))
    return [op for op in module.ops if isinstance(op, spat.ComputeOp)]


def test_layers_with_strides_keep_step_and_messages_are_not_too_short():
    made = computes(chain(), chip(), with_passes("").partition(",lower-spat-to-pim")[0])
    chosen = rows_of_parts(made, 8)
    assert {attr.shape_of(op.outputs[0])[0]: rows for op, rows in chosen.items()} == {64: 8, 32: 4, 16: 2}
    for op, rows in rows_of_parts(made, 64).items():
        value = op.outputs[0]
        assert rows * attr.bytes_of(value) // attr.shape_of(value)[0] >= tuned.LEAST_MESSAGE


def test_finer_parts_where_memory_is_short():
    model = chain(256)
    whole = compile_in_memory(model, chip(), pipeline=with_passes("pipeline"))
    short = compile_in_memory(model, chip(memory=180 << 10), pipeline=with_passes("pipeline{parts=64}"))
    tight = compile_in_memory(model, chip(memory=180 << 10), pipeline=with_passes("pipeline"))
    assert messages(whole) < messages(tight) <= messages(short)


def test_tiles_stay_whole_where_there_is_room():
    model = chain(256)
    roomy, tight = (
        compile_in_memory(model, chip(memory=memory), pipeline=with_passes("pipeline{parts=64}"))
        for memory in (64 << 20, 180 << 10)
    )
    assert sum(map(buffer_bytes, cores_of(roomy))) > sum(map(buffer_bytes, cores_of(tight)))
    heights = {attr.shape_of(op.buffer)[0] for core in cores_of(roomy) for op in core.body.block.ops if allocated(op)}
    assert {64, 128, 256} <= heights


def cores_of(compiled):
    return [op for op in compiled.module.ops if isinstance(op, pim.CoreOp)]


def allocated(op):
    return isinstance(op, pim.AllocOp)


def buffer_bytes(core):
    return sum(attr.bytes_of(op.buffer) for op in core.body.block.ops if allocated(op))


def messages(compiled):
    """How many messages are sent."""
    total = 0
    for core in compiled.module.ops:
        if isinstance(core, pim.CoreOp):
            for op in core.body.block.ops:
                trips = op.trips.value.data if isinstance(op, pim.LoopOp) else 1
                inside = op.body.block.ops if isinstance(op, pim.LoopOp) else [op]
                total += trips * sum(isinstance(each, pim.SendOp) for each in inside)
    return total


def test_rows_that_a_text_gives_stay():
    arch = chip()
    made = computes(chain(), arch, with_passes("pipeline{parts=4},pipeline").partition(",lower-spat-to-pim")[0])
    assert {op.rows.value.data for op in made} == {16, 8, 4}


def test_it_needs_cores():
    with pytest.raises(EmuError, match="has no core: run the pass place before"):
        compile_in_memory(chain(), chip(), pipeline=with_passes("").replace("place", "pipeline"))
