"""Programs from `pim` cores, and what the manifest says of inputs and outputs from `pim` tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from compiler.basis.limits import MAX_INSTRUCTIONS
from compiler.basis.weights import Array, WeightStore
from compiler.codegen.banks import StoredWeights, align, declare_banks, emit_write
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.rows import rows_of
from compiler.dialects.types import dtype_of, element_dtype
from compiler.emission.emitter import Emitter, Weights
from compiler.emission.strip import Strip
from compiler.kernels.kernel import Kernel
from emu.image.manifest import TensorSpec, TensorTile, end_of
from emu.isa.address import Address, Term
from emu.program.program import BufferSpec, Data, Program


@dataclass(frozen=True, slots=True)
class CoreProgram:
    """A program and the weights of its array groups, each made only when it is written.

    Those of groups in the bank are `stored` in global memory.
    """

    program: Program
    weights: tuple[Weights, ...]
    stored: StoredWeights

    @property
    def own(self) -> Iterator[Array]:
        """The weights of groups with crossbars of their own, which stand there from power-on."""
        return (entry.make() for entry in self.weights if not entry.spec.shares)


def generate(module: ModuleOp, weights: WeightStore) -> Iterator[CoreProgram]:
    """The program of each `pim.core`, whose buffers have addresses, in order.

    Raises CompileError if they have more instructions than all programs together may have.
    """
    room, end = MAX_INSTRUCTIONS, global_size(module)
    for op in module.ops:
        if isinstance(op, pim.CoreOp):
            core = _core(op, weights, room, StoredWeights(op.coreId.value.data, align(end)))
            room -= len(core.program.main)
            end = core.stored.begin + core.stored.size if core.stored.size else end
            yield core


def tensors(module: ModuleOp, kind: str) -> tuple[TensorSpec, ...]:
    """The network's inputs or outputs (`kind` "input" or "output")."""
    return tuple(_spec(op) for op in module.ops if isinstance(op, pim.TensorOp) and op.kind.data == kind)


def global_size(module: ModuleOp) -> int:
    """Bytes of global memory per sample: inputs and outputs."""
    return end_of((*tensors(module, "input"), *tensors(module, "output")))


def _spec(op: pim.TensorOp) -> TensorSpec:
    tiles = tuple(TensorTile(*tile) for tile in zip(op.boxes.data, attr.values(op.addresses), strict=True))
    return TensorSpec(op.tensor.data, op.form.data, element_dtype(op.element), tiles)


def _core(core: pim.CoreOp, weights: WeightStore, room: int, stored: StoredWeights) -> CoreProgram:
    emitter = Emitter(weights, room)
    banks = declare_banks(emitter, core)
    data: list[Data] = []
    buffers: list[BufferSpec] = []
    for op in core.body.block.ops:
        if isinstance(op, pim.ConstantOp):
            data.append(Data(emitter.strip(op.buffer).address, weights.get(op.key.data).tobytes()))
        elif isinstance(op, pim.CompleteOp):
            buffers.append(_complete(emitter, op))
        elif isinstance(op, pim.WriteOp):
            emit_write(emitter, op, banks[op], stored)
        elif isinstance(op, pim.LoopOp):
            with emitter.instances(op.trips.value.data):
                for inner in op.body.block.ops:
                    _emit(emitter, inner)
        else:
            _emit(emitter, op)
    program = Program(
        core.coreId.value.data,
        tuple(entry.spec for entry in emitter.groups),
        tuple(data),
        main=emitter.section.finish(),
        sources=tuple(emitter.sources),
        buffers=tuple(buffers),
    )
    return CoreProgram(program, tuple(emitter.groups), stored)


def _emit(emitter: Emitter, op: Operation) -> None:
    if isinstance(op, Kernel):
        with emitter.kernel(op):
            op.emit(emitter)
    else:
        _TRANSFERS[type(op)](emitter, op)


def _complete(emitter: Emitter, op: pim.CompleteOp) -> BufferSpec:
    (box,) = op.boxes.data
    return BufferSpec(
        op.tensor.data,
        op.form.data,
        box,
        dtype_of(op.buffer),
        emitter.strip(op.buffer).address,
        len(emitter.section),
    )


def _alloc(emitter: Emitter, op: Operation) -> None:
    """A buffer is no instruction."""


def _strip(emitter: Emitter, op: pim.LoadOp | pim.StoreOp) -> Strip:
    return emitter.strip(op.buffer, *rows_of(op.rows))


def _global(strip: Strip, address: int, row: int) -> Address:
    """Where a row of a strip stands in the whole tile at `address` (bytes) of global memory."""
    terms = (Term(strip.loop, strip.rows.step * strip.row),) if strip.rows.step else ()
    return Address(address + (strip.rows.first + row) * strip.row, terms)


def _load(emitter: Emitter, op: Operation) -> None:
    load = cast(pim.LoadOp, op)
    emitter.set_source(load.node.data, "load input")
    strip = _strip(emitter, load)
    for row, size in strip.blocks():
        source = _global(strip, load.address.value.data, row)
        emitter.section.emit("ld", operands=(strip.at(row=row), source), size=size * strip.row)


def _store(emitter: Emitter, op: Operation) -> None:
    store = cast(pim.StoreOp, op)
    emitter.set_source(store.node.data, "store output")
    strip = _strip(emitter, store)
    for row, size in strip.blocks():
        target = _global(strip, store.address.value.data, row)
        emitter.section.emit("st", operands=(target, strip.at(row=row)), size=size * strip.row)


def _message(emitter: Emitter, op: Operation) -> None:
    message = cast(pim.SendOp | pim.ReceiveOp, op)
    emitter.set_source(message.node.data, f"message {message.message.value.data}")
    rows = rows_of(message.rows) or [None] * len(message.buffers)
    strips = [emitter.strip(buffer, part) for buffer, part in zip(message.buffers, rows, strict=True)]
    starts = [strip.at(row=row) for strip in strips for row, _ in strip.blocks()]
    assert len(starts) == len(strips)  # rings hold a whole number of messages
    name, size = ("send" if isinstance(message, pim.SendOp) else "recv"), sum(strip.nbytes for strip in strips)
    emitter.section.emit(name, operands=starts[:1], core=message.peer.value.data, size=size)


def _halt(emitter: Emitter, op: Operation) -> None:
    emitter.section.source = -1
    emitter.section.emit("halt")


_TRANSFERS: dict[type[Operation], Callable[[Emitter, Operation], None]] = {
    pim.AllocOp: _alloc,
    pim.LoadOp: _load,
    pim.StoreOp: _store,
    pim.SendOp: _message,
    pim.ReceiveOp: _message,
    pim.HaltOp: _halt,
}
