"""Kernel `vadd`: two partial sums added, then bias and activation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.kernel import Shape
from compiler.dialects.parts import RangesAttr
from compiler.dialects.verifying import verify_channels
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import blocks
from compiler.kernels.kernel import Kernel
from compiler.kernels.product_types import SUMS
from compiler.kernels.shapes import verify_array, verify_same
from emu.isa.dtypes import DType


@irdl_op_definition
class VAddOp(Kernel):
    """Sum of two partial sums, plus the bias of the filters in `channels`."""

    name = "kernel.vadd"
    DTYPES: ClassVar[frozenset[DType]] = SUMS
    IN_PLACE: ClassVar[bool] = True
    channels = prop_def(RangesAttr)
    bias = opt_prop_def(StringAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Three tiles of one shape, as wide as the channels."""
        verify_same(inputs, outputs, 2)
        verify_channels(self.channels, self.outputs)

    def verify_arrays(self, weights: WeightStore) -> None:
        """A bias for all filters."""
        if self.bias is not None:
            verify_array("a bias", weights.get(self.bias.data), (self.channels.whole[1],), kinds=(self.dtype,))

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The bias [1][1][channel]."""
        if self.bias is None:
            return []
        low, high = self.channels.whole
        return [weights.get(self.bias.data)[None, None, low:high]]

    def emit(self, emitter: Emitter) -> None:
        """One addition per contiguous block, the bias pixel by pixel."""
        (left, right), (out,) = emitter.operands(self)
        for row, size in blocks(out.height, [(strip, 0, 1) for strip in (left, right, out)]):
            elements = size * out.width * out.channels
            emitter.vector("vvadd", (out.at(row=row), left.at(row=row), right.at(row=row)), elements)
            for bias in emitter.strips(self.constants):
                with emitter.pixels(size, out.width) as (y, x):
                    at = out.at((y, out.row), (x, out.pixel), row=row)
                    emitter.vector("vvadd", (at, at, bias.at()), out.channels)
            emit_epilogue(emitter, self.activations, out.at(row=row), elements)
