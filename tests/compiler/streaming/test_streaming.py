"""Rows at a time = whole images = golden: random networks on random chips, under every flow and engine."""

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import assert_close, compile_in_memory, golden, random_sample, run_in_process
from onnx_nets import Net, conv_nets

from compiler.basis.weights import digest_of
from compiler.compiling import lower
from compiler.dialects import pim
from compiler.dialects.kernel import KernelOp
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.transforms.allocate_buffers import buffer_bytes
from emu.arch import Arch, Core, Crossbar
from emu.arch.read import load_arch
from emu.core.engines.core import Core as CoreRun
from emu.errors import CompileError, InputError
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.ports.port import FlowControl
from launch import zoo

relaxed = settings(suppress_health_check=list(HealthCheck))
MAPPINGS = st.tuples(
    st.sampled_from([3, 17, 1024]), st.sampled_from(["dense", "kernel"]), st.sampled_from(["frugal", "scatter", "pack"])
)
ROWS = st.integers(1, 4).map(lambda rows: f"rows:{rows}")
FLOWS = st.sampled_from(["rendezvous", "credits:1", "credits:4"])


def chip(size=4, per_core=4096, memory=64 << 20):
    return Arch(
        name="chip", cores=1024, core=Core(crossbars=per_core, local_memory=memory), crossbar=Crossbar(size, size)
    )


def same(left, right):
    """Bit for bit."""
    for name in right:
        assert left[name].tobytes() == right[name].tobytes()


def check(model, arch, mapping, rows, flow):
    """Two samples through both granularities; the first one against onnxruntime, too."""
    whole = compile_in_memory(model, arch, *mapping)
    streamed = compile_in_memory(model, arch, *mapping, rows)
    samples = [random_sample(whole.inputs, seed) for seed in range(2)]
    found = run_in_process(streamed, samples, "batch", flow)
    assert_close(found[0], golden(model, samples[0]))
    for left, right in zip(found, run_in_process(whole, samples), strict=True):
        same(left, right)


@settings(relaxed, max_examples=examples(6, 30))
@given(conv_nets(), st.integers(2, 40), MAPPINGS, ROWS, FLOWS)
def test_random_networks(model, size, mapping, rows, flow):
    check(model, chip(size), mapping, rows, flow)


@pytest.mark.full
@settings(relaxed, max_examples=1500)
@given(conv_nets(), st.integers(2, 40), MAPPINGS, ROWS, FLOWS)
@pytest.mark.timeout(3600)
def test_many_random_networks(model, size, mapping, rows, flow):
    check(model, chip(size), mapping, rows, flow)


@settings(relaxed, max_examples=examples(3, 24))
@given(conv_nets(), st.integers(2, 20), ROWS)
def test_step_equals_batch(model, size, rows):
    compiled = compile_in_memory(model, chip(size), 50, granularity=rows)
    sample = random_sample(compiled.inputs)
    (left,), (right,) = (run_in_process(compiled, [sample], engine) for engine in ("step", "batch"))
    same(left, right)


def deep(height, width=16, mean=True):
    """Overlapping and strided windows, both kinds of pools, a residual and a concatenated branch; perhaps a mean."""
    net = Net([1, 4, height, width])
    y = net.add("Relu", net.conv("x", 4, 8, (3, 3), pads=[1, 1, 1, 1]))
    y = net.add("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    z = net.conv(net.conv(y, 8, 8, (3, 3), pads=[1, 1, 1, 1]), 8, 8, (3, 3), pads=[1, 1, 1, 1])
    y = net.add("Concat", net.add("Add", y, z), net.conv(z, 8, 4, (1, 1)), axis=1)
    y = net.conv(y, 12, 12, (5, 5), strides=[2, 2], pads=[2, 2, 2, 2])
    y = net.add("AveragePool", y, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    return net.model(net.add("GlobalAveragePool", y) if mean else y)


def needed(compiled):
    """The largest local memory that a core uses, in bytes."""
    buffers = [
        op.address.value.data + buffer_bytes(op.buffer)
        for core in compiled.module.ops
        if isinstance(core, pim.CoreOp)
        for op in core.body.block.ops
        if isinstance(op, pim.AllocOp | pim.ConstantOp)
    ]
    return max(buffers)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("rows", "cores", "placement"),
    [
        (1, 1024, "frugal"),
        (2, 5, "frugal"),
        (1, 1024, "pack"),
        pytest.param(2, 1024, "frugal", marks=pytest.mark.full),
        pytest.param(1, 5, "frugal", marks=pytest.mark.full),
        pytest.param(2, 1024, "pack", marks=pytest.mark.full),
    ],
)
def test_program_and_memory_do_not_depend_on_the_height(rows, cores, placement):
    sizes = []
    for height in (48, 160):
        compiled = compile_in_memory(
            deep(height, mean=False), chip(32), cores, placement=placement, granularity=f"rows:{rows}"
        )
        instructions = sum(len(program.main) for program in compiled.programs.values())
        sizes.append((sum(1 for _ in compiled.module.walk()), instructions, needed(compiled)))
    assert sizes[0] == sizes[1]


def test_memory_is_much_smaller_than_for_images():
    model = deep(128, mean=False)
    image, rows = (compile_in_memory(model, chip(16), granularity=kind) for kind in ("image", "rows:1"))
    assert needed(rows) * 15 < needed(image)


def test_instances_share_their_array_groups():
    model = deep(32)
    image, rows = (compile_in_memory(model, chip(16), granularity=kind) for kind in ("image", "rows:1"))
    for core, program in image.programs.items():
        assert rows.programs[core].crossbars == program.crossbars


def test_squeeze_and_excite_holds_the_image_only_where_it_must():
    net = Net([1, 6, 40, 8])
    y = net.conv("x", 6, 6, (3, 3), pads=[1, 1, 1, 1])
    gate = net.add("Sigmoid", net.conv(net.add("GlobalAveragePool", y), 6, 6, (1, 1)))
    model = net.model(net.conv(net.add("Mul", y, gate), 6, 4, (3, 3), pads=[1, 1, 1, 1]))
    check(model, chip(8), (40, "dense", "frugal"), "rows:1", "rendezvous")


def test_rows_along_the_height_are_concatenated():
    net = Net([1, 3, 20, 5])
    y = net.add("Concat", net.conv("x", 3, 3, (1, 1)), net.add("Relu", "x"), axis=2)
    model = net.model(net.conv(y, 3, 4, (3, 3), pads=[1, 1, 1, 1]))
    for rows in ("rows:1", "rows:3"):
        check(model, chip(8), (20, "dense", "frugal"), rows, "rendezvous")


def test_the_input_itself_as_output():
    net = Net([1, 3, 7, 4])
    model = net.model(net.add("Identity", "x"), net.add("Relu", "x"))
    for rows in ("rows:1", "rows:2"):
        check(model, chip(), (4, "dense", "frugal"), rows, "rendezvous")


def test_more_rows_than_the_image_has():
    check(deep(16), chip(16), (30, "dense", "frugal"), "rows:1000", "rendezvous")


def works_in_parts(module):
    """Whether some core has more than one instance of a kernel."""
    cores = [op for op in module.ops if isinstance(op, pim.CoreOp)]
    units = [[op.unit for op in core.walk() if isinstance(op, KernelOp)] for core in cores]
    loops = any(isinstance(op, pim.LoopOp) for op in module.walk())
    return loops or any(len(set(of_core)) < len(of_core) for of_core in units)


@pytest.mark.few(1)
@pytest.mark.parametrize(("share", "streamed"), [(1, False), (0.99, True), (0.3, True)])
def test_auto_takes_the_largest_granularity_that_fits(share, streamed):
    model = deep(64)
    memory = int(share * needed(compile_in_memory(model, chip(16), 60)))
    compiled = compile_in_memory(model, chip(16, memory=memory), 60, granularity="auto")
    assert works_in_parts(compiled.module) == streamed
    assert needed(compiled) <= memory
    sample = random_sample(compiled.inputs)
    (result,) = run_in_process(compiled, [sample])
    assert_close(result, golden(model, sample))


def test_auto_uses_more_rows_with_more_memory():
    needs = [
        needed(compile_in_memory(deep(64), chip(16, memory=kib << 10), 60, granularity="auto")) for kib in (14, 48, 96)
    ]
    assert needs == sorted(set(needs))


def test_granularities_that_are_tried_store_equal_constants_once():
    arch = chip(16, memory=14 << 10)
    request = make_request(deep(64), arch, cores=60, granularity="auto")
    context = make_context(arch, request.options)
    lower(request, context)
    store = context.weights
    digests = [digest_of(store.get(key)) for key in store if key.partition(".")[0] == "constant"]
    assert digests and len(set(digests)) == len(digests)


@pytest.mark.parametrize("granularity", ["auto", "rows:1"])
def test_what_does_not_fit_is_named(granularity):
    with pytest.raises(CompileError, match=r"core \d+ needs \d+ bytes of local memory at node \w+, but.*rows:N"):
        compile_in_memory(deep(64), chip(16, memory=1 << 10), 60, granularity=granularity)


@pytest.mark.parametrize("granularity", ["rows", "rows:0", "rows:-1", "rows:x", "pixels:3", ""])
def test_unknown_granularities_are_named(granularity):
    with pytest.raises(InputError, match=r"granularity .* is unknown"):
        compile_in_memory(deep(64), chip(16), 60, granularity=granularity)


def run_statistics(compiled):
    """What each core's engine did for one sample of zeros, by core."""
    cores = {
        core: CoreRun(program, compiled.arch, compiled.weights[core], "batch")
        for core, program in compiled.programs.items()
    }
    memories = SampleMemories(compiled.global_size)
    scheduler = RoundRobin(cores, compiled.programs, Fabric(FlowControl.parse("rendezvous"), memories.of))
    scheduler.run("init", 0)
    memories.open(0).write(0, bytes(4 * np.prod(compiled.inputs[0].shape)))
    scheduler.run("main", 0)
    return {number: core.statistics for number, core in cores.items()}


@pytest.mark.full
def test_inner_loops_are_planned_once_per_place_in_their_rings():
    plans = []
    for height in (64, 256):
        compiled = compile_in_memory(deep(height, mean=False), chip(16), 40, granularity="rows:1")
        statistics = run_statistics(compiled)
        for op in compiled.module.ops:
            if isinstance(op, pim.CoreOp):
                own = statistics[op.coreId.value.data]
                loops = sum(isinstance(item, pim.LoopOp) for item in op.body.block.ops)
                assert own.unplanned == loops, "only the loops over rows are stepped"
                assert own.units > loops
        plans.append({number: own.plans for number, own in statistics.items()})
    assert plans[0] == plans[1]


QUICK = {"lenet5": 64, "mlp3": 64, "squeezenet": 64}
SLOW = {"mobilenet_v2": 64, "resnet18": 128, "googlenet": 128, "resnet50": 128, "vgg16": 256}


@pytest.mark.few(1)
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("name", "cores"), [*QUICK.items(), *(pytest.param(*row, marks=pytest.mark.full) for row in SLOW.items())]
)
def test_zoo_networks_row_by_row_in_one_mebibyte(name, cores):
    model = zoo.build(name)
    compiled = compile_in_memory(model, load_arch("small"), cores, granularity="rows:1")
    assert needed(compiled) <= 1 << 20
    sample = random_sample(compiled.inputs)
    (found,) = run_in_process(compiled, [sample])
    assert_close(found, golden(model, sample))
    assert all(np.isfinite(value).all() for value in found.values())
