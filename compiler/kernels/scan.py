"""Kernel `scan`: sums along one axis, each of the one before it: a loop of additions, as long as the axis."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.kernel import Shape
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.kernels.axis_cut import AxisCut, same_channels
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap, all_rows
from compiler.kernels.shapes import verify_same
from emu.isa.dtypes import NUMBERS, DType


@irdl_op_definition
class ScanOp(Kernel):
    """The sums along `axis` (in the order of memory) up to each element.

    `exclusive`: without the element itself; `reverse`: from the last one on.
    """

    name = "kernel.scan"
    AT_ONCE: ClassVar[bool] = True
    DTYPES: ClassVar[frozenset[DType]] = NUMBERS
    axis = prop_def(IntegerAttr[IntegerType])
    exclusive = prop_def(IntegerAttr[IntegerType])
    reverse = prop_def(IntegerAttr[IntegerType])

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """The output has the shape of the input, and the axis."""
        verify_same(inputs, outputs, 1)
        if not 0 <= self.axis.value.data < len(outputs[0]):
            raise VerifyException(f"axis must be one of the {len(outputs[0])} of {list(outputs[0])}")

    def row_maps(self) -> list[RowMap]:
        """Every row needs all rows: the last sums are made of all of them."""
        return all_rows(self.input_shapes)

    def cut_channels(self, low: int, high: int) -> AxisCut | None:
        """The same channels, unless the sums are along them."""
        along = self.axis.value.data == len(self.output_shapes[0]) - 1
        return None if along else same_channels(self.input_shapes, low, high)

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The zero that sums without their element begin with."""
        return [np.zeros((1, 1, 1), self.dtype.numpy)] if self.exclusive.value.data else []

    def emit(self, emitter: Emitter) -> None:
        """The first sums, then each of the one before it: vectors of the elements beside or around the axis."""
        (source,), (out,) = emitter.operands(self)
        zero, shape, axis = emitter.strips(self.constants), self.output_shapes[0], self.axis.value.data
        count, inner, outer = shape[axis], prod(shape[axis + 1 :]), prod(shape[:axis])
        step = inner * out.word
        along = (inner, 1), (outer, count * inner)  # elements and stride of what may be the vector
        (length, stride), (turns, apart) = along if inner >= outer else along[::-1]
        first, forward = ((count - 1) * step, -step) if self.reverse.value.data else (0, step)
        with ExitStack() as stack:
            turn = stack.enter_context(emitter.section.loop(turns)) if turns > 1 else -1
            around = (turn, apart * out.word)
            start = zero[0].at(stride=0) if zero else source.at(around, offset=first, stride=stride)
            emitter.vector("vmv", (out.at(around, offset=first, stride=stride), start), length)
            if count > 1:
                at = stack.enter_context(emitter.section.loop(count - 1))
                steps = around, (at, forward)
                added = source.at(*steps, offset=first + (0 if zero else forward), stride=stride)
                known = out.at(*steps, offset=first, stride=stride)
                emitter.vector("vvadd", (out.at(*steps, offset=first + forward, stride=stride), known, added), length)
        emit_epilogue(emitter, self.activations, out.at(), out.elements)
