"""Kernel `elementwise`: two tiles, or a tile and a constant, with broadcasting by strides of zero."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Buffer, Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.weights import Array, WeightStore
from emu.isa.address import Address

INSTRUCTIONS = {"add": "vvadd", "sub": "vvsub", "mul": "vvmul", "div": "vvdiv"}


def _constants(op: Operation, weights: WeightStore) -> list[Array]:
    elementwise = cast(spat.ElementwiseOp, op)
    if elementwise.constant is None:
        return []
    array = weights.get(elementwise.constant.data)
    low, high = attr.values(elementwise.channels)
    return [array[:, :, low:high] if array.shape[2] > 1 else array]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.ElementwiseOp, kernel)
    operands = emitter.buffers((*op.inputs, *op.constants))
    if op.constant_first is not None and op.constant_first.value.data:
        operands.reverse()
    out = emitter.buffer(op.outputs[0])
    name = INSTRUCTIONS[op.fn.data]
    epilogue = attr.epilogue_of(op.epilogue)
    if all(operand.elements in (1, out.elements) for operand in operands):
        flat = [operand.at(stride=0 if operand.elements < out.elements else 1) for operand in operands]
        emitter.vector(name, (out.at(), *flat), out.elements)
        emit_epilogue(emitter, epilogue, out.at(), out.elements)
        return
    with emitter.pixels(out.height, out.width) as loops:
        at = out.at((loops[0], out.row), (loops[1], out.pixel))
        emitter.vector(name, (at, *(_broadcast(operand, out, loops) for operand in operands)), out.channels)
        emit_epilogue(emitter, epilogue, at, out.channels)


def _broadcast(operand: Buffer, out: Buffer, loops: tuple[int, int]) -> Address:
    """The operand's address at a pixel: axes of size 1 stand still."""
    return operand.at(
        (loops[0], operand.row if operand.height > 1 else 0),
        (loops[1], operand.pixel if operand.width > 1 else 0),
        stride=0 if operand.channels < out.channels else 1,
    )


ELEMENTWISE = Kernel(spat.ElementwiseOp, pim.ElementwiseOp, _emit, constants=_constants, in_place=True)
