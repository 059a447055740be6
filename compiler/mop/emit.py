"""From a network to a meta-operator flow and the arrays that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from compiler.basis.weights import Array
from compiler.compiling import lower
from compiler.mop.core_flow import core_blocks
from compiler.mop.crossbar_flow import WRITES, product_blocks
from compiler.mop.mapping import Mapped, grid_of, segments_of
from compiler.mop.memory import ElementMemory
from compiler.mop.network import NetworkReading
from compiler.mop.steps import ProductStep, Step
from compiler.mop.units import crossbar_units, row_units
from compiler.request import CompileRequest
from compiler.session.context import CompilerContext, make_context
from compiler.session.refusal import refusals
from compiler.transforms.fuse_nests import FuseNestsPass
from compiler.transforms.lower_onnx_to_spat import LowerOnnxToSpatPass
from compiler.transforms.onnx_pipeline import ONNX_PIPELINE
from emu.errors import CompileError
from emu.interop.mop.chip import MopChip, chip_of
from emu.interop.mop.flow import Flow, FlowHeader, NumberFormats, OperatorBlock

# Every node stays an operator of its own, on whole tensors.
PIPELINE = (*(name for name in ONNX_PIPELINE if name != FuseNestsPass.name), LowerOnnxToSpatPass.name)
LAYOUTS = {"xbm": crossbar_units, "wlm": row_units}


@dataclass(frozen=True, slots=True)
class Emitted:
    """A flow, whose blocks are made while they are taken, the arrays that it names, and what was noticed."""

    flow: Flow
    arrays: Mapping[str, Array]
    mapped: tuple[tuple[Mapped, ...], ...]  # the products of each segment
    warnings: tuple[str, ...]


def emit_flow(request: CompileRequest) -> Emitted:
    """The flow of a network for the mode of the chip; raises CompileError, and what `compile` raises."""
    context = make_context(request.arch, request.options)
    module, where = lower(request, context)
    with refusals(where, context):
        return flow_of(module, context, chip_of(request.arch))


def flow_of(module: ModuleOp, context: CompilerContext, chip: MopChip) -> Emitted:
    """The flow of a network of `spat.layer` operations; raises CompileError."""
    network = NetworkReading(module, context.weights).read()
    segments = segments_of(network.steps, chip, network.numbers)
    header = FlowHeader(chip, network.numbers, tuple(network.inputs), tuple(network.outputs))
    blocks = _blocks(network.steps, segments, chip, network.numbers, network.memory)
    if network.memory.used > chip.memory:
        raise CompileError(
            f"chip {chip.name}: tensors take {network.memory.used} elements of memory, it has {chip.memory}:"
            " raise [global_memory] size"
        )
    mapped = tuple(tuple(segment.values()) for segment in segments)
    return Emitted(Flow(header, blocks), network.arrays.arrays, mapped, tuple(context.warnings))


def _blocks(
    steps: Sequence[Step],
    segments: Sequence[Mapping[int, Mapped]],
    chip: MopChip,
    numbers: NumberFormats,
    memory: ElementMemory,
) -> Iterator[OperatorBlock]:
    """The weights of a segment are written before its first product."""
    bits = numbers.weight_bits
    where = {place: segment for segment in segments for place in segment}
    for place, step in enumerate(steps):
        if not isinstance(step, ProductStep):
            yield from step.blocks
            continue
        segment = where[place]
        if chip.mode != "cm" and place == min(segment):
            for mapped in segment.values():
                layout = LAYOUTS[chip.mode](mapped, grid_of(mapped.product, chip, numbers), chip, bits)
                yield from WRITES[chip.mode](mapped.product, layout)
        mapped = segment[place]
        grid = grid_of(step, chip, numbers)
        if chip.mode == "cm":
            yield from core_blocks(mapped, grid, memory.take)
        else:
            layout = LAYOUTS[chip.mode](mapped, grid, chip, bits)
            yield from product_blocks(mapped, layout, chip.mode, chip.bound(bits))
