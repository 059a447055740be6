"""Kernel `elementwise`: two tiles, or a tile and a constant, with broadcasting by strides of zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.rows import Rows
from compiler.dialects.verifying import verify_channels, verify_name
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.kernel import ChannelCut, Kernel
from compiler.kernels.shapes import verify_counts
from emu.isa.address import Address

INSTRUCTIONS = {"add": "vvadd", "sub": "vvsub", "mul": "vvmul", "div": "vvdiv"}


@irdl_op_definition
class ElementwiseOp(Kernel):
    """`fn` of two tiles, sizes 1 broadcast; or of a tile and `constant` (key: [h][w][c]), on the side `constant_first`.

    `channels` is the range of the tensor's channels that the output holds (to slice the constant).
    """

    name = "kernel.elementwise"
    IN_PLACE: ClassVar[bool] = True
    fn = prop_def(StringAttr)
    channels = prop_def(DenseArrayBase)
    constant = opt_prop_def(StringAttr)
    constant_first = opt_prop_def(IntegerAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """A function that exists; inputs that can be broadcast to the output."""
        verify_name("fn", self.fn, INSTRUCTIONS)
        verify_counts(inputs, outputs, of=2 if self.constant is None else 1)
        verify_channels(self.channels, self.outputs)
        for shape in inputs:
            if any(size not in (1, wanted) for size, wanted in zip(shape, outputs[0], strict=True)):
                raise VerifyException(f"cannot broadcast a tile {list(shape)} to {list(outputs[0])}")

    def cut_channels(self, low: int, high: int) -> ChannelCut:
        """The same channels of inputs that are not broadcast along them."""
        ranges = [(low, high) if shape[2] > 1 else (0, 1) for shape in self.input_shapes]
        return ranges, {"channels": attr.ints((low, high))}

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The channels of the constant that the output needs."""
        if self.constant is None:
            return []
        array = weights.get(self.constant.data)
        low, high = attr.values(self.channels)
        return [array[:, :, low:high] if array.shape[2] > 1 else array]

    def emit(self, emitter: Emitter) -> None:
        """One instruction per contiguous block where operands need no broadcasting, else one per pixel."""
        inputs, (out,) = emitter.operands(self)
        operands = [*inputs, *(_constant(emitter, value, out) for value in self.constants)]
        if self.constant_first is not None and self.constant_first.value.data:
            operands.reverse()
        for row, size in blocks(out.height, [(out, 0, 1), *((strip, 0, _moves(strip)) for strip in operands)]):
            _emit_rows(emitter, self, operands, out, row, size)


def _constant(emitter: Emitter, value: SSAValue, out: Strip) -> Strip:
    """A constant's only row, or those of the output."""
    height = attr.shape_of(value)[0]
    return emitter.strip(value, Rows(0, 0, 1, 1) if height == 1 else out.rows)


def _moves(operand: Strip) -> int:
    """Rows of an operand per row of the output."""
    return 1 if operand.rows.total > 1 else 0


def _emit_rows(emitter: Emitter, op: ElementwiseOp, operands: Sequence[Strip], out: Strip, row: int, size: int) -> None:
    name = INSTRUCTIONS[op.fn.data]
    epilogue = op.activations
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
