"""Kernel `elementwise`: two tiles, or a tile and a constant, with broadcasting by strides of zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation, SSAValue

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import Strip, blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.rows import Rows
from compiler.kernels.kernel import Kernel
from compiler.weights import Array, WeightStore
from emu.isa.address import Address

INSTRUCTIONS = {"add": "vvadd", "sub": "vvsub", "mul": "vvmul", "div": "vvdiv"}


def _constants(op: Operation, weights: WeightStore, streamed: bool) -> list[Array]:
    elementwise = cast(spat.ElementwiseOp, op)
    if elementwise.constant is None:
        return []
    array = weights.get(elementwise.constant.data)
    low, high = attr.values(elementwise.channels)
    return [array[:, :, low:high] if array.shape[2] > 1 else array]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.ElementwiseOp, kernel)
    inputs, (out,) = emitter.operands(op)
    operands = [*inputs, *(_constant(emitter, value, out) for value in op.constants)]
    if op.constant_first is not None and op.constant_first.value.data:
        operands.reverse()
    for row, size in blocks(out.height, [(out, 0, 1), *((strip, 0, _moves(strip)) for strip in operands)]):
        _emit_rows(emitter, op, operands, out, row, size)


def _constant(emitter: Emitter, value: SSAValue, out: Strip) -> Strip:
    """A constant's only row, or those of the output."""
    height = attr.shape_of(value)[0]
    return emitter.strip(value, Rows(0, 0, 1, 1) if height == 1 else out.rows)


def _moves(operand: Strip) -> int:
    """Rows of an operand per row of the output."""
    return 1 if operand.rows.total > 1 else 0


def _emit_rows(
    emitter: Emitter, op: pim.ElementwiseOp, operands: Sequence[Strip], out: Strip, row: int, size: int
) -> None:
    name = INSTRUCTIONS[op.fn.data]
    epilogue = attr.epilogue_of(op.epilogue)
    if all(operand.elements in (1, out.elements) for operand in operands):
        elements = size * out.width * out.channels
        flat = [
            operand.at(row=row * _moves(operand), stride=0 if operand.elements < out.elements else 1)
            for operand in operands
        ]
        emitter.vector(name, (out.at(row=row), *flat), elements)
        emit_epilogue(emitter, epilogue, out.at(row=row), elements)
        return
    with emitter.pixels(size, out.width) as loops:
        at = out.at((loops[0], out.row), (loops[1], out.pixel), row=row)
        emitter.vector(name, (at, *(_broadcast(operand, out, loops, row) for operand in operands)), out.channels)
        emit_epilogue(emitter, epilogue, at, out.channels)


def _broadcast(operand: Strip, out: Strip, loops: tuple[int, int], row: int) -> Address:
    """The operand's address at a pixel: axes of size 1 stand still."""
    return operand.at(
        (loops[0], operand.row * _moves(operand)),
        (loops[1], operand.pixel if operand.width > 1 else 0),
        row=row * _moves(operand),
        stride=0 if operand.channels < out.channels else 1,
    )


ELEMENTWISE = Kernel(spat.ElementwiseOp, pim.ElementwiseOp, _emit, constants=_constants, in_place=True)
