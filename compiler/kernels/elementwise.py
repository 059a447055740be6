"""Kernel `elementwise`: two tiles, or a tile and a constant, with broadcasting by strides of zero."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.rows import Rows
from compiler.dialects.verifying import verify_name, verify_offsets
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.kernel import ChannelCut, Kernel
from compiler.kernels.shapes import verify_axes, verify_counts

INSTRUCTIONS = {"add": "vvadd", "sub": "vvsub", "mul": "vvmul", "div": "vvdiv"}


@irdl_op_definition
class ElementwiseOp(Kernel):
    """`fn` of two tiles, sizes 1 broadcast; or of a tile and `constant`, on the side `constant_first`.

    `constant` is the key of an array in the order of memory, for the whole tensor; `offsets` tells where the box that
    the output holds begins in the tensor.
    """

    name = "kernel.elementwise"
    IN_PLACE: ClassVar[bool] = True
    fn = prop_def(StringAttr)
    offsets = prop_def(DenseArrayBase)
    constant = opt_prop_def(StringAttr)
    constant_first = opt_prop_def(IntegerAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """A function that exists; inputs that can be broadcast to the output."""
        verify_name("fn", self.fn, INSTRUCTIONS)
        verify_counts(inputs, outputs, of=2 if self.constant is None else 1)
        verify_axes(inputs, outputs)
        verify_offsets(self.offsets, self.outputs)
        for shape in inputs:
            if any(size not in (1, wanted) for size, wanted in zip(shape, outputs[0], strict=True)):
                raise VerifyException(f"cannot broadcast a tile {list(shape)} to {list(outputs[0])}")

    def verify_arrays(self, weights: WeightStore) -> None:
        """A constant that has the box of the output, or can be broadcast to it."""
        if self.constant is None:
            return
        array, box = (
            weights.get(self.constant.data),
            list(zip(attr.values(self.offsets), self.output_shapes[0], strict=True)),
        )
        fits = len(array.shape) == len(box) and array.dtype == np.float32
        if not fits or any(full != 1 and low + size > full for full, (low, size) in zip(array.shape, box, strict=True)):
            raise VerifyException(
                f"has a constant {list(array.shape)} of {array.dtype}: it has no box of {[size for _, size in box]}"
                f" float32 elements at {list(attr.values(self.offsets))}"
            )

    def cut_channels(self, low: int, high: int) -> ChannelCut:
        """The same channels of inputs that are not broadcast along them."""
        ranges = [(low, high) if shape[-1] > 1 else (0, 1) for shape in self.input_shapes]
        *before, first = attr.values(self.offsets)
        return ranges, {"offsets": attr.ints((*before, first + low))}

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The part of the constant that the output needs."""
        if self.constant is None:
            return []
        array = weights.get(self.constant.data)
        part = zip(array.shape, attr.values(self.offsets), self.output_shapes[0], strict=True)
        return [array[tuple(slice(low, low + size) if full > 1 else slice(None) for full, low, size in part)]]

    def emit(self, emitter: Emitter) -> None:
        """One instruction per contiguous block where operands need no broadcasting, else one per pixel."""
        inputs, (out,) = emitter.operands(self)
        shapes = [*self.input_shapes, *map(attr.shape_of, self.constants)]
        strips = [*inputs, *(_constant(emitter, value, out) for value in self.constants)]
        operands = list(zip(strips, shapes, strict=True))
        if self.constant_first is not None and self.constant_first.value.data:
            operands.reverse()
        for row, size in blocks(out.height, [(out, 0, 1), *((strip, 0, _moves(strip)) for strip, _ in operands)]):
            _emit_rows(emitter, self, operands, out, (row, size))


def _constant(emitter: Emitter, value: SSAValue, out: Strip) -> Strip:
    """A constant's only row, or those of the output."""
    height = attr.shape_of(value)[0]
    return emitter.strip(value, Rows(0, 0, 1, 1) if height == 1 else out.rows)


def _moves(operand: Strip) -> int:
    """Rows of an operand per row of the output."""
    return 1 if operand.rows.total > 1 else 0


def _emit_rows(
    emitter: Emitter, op: ElementwiseOp, operands: Sequence[tuple[Strip, Shape]], out: Strip, rows: tuple[int, int]
) -> None:
    """`rows` (first, number) of the output, on which no operand wraps."""
    name, epilogue, (row, size) = INSTRUCTIONS[op.fn.data], op.activations, rows
    if all(operand.elements in (1, out.elements) for operand, _ in operands):
        elements = size * out.width * out.channels
        flat = [
            operand.at(row=row * _moves(operand), stride=0 if operand.elements < out.elements else 1)
            for operand, _ in operands
        ]
        emitter.vector(name, (out.at(row=row), *flat), elements)
        emit_epilogue(emitter, epilogue, out.at(row=row), elements)
        return
    with ExitStack() as stack:
        y = stack.enter_context(emitter.rows(size))
        pixels = _pixel_axes([shape for _, shape in operands], op.output_shapes[0])
        loops = [(stack.enter_context(emitter.section.loop(count)), axis) for count, axis in pixels]
        at = out.at((y, out.row), *_steps(loops, op.output_shapes[0], out), row=row)
        sources = [
            operand.at(
                (y, operand.row * _moves(operand)),
                *_steps(loops, shape, operand),
                row=row * _moves(operand),
                stride=0 if operand.channels < out.channels else 1,
            )
            for operand, shape in operands
        ]
        emitter.vector(name, (at, *sources), out.channels)
        emit_epilogue(emitter, epilogue, at, out.channels)


def _pixel_axes(shapes: Sequence[Shape], out: Shape) -> list[tuple[int, int]]:
    """(size, last axis) of the loops over the pixels of a row; neighbours that all operands have, or lack, are one.

    Axes of size 1 are none: as the last of several they would say that nobody advances.
    """
    kinds = [[shape[axis] == out[axis] for shape in shapes] for axis in range(len(out))]
    loops: list[tuple[int, int]] = []
    for axis in (axis for axis in range(1, len(out) - 1) if out[axis] > 1):
        if loops and kinds[axis] == kinds[loops[-1][1]]:
            loops[-1] = loops[-1][0] * out[axis], axis
        else:
            loops.append((out[axis], axis))
    return loops


def _steps(loops: Sequence[tuple[int, int]], shape: Shape, strip: Strip) -> list[tuple[int, int]]:
    """Bytes by which an operand advances in the loops: axes of size 1 stand still."""
    return [(loop, strip.word * prod(shape[axis + 1 :]) if shape[axis] > 1 else 0) for loop, axis in loops]
