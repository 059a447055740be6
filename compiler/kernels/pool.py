"""Kernel `pool`: maximum or mean over windows, one strided pass per kernel position; padding is never read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.names import POOLS
from compiler.dialects.verifying import verify_name
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.counts import Counts, count_windows
from compiler.kernels.kernel import ChannelCut, Kernel
from compiler.kernels.row_map import RowMap, window_rows
from compiler.kernels.shapes import verify_counts, verify_images


@irdl_op_definition
class PoolOp(Kernel):
    """Maximum or mean over windows; `kind` is "max" or "average"; pads are (top, left, bottom, right).

    A last window may begin inside of the image and end beyond its padding: the rounding up of ONNX's `ceil_mode`.
    """

    name = "kernel.pool"
    kind = prop_def(StringAttr)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    dilations = prop_def(DenseArrayBase)
    pads = prop_def(DenseArrayBase)
    count_include_pad = prop_def(IntegerAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """A kind that exists; the channels of the input; windows that begin in the padded image."""
        verify_name("kind", self.kind, POOLS)
        verify_counts(inputs, outputs, of=1)
        verify_images(inputs, outputs)
        if inputs[0][2] != outputs[0][2]:
            raise VerifyException(f"gives the {inputs[0][2]} channels of its input, not {outputs[0][2]}")
        strides, pads = attr.values(self.strides), attr.values(self.pads)
        for axis, name in enumerate(("rows", "columns")):
            begin = (outputs[0][axis] - 1) * strides[axis]
            if begin >= inputs[0][axis] + pads[axis] + pads[axis + 2]:
                raise VerifyException(f"has no windows for {outputs[0][axis]} {name}: the last is beyond the image")

    def cut_channels(self, low: int, high: int) -> ChannelCut:
        """The same channels of the input."""
        return [(low, high)], {}

    def row_maps(self) -> list[RowMap]:
        """The rows of the windows."""
        kernel, strides, dilations = attr.values(self.kernel), attr.values(self.strides), attr.values(self.dilations)
        return window_rows(self.input_shapes, kernel[0], strides[0], dilations[0], attr.values(self.pads)[0])

    def variant(self, first: int, count: int) -> tuple[int, ...]:
        """The row counts of the output rows that a mean divides by."""
        if self.kind.data == "max":
            return ()
        return tuple(self.counts().rows[first : first + count].tolist())

    def counts(self) -> Counts:
        """Elements per window of the whole image."""
        (source,), (out,) = self.input_shapes, self.output_shapes
        include = bool(self.count_include_pad.value.data)
        return count_windows(
            attr.values(self.kernel),
            attr.values(self.strides),
            attr.values(self.dilations),
            attr.values(self.pads),
            include,
            (source[0], source[1]),
            (out[0], out[1]),
        )

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """What no element is below, or the counts by which a mean divides where they differ."""
        if self.kind.data == "max":
            return [np.full((1, 1, 1), -np.inf, np.float32)]
        counts = self.counts()
        if counts.uniform is not None:
            return []
        distinct = np.unique(counts.rows)
        return [counts.table(distinct if streamed and len(distinct) < len(counts.rows) else counts.rows)]

    def emit(self, emitter: Emitter) -> None:
        """Start values, one pass per kernel position, division, activations."""
        _emit(emitter, self)


def valid_range(out: int, size: int, stride: int, shift: int) -> tuple[int, int]:
    """Outputs [low, high) whose source `output * stride + shift` lies inside [0, size)."""
    low = max(0, -(shift // stride)) if shift < 0 else 0
    high = min(out, (size - 1 - shift) // stride + 1)
    return low, max(low, high)


def _emit(emitter: Emitter, op: PoolOp) -> None:
    (source,), (out,) = emitter.operands(op)
    epilogue = op.activations
    if _whole_image(op, source):
        with emitter.section.loop(out.channels) as c:
            strided = source.at((c, source.word), stride=source.channels)
            emitter.vector("vavg", (out.at((c, out.word)), strided), source.height * source.width)
        emit_epilogue(emitter, epilogue, out.at(), out.elements)
        return
    for row, size in out.blocks():
        elements = size * out.width * out.channels
        if op.kind.data == "max":
            lowest = emitter.strip(op.constants[0])
            emitter.vector("vmv", (out.at(row=row), lowest.at(stride=0)), elements)
        else:
            emitter.fill(out.at(row=row), 0, elements * out.word)
    _accumulate(emitter, op, source, out)
    if op.kind.data == "average":
        _divide(emitter, op, source, out)
    for row, size in out.blocks():
        emit_epilogue(emitter, epilogue, out.at(row=row), size * out.width * out.channels)


def _whole_image(op: PoolOp, source: Strip) -> bool:
    """One window over the image without padding: a mean that one instruction per channel computes."""
    image = (source.rows.total, source.width)
    return op.kind.data == "average" and attr.values(op.kernel) == image and not any(attr.values(op.pads))


def _accumulate(emitter: Emitter, op: PoolOp, source: Strip, out: Strip) -> None:
    """One pass over the outputs per kernel position, where its tap lies inside the image."""
    kernel, strides = attr.values(op.kernel), attr.values(op.strides)
    dilations, pads = attr.values(op.dilations), attr.values(op.pads)
    name = "vvmax" if op.kind.data == "max" else "vvadd"
    shift = out.rows.first * strides[0] - source.rows.first - pads[0]  # of the first window in the strip
    columns = _taps(kernel[1], dilations[1], -pads[1], (out.width, source.width, strides[1]))
    for dy, top, bottom in _taps(kernel[0], dilations[0], shift, (out.height, source.height, strides[0])):
        for dx, left, right in columns:
            first = top * strides[0] + dy
            for row, size in blocks(bottom - top, [(out, top, 1), (source, first, strides[0])]):
                with emitter.pixels(size, right - left) as (y, x):
                    at = out.at((y, out.row), (x, out.pixel), row=top + row, offset=left * out.pixel)
                    tap = source.at(
                        (y, strides[0] * source.row),
                        (x, strides[1] * source.pixel),
                        row=first + row * strides[0],
                        offset=(left * strides[1] + dx) * source.pixel,
                    )
                    emitter.vector(name, (at, at, tap), out.channels)


def _taps(kernel: int, dilation: int, shift: int, axis: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Offset of each tap along an axis, and its outputs [low, high), where there are any inside of the image."""
    offsets = (tap * dilation + shift for tap in range(kernel))
    return [(offset, low, high) for offset in offsets for low, high in (valid_range(*axis, offset),) if low < high]


def _divide(emitter: Emitter, op: PoolOp, source: Strip, out: Strip) -> None:
    counts = op.counts()
    if counts.uniform is not None:
        for row, size in out.blocks():
            at = out.at(row=row)
            emitter.immediate("vsdiv", (at, at), size * out.width * out.channels, counts.uniform)
        return
    table = emitter.strip(op.constants[0])
    for row, size, count_row, step in _count_rows(counts, table, out):
        with emitter.pixels(size, out.width) as (y, x):
            at = out.at((y, out.row), (x, out.pixel), row=row)
            count = table.at((y, step * table.row), (x, table.pixel), row=count_row, stride=0)
            emitter.vector("vvdiv", (at, at, count), out.channels)


def _count_rows(counts: Counts, table: Strip, out: Strip) -> Iterator[tuple[int, int, int, int]]:
    """(first row, rows, row of the table, its step per row): the table holds all rows, or each row count once."""
    if table.height == out.rows.total:
        for row, size in out.blocks():
            yield row, size, out.rows.first + row, 1
        return
    distinct = np.unique(counts.rows).tolist()
    own = counts.rows[out.rows.first : out.rows.first + out.height].tolist()
    for row, size in out.blocks():
        for at in range(row, row + size):
            yield at, 1, distinct.index(own[at]), 0
