"""Compiles a network in memory and runs its cores in turn in this process; golden by onnxruntime."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import onnx
from exact_sessions import exact_session
from onnx import helper, numpy_helper

from compiler.codegen.generate import generate, global_size, tensors
from compiler.compiling import lower
from compiler.request import make_request
from compiler.session.context import make_context
from emu.check import check_programs
from emu.core.engines.core import Core
from emu.image.layout import from_memory, to_tiles
from emu.image.manifest import ReadOnlySpec
from emu.isa.dtypes import DType
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.memory.read_only import ReadOnlyMemory
from emu.noc.ports.port import FlowControl
from emu.program.validate import validate_program


@dataclass
class Compiled:
    """Programs and weights by core, and the network's inputs and outputs."""

    module: object
    programs: dict
    weights: dict
    inputs: tuple
    outputs: tuple
    global_size: int
    arch: object
    read_only: tuple = ()  # name, address and bytes


def compile_in_memory(
    model,
    arch,
    cores=64,
    packing="dense",
    placement="frugal",
    granularity="image",
    **options,
):
    mapping = {"cores": cores, "packing": packing, "placement": placement, "granularity": granularity}
    request = make_request(model, arch, **mapping, **options)
    context = make_context(request.arch, request.options)
    module, _ = lower(request, context)
    arch = context.arch
    if request.start is None and request.pipeline is None:  # else it is verified already
        module.verify()
    programs, weights = {}, {}
    cores_made = list(generate(module, context.weights))
    for core in cores_made:
        program = core.program
        validate_program(program, arch, f"core {program.core}", {made.program.core for made in cores_made})
        programs[program.core] = program
        weights[program.core] = [padded(entry) for entry in core.weights]
    inputs, outputs = tensors(module, "input"), tensors(module, "output")
    stored = [made.stored for made in cores_made if made.stored.size]
    read_only = tuple((each.spec.name, each.spec.address, memoryview(each.elements())) for each in stored)
    end = max((each.spec.end for each in stored), default=global_size(module))
    return Compiled(module, programs, weights, inputs, outputs, end, arch, read_only)


def padded(entry):
    """A group's weights as an image holds them."""
    array = np.zeros((entry.spec.rows, entry.spec.padded_cols), entry.spec.weight.numpy)
    array[:, : entry.spec.cols] = entry.make()
    return array


def check_compiled(compiled):
    """The report of the checker on all properties."""
    stored = [
        ReadOnlySpec(name, DType.u8, (len(data),), address, f"{address}.npy")
        for name, address, data in compiled.read_only
    ]
    return check_programs(
        compiled.programs,
        compiled.arch,
        compiled.inputs,
        compiled.outputs,
        compiled.global_size,
        read_only=stored,
    )


def run_in_process(compiled, samples, engine="batch", flow="rendezvous", around=lambda core: core):
    """Outputs by name for each sample (a dict by input name); `around` makes what is driven of each core."""
    cores = {
        core: around(Core(program, compiled.arch, compiled.weights[core], engine))
        for core, program in compiled.programs.items()
    }
    memories = SampleMemories(compiled.global_size, ReadOnlyMemory(compiled.read_only))
    fabric = Fabric(FlowControl.parse(flow), memories.of)
    scheduler = RoundRobin(cores, compiled.programs, fabric)
    scheduler.run("init", 0)
    found = []
    for number, sample in enumerate(samples):
        memory = memories.open(number)
        for spec in compiled.inputs:
            for address, tile in to_tiles(spec, sample[spec.name]):
                memory.write(address, memoryview(tile).cast("B"))
        scheduler.run("main", number)
        found.append({spec.name: from_memory(spec, memory.view) for spec in compiled.outputs})
        memories.drop(number)
    return found


def exact_sigmoids(model):
    """The model with every Sigmoid as its formula: onnxruntime's own adds 0.5 last, and so is 6e-8 off near 0."""
    found = onnx.ModelProto()
    found.CopyFrom(model)
    del found.graph.node[:]
    for node in model.graph.node:
        if node.op_type != "Sigmoid":
            found.graph.node.append(node)
            continue
        (x,), (y,) = node.input, node.output
        steps = (("Neg", [x], f"{y}/neg"), ("Exp", [f"{y}/neg"], f"{y}/exp"))
        last = (("Add", [f"{y}/exp", f"{y}/one"], f"{y}/sum"), ("Reciprocal", [f"{y}/sum"], y))
        found.graph.node.extend(helper.make_node(kind, names, [made]) for kind, names, made in steps + last)
        found.graph.initializer.append(numpy_helper.from_array(np.float32(1), f"{y}/one"))
    return found


@lru_cache(4)
def session_of(content):
    """onnxruntime's session of the bytes of a model."""
    return exact_session(exact_sigmoids(onnx.ModelProto.FromString(content)), optimised=True)


def golden(model, sample):
    """Outputs by name, by onnxruntime."""
    session = session_of(model.SerializeToString())
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, sample), strict=True))


def random_sample(specs, seed=0):
    rng = np.random.default_rng(seed)
    return {spec.name: rng.standard_normal(spec.shape).astype(np.float32) for spec in specs}


def assert_close(found, wanted, bound=1e-4, least=1e-6):
    """The project's criterion: max |difference| <= bound * max |golden|, which counts as `least` where it is below."""
    for name, value in wanted.items():
        assert found[name].shape == value.shape
        limit = bound * max(np.abs(value).max(), least)
        difference = np.abs(found[name].astype(np.float64) - value).max()
        assert difference <= limit, f"{name}: {difference} > {limit}"
