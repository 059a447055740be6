"""Kernel `lrn`: x / (bias + alpha / size * sum of squares over neighbouring channels)^beta, pixel by pixel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.axis_cut import AxisCut, same_channels, same_places
from compiler.kernels.kernel import Kernel
from compiler.kernels.shapes import verify_counts


@irdl_op_definition
class LRNOp(Kernel):
    """Local response normalisation across channels; the output begins `halo` channels into the input."""

    name = "kernel.lrn"
    size = prop_def(IntegerAttr)
    alpha = prop_def(FloatAttr)
    beta = prop_def(FloatAttr)
    bias = prop_def(FloatAttr)
    halo = prop_def(IntegerAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """The output is the input without some channels at both ends."""
        verify_counts(inputs, outputs, of=1)
        halo = self.halo.value.data
        if inputs[0][:-1] != outputs[0][:-1] or not 0 <= halo <= inputs[0][-1] - outputs[0][-1]:
            raise VerifyException(
                f"gives {outputs[0][-1]} channels from channel {halo} on, which a tile {list(inputs[0])} must have"
            )
        if self.size.value.data < 1:
            raise VerifyException(f"size must be positive, not {self.size.value.data}")

    def cut_channels(self, low: int, high: int) -> AxisCut:
        """The neighbouring channels that the windows need, too."""
        size, channels = self.size.value.data, self.input_shapes[0][-1]
        before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
        first = max(0, low - before)
        boxes = same_channels(self.input_shapes, first, min(channels, high + after)).boxes
        return AxisCut(boxes, {"halo": attr.integer(low - first)})

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """The squares and sums of one pixel."""
        return [(1, 1, self.input_shapes[0][-1]), (1, 1, self.output_shapes[0][-1])]

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut:
        """The same places of the input."""
        return same_places(self.input_shapes, axis, low, high)

    def emit(self, emitter: Emitter) -> None:
        """Squares, their sums over windows of channels, and the quotient, pixel by pixel."""
        (source,), (out,) = emitter.operands(self)
        for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
            _emit_rows(emitter, self, source, out, row, size)


def _emit_rows(emitter: Emitter, op: LRNOp, source: Strip, out: Strip, row: int, size: int) -> None:
    squares, sums = emitter.strips(op.scratch)
    halo, n = op.halo.value.data, out.channels
    with emitter.pixels(size, out.width) as (y, x):
        src = source.at((y, source.row), (x, source.pixel), row=row)
        centre = source.at((y, source.row), (x, source.pixel), row=row, offset=halo * source.word)
        dst = out.at((y, out.row), (x, out.pixel), row=row)
        emitter.vector("vvmul", (squares.at(), src, src), source.channels)
        emitter.fill(sums.at(), 0, n * sums.word)
        _window_sums(emitter, op, squares, sums, halo)
        emitter.immediate("vsmul", (sums.at(), sums.at()), n, op.alpha.value.data / op.size.value.data)
        emitter.immediate("vsadd", (sums.at(), sums.at()), n, op.bias.value.data)
        emitter.immediate("vspow", (sums.at(), sums.at()), n, op.beta.value.data)
        emitter.vector("vvdiv", (dst, centre, sums.at()), n)
        emit_epilogue(emitter, op.activations, dst, n)


def _window_sums(emitter: Emitter, op: LRNOp, squares: Strip, sums: Strip, halo: int) -> None:
    """Add each neighbour's squares to the channels that have that neighbour."""
    size = op.size.value.data
    before, most = (size - 1) // 2, squares.channels
    for shift in range(max(-before, -most), min(size - before, most)):  # further off there are no neighbours
        low = max(0, -(halo + shift))
        high = min(sums.channels, squares.channels - halo - shift)
        if low < high:
            at = sums.at(offset=low * sums.word)
            emitter.vector("vvadd", (at, at, squares.at(offset=(low + halo + shift) * squares.word)), high - low)
