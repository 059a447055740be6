"""Kernel `activation`: a copy with activations applied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from compiler.dialects.kernel import Shape
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import blocks
from compiler.kernels.axis_cut import AxisCut, same_channels, same_places
from compiler.kernels.kernel import Kernel
from compiler.kernels.shapes import verify_same


@irdl_op_definition
class ActivationOp(Kernel):
    """A copy of the input with the epilogue applied."""

    name = "kernel.activation"
    IN_PLACE: ClassVar[bool] = True

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """The output has the shape of the input."""
        verify_same(inputs, outputs, 1)

    def cut_channels(self, low: int, high: int) -> AxisCut:
        """The same channels of the input."""
        return same_channels(self.input_shapes, low, high)

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut:
        """The same places of the input."""
        return same_places(self.input_shapes, axis, low, high)

    def emit(self, emitter: Emitter) -> None:
        """A copy, unless it works in place, and the activations."""
        (source,), (out,) = emitter.operands(self)
        for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
            if source.address != out.address:
                emitter.copy(out.at(row=row), source.at(row=row), size * out.row)
            emit_epilogue(emitter, self.activations, out.at(row=row), size * out.width * out.channels)
