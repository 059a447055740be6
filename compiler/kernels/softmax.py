"""Kernel `softmax`: over the channels of every pixel, shifted by the maximum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from compiler.dialects.kernel import Shape
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import blocks
from compiler.kernels.axis_cut import AxisCut, same_places
from compiler.kernels.kernel import Kernel
from compiler.kernels.shapes import verify_same


@irdl_op_definition
class SoftmaxOp(Kernel):
    """Softmax over the channels of every pixel of a tile that holds all channels."""

    name = "kernel.softmax"
    IN_PLACE: ClassVar[bool] = True

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """The output has the shape of the input."""
        verify_same(inputs, outputs, 1)

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """The maximum, then the sum, of one pixel."""
        return [(1, 1, 1)]

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut:
        """The same places of the input."""
        return same_places(self.input_shapes, axis, low, high)

    def emit(self, emitter: Emitter) -> None:
        """Five vector instructions per pixel."""
        (source,), (out,) = emitter.operands(self)
        scalar, n = emitter.strip(self.scratch[0]), out.channels
        for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
            with emitter.pixels(size, out.width) as (y, x):
                src = source.at((y, source.row), (x, source.pixel), row=row)
                dst = out.at((y, out.row), (x, out.pixel), row=row)
                emitter.vector("vrmax", (scalar.at(), src), n)
                emitter.vector("vvsub", (dst, src, scalar.at(stride=0)), n)
                emitter.vector("vexp", (dst, dst), n)
                emitter.vector("vsum", (scalar.at(), dst), n)
                emitter.vector("vvdiv", (dst, dst, scalar.at(stride=0)), n)
                emit_epilogue(emitter, self.activations, dst, n)
