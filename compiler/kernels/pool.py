"""Kernel `pool`: maximum or mean over windows, one strided pass per kernel position; padding is never read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.names import POOLED, POOLS
from compiler.dialects.verifying import verify_name
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.axis_cut import AxisCut, part_of, same_channels
from compiler.kernels.counts import WindowCounts, count_windows
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap, window_rows
from compiler.kernels.shapes import verify_axes, verify_counts
from compiler.kernels.windows import Steps, axis_steps, extents, sweep
from emu.isa.dtypes import DType

_FEW = 64  # kernel positions, for each of which the instructions of a maximum may stand; more are a loop


@irdl_op_definition
class PoolOp(Kernel):
    """Maximum or mean over windows; `kind` is "max" or "average"; pads stand before every axis, then after every.

    A last window may begin inside of the image and end beyond its padding: the rounding up of ONNX's `ceil_mode`.
    """

    name = "kernel.pool"
    DTYPES: ClassVar[frozenset[DType]] = POOLED
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
        verify_axes(inputs, outputs)
        if self.kind.data != "max" and self.dtype != DType.f32:
            raise VerifyException(f"computes a mean in f32 only, not in {self.dtype.name}")
        *sizes, channels = inputs[0]
        if channels != outputs[0][-1]:
            raise VerifyException(f"gives the {channels} channels of its input, not {outputs[0][-1]}")
        pads, names = attr.values(self.pads), {0: "rows", len(sizes) - 1: "columns"}
        axes = zip(sizes, outputs[0], attr.values(self.strides), strict=False)
        for axis, (size, places, stride) in enumerate(axes):
            if (places - 1) * stride >= size + pads[axis] + pads[axis + len(sizes)]:
                name = names.get(axis, f"places along axis {axis}")
                raise VerifyException(f"has no windows for {places} {name}: the last is beyond the image")

    def cut_channels(self, low: int, high: int) -> AxisCut:
        """The same channels of the input."""
        return same_channels(self.input_shapes, low, high)

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut | None:
        """What the windows reach of the image and of the padding beside it; None if one of them is beyond both."""
        (shape,), pads, axes = self.input_shapes, list(attr.values(self.pads)), len(self.input_shapes[0]) - 1
        stride, before, after = attr.values(self.strides)[axis], pads[axis], pads[axes + axis]
        first, last = low * stride - before, (high - 1) * stride - before + extents(self)[axis]
        begin, end = max(0, first), min(shape[axis], last)
        if begin >= end:
            return None
        pads[axis], pads[axes + axis] = begin - first, min(after, max(0, last - end))
        box = part_of(shape, axis, begin, end)
        part = tuple(high - low for low, high in box[:-1])
        if self.kind.data != "max" and self._covers(part, pads) != self._covers(shape[:-1], attr.values(self.pads)):
            return None  # it would be summed in another order
        return AxisCut([box], {"pads": attr.ints(pads)})

    def _covers(self, sizes: Shape, pads: Sequence[int]) -> bool:
        """Whether windows are as large as an image of `sizes`: a mean is one instruction then."""
        return _covered(self, sizes, pads) is not None

    def row_maps(self) -> list[RowMap]:
        """The rows of the windows."""
        kernel, strides, dilations = attr.values(self.kernel), attr.values(self.strides), attr.values(self.dilations)
        return window_rows(self.input_shapes, kernel[0], strides[0], dilations[0], attr.values(self.pads)[0])

    def variant(self, first: int, count: int) -> tuple[int, ...]:
        """The row counts of the output rows that a mean divides by."""
        if self.kind.data == "max":
            return ()
        return tuple(self.counts().rows[first : first + count].tolist())

    def counts(self) -> WindowCounts:
        """Elements per window of the whole image."""
        (source,), (out,) = self.input_shapes, self.output_shapes
        include = bool(self.count_include_pad.value.data)
        return count_windows(
            attr.values(self.kernel),
            attr.values(self.strides),
            attr.values(self.dilations),
            attr.values(self.pads),
            include,
            source[:-1],
            out[:-1],
        )

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """What no element is below, or the counts by which a mean divides where they differ."""
        if self.kind.data == "max":
            kind = self.dtype.numpy
            return [np.full((1, 1, 1), -np.inf if self.dtype.is_float else np.iinfo(kind).min, kind)]
        counts = self.counts()
        if counts.uniform is not None:
            return []
        distinct = np.unique(counts.rows)
        few = len(distinct) == 1 or (streamed and len(distinct) < len(counts.rows))
        return [counts.table(distinct if few else counts.rows)]

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
    covered = _covered(op, op.input_shapes[0][:-1], attr.values(op.pads))
    if covered is not None:
        _whole_windows(emitter, op, covered, source, out)
    else:
        _start(emitter, op, out)
        _accumulate(emitter, op, source, out)
        if op.kind.data == "average":
            _divide(emitter, op, out)
    for row, size in out.blocks():
        emit_epilogue(emitter, op.activations, out.at(row=row), size * out.width * out.channels)


def _covered(op: PoolOp, sizes: Shape, pads: Sequence[int]) -> int | None:
    """The axis from which on a window is all of the tile, and before which it is one pixel; None if there is none."""
    kernel, strides = attr.values(op.kernel), attr.values(op.strides)
    if any(pads) or (op.kind.data == "max" and prod(kernel) <= _FEW):
        return None
    for axis in range(len(sizes)):
        if kernel == (*(1,) * axis, *sizes[axis:]) and set(strides[:axis]) <= {1}:
            return axis
    return None


def _whole_windows(emitter: Emitter, op: PoolOp, axis: int, source: Strip, out: Strip) -> None:
    """Windows over all of the axes from `axis` on: a mean is one instruction per channel, a maximum one per pixel."""
    shape, made = op.input_shapes[0], op.output_shapes[0]
    if not axis:
        _whole_window(emitter, op, prod(shape[:-1]), (source, ()), (out, ()), 0)
        return
    moves = axis_steps(shape, source.word), axis_steps(made, out.word)
    for row, size in blocks(out.height, [(source, 0, 1), (out, 0, 1)]):
        with sweep(emitter, size, made[1:-1], *moves) as (read, written):
            _whole_window(emitter, op, prod(shape[axis:-1]), (source, read), (out, written), row)


def _whole_window(
    emitter: Emitter, op: PoolOp, pixels: int, source: tuple[Strip, Steps], out: tuple[Strip, Steps], row: int
) -> None:
    """One window of `pixels` that follow each other, in rows from `row` on of strips with steps."""
    (tile, read), (made, written) = source, out
    if op.kind.data == "average":
        with emitter.section.loop(made.channels) as c:
            strided = tile.at(*read, (c, tile.word), row=row, stride=tile.channels)
            emitter.vector("vavg", (made.at(*written, (c, made.word), row=row), strided), pixels)
        return
    at, lowest = made.at(*written, row=row), emitter.strip(op.constants[0])
    emitter.vector("vmv", (at, lowest.at(stride=0)), made.channels)
    with emitter.section.loop(pixels) as p:
        emitter.vector("vvmax", (at, at, tile.at(*read, (p, tile.pixel), row=row)), made.channels)


def _start(emitter: Emitter, op: PoolOp, out: Strip) -> None:
    """What no element is below, or zero."""
    for row, size in out.blocks():
        elements = size * out.width * out.channels
        if op.kind.data == "max":
            lowest = emitter.strip(op.constants[0])
            emitter.vector("vmv", (out.at(row=row), lowest.at(stride=0)), elements)
        else:
            emitter.fill(out.at(row=row), 0, elements * out.word)


def _accumulate(emitter: Emitter, op: PoolOp, source: Strip, out: Strip) -> None:
    """One pass over the outputs per kernel position, where its tap lies inside the image."""
    strides, shape, made = attr.values(op.strides), op.input_shapes[0], op.output_shapes[0]
    name = "vvmax" if op.kind.data == "max" else "vvadd"
    pixels, windows = axis_steps(made, out.word), axis_steps(shape, source.word, strides)
    for (below, top, bottom), *inner in product(*_axis_taps(op, source, out)):
        first = top * strides[0] + below
        written = sum(low * step for (_, low, _), step in zip(inner, pixels[1:], strict=True))
        read = sum(
            low * window + tap * (window // stride)
            for (tap, low, _), window, stride in zip(inner, windows[1:], strides[1:], strict=True)
        )
        sizes = [high - low for _, low, high in inner]
        for row, size in blocks(bottom - top, [(out, top, 1), (source, first, strides[0])]):
            with sweep(emitter, size, sizes, pixels, windows) as (to, of):
                at = out.at(*to, row=top + row, offset=written)
                tap = source.at(*of, row=first + row * strides[0], offset=read)
                emitter.vector(name, (at, at, tap), out.channels)


def _axis_taps(op: PoolOp, source: Strip, out: Strip) -> list[list[tuple[int, int, int]]]:
    """The taps along each axis; along the first, of the rows of the strips."""
    strides, pads = attr.values(op.strides), attr.values(op.pads)
    made, sizes = (out.height, *op.output_shapes[0][1:-1]), (source.height, *op.input_shapes[0][1:-1])
    first = out.rows.first * strides[0] - source.rows.first  # of the windows in the strip
    shifts = [first - pads[0], *(-pad for pad in pads[1 : len(sizes)])]
    axes = zip(attr.values(op.kernel), attr.values(op.dilations), shifts, made, sizes, strides, strict=True)
    return [_taps(kernel, dilation, shift, (to, of, stride)) for kernel, dilation, shift, to, of, stride in axes]


def _taps(kernel: int, dilation: int, shift: int, axis: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Offset of each tap along an axis, and its outputs [low, high), where there are any inside of the image."""
    offsets = (tap * dilation + shift for tap in range(kernel))
    return [(offset, low, high) for offset in offsets for low, high in (valid_range(*axis, offset),) if low < high]


def _divide(emitter: Emitter, op: PoolOp, out: Strip) -> None:
    counts, made = op.counts(), op.output_shapes[0]
    if counts.uniform is not None:
        for row, size in out.blocks():
            at = out.at(row=row)
            emitter.immediate("vsdiv", (at, at), size * out.width * out.channels, counts.uniform)
        return
    table, pixels = emitter.strip(op.constants[0]), axis_steps(made, out.word)
    _, *inner = axis_steps(attr.shape_of(op.constants[0]), table.word)
    for row, size, count_row, step in _count_rows(counts, table, out):
        with sweep(emitter, size, made[1:-1], pixels, (step * table.row, *inner)) as (to, of):
            at = out.at(*to, row=row)
            emitter.vector("vvdiv", (at, at, table.at(*of, row=count_row, stride=0)), out.channels)


def _count_rows(counts: WindowCounts, table: Strip, out: Strip) -> Iterator[tuple[int, int, int, int]]:
    """(first row, rows, row of the table, its step per row): the table holds all rows, or each row count once."""
    if table.height in (1, out.rows.total):
        step = int(table.height > 1)
        for row, size in out.blocks():
            yield row, size, (out.rows.first + row) * step, step
        return
    distinct = np.unique(counts.rows).tolist()
    own = counts.rows[out.rows.first : out.rows.first + out.height].tolist()
    for row, size in out.blocks():
        for at in range(row, row + size):
            yield at, 1, distinct.index(own[at]), 0
