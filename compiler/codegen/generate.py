"""Programs and tensors from `pim` cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from compiler.codegen.emitter import Emitter, Weights
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.kernels.table import BY_PIM
from compiler.weights import WeightStore
from emu.image.manifest import TensorSpec, TensorTile
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.program import BufferSpec, Data, Program


@dataclass(frozen=True, slots=True)
class CoreProgram:
    """A program and the weights of its groups, made only when they are written."""

    program: Program
    weights: tuple[Weights, ...]


def generate(module: ModuleOp, weights: WeightStore) -> Iterator[CoreProgram]:
    """The program of each `pim.core`, in order."""
    for op in module.ops:
        if isinstance(op, pim.CoreOp):
            yield _core(op, weights)


def tensors(module: ModuleOp, kind: str) -> tuple[TensorSpec, ...]:
    """The network's inputs or outputs (`kind` "input" or "output")."""
    return tuple(_spec(op) for op in module.ops if isinstance(op, pim.TensorOp) and op.kind.data == kind)


def global_size(module: ModuleOp) -> int:
    """Bytes of global memory per sample."""
    specs = (*tensors(module, "input"), *tensors(module, "output"))
    ends = (
        tile.address + (tile.channels[1] - tile.channels[0]) * spec.extent[1] * spec.extent[2] * spec.dtype.size
        for spec in specs
        for tile in spec.tiles
    )
    return max(ends, default=0)


def _spec(op: pim.TensorOp) -> TensorSpec:
    tiles = zip(attr.pairs(op.channels), attr.values(op.addresses), strict=True)
    return TensorSpec(
        op.tensor.data,
        attr.values(op.shape),
        DType.f32,
        cast(tuple[int, int, int], attr.values(op.extent)),
        tuple(cast(StringAttr, axes).data for axes in op.layout),
        tuple(TensorTile(channels, address) for channels, address in tiles),
    )


def _core(core: pim.CoreOp, weights: WeightStore) -> CoreProgram:
    emitter = Emitter(weights)
    data: list[Data] = []
    buffers: list[BufferSpec] = []
    for op in core.body.block.ops:
        if isinstance(op, pim.ConstantOp):
            data.append(Data(emitter.buffer(op.buffer).address, weights.get(op.key.data).tobytes()))
        elif isinstance(op, pim.CompleteOp):
            buffers.append(_complete(emitter, op))
        elif not isinstance(op, pim.AllocOp):
            _emit(emitter, op)
    number = core.coreId.value.data
    groups = tuple(entry.spec for entry in emitter.groups)
    program = Program(
        number,
        groups,
        tuple(data),
        main=emitter.section.finish(),
        sources=tuple(emitter.sources),
        buffers=tuple(buffers),
    )
    return CoreProgram(program, tuple(emitter.groups))


def _complete(emitter: Emitter, op: pim.CompleteOp) -> BufferSpec:
    buffer = emitter.buffer(op.buffer)
    low, high = attr.values(op.channels)
    return BufferSpec(
        op.tensor.data,
        (low, high),
        buffer.height,
        buffer.width,
        DType.f32,
        buffer.address,
        len(emitter.section),
    )


def _emit(emitter: Emitter, op: Operation) -> None:
    section = emitter.section
    if isinstance(op, pim.BufferKernel):
        emitter.set_source(op.node.data, op.part.data if op.part is not None else "")
        BY_PIM[type(op)].emit(emitter, op)
    elif isinstance(op, pim.LoadOp):
        emitter.set_source(op.node.data, "load input")
        local = emitter.buffer(op.buffer)
        section.emit(
            "ld", operands=(local.at(), Address(op.address.value.data)), size=local.elements * DType.f32.size
        )
    elif isinstance(op, pim.StoreOp):
        emitter.set_source(op.node.data, "store output")
        local = emitter.buffer(op.buffer)
        section.emit(
            "st", operands=(Address(op.address.value.data), local.at()), size=local.elements * DType.f32.size
        )
    elif isinstance(op, pim.SendOp | pim.ReceiveOp):
        name = "send" if isinstance(op, pim.SendOp) else "recv"
        emitter.set_source(op.node.data, f"message {op.message.value.data}")
        local = emitter.buffer(op.buffer)
        section.emit(
            name, operands=(local.at(),), core=op.peer.value.data, size=local.elements * DType.f32.size
        )
    elif isinstance(op, pim.HaltOp):
        section.source = -1
        section.emit("halt")
    else:
        raise TypeError(f"no code generation for {op.name}")
