"""Kernel `apply_filters`: gather the window of a pixel, multiply on array groups, add the bias, activate."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.origin import ElementOrigin
from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.parts import RangesAttr, RowTilesAttr
from compiler.dialects.verifying import verify_channels
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, Tap, blocks
from compiler.kernels.axis_cut import AxisCut, window_places
from compiler.kernels.product_types import ProductKernel
from compiler.kernels.row_map import RowMap, window_rows
from compiler.kernels.row_range import RowRange, gathered_ranges, row_range
from compiler.kernels.row_slices import lower_tiles, runs, verify_slices
from compiler.kernels.shapes import verify_array, verify_counts, verify_windows
from compiler.kernels.windows import Steps, axis_steps, extents, run_pieces, sweep, window_taps
from emu.image.cells import Cells, Indices
from emu.isa.address import Address


@irdl_op_definition
class ApplyFiltersOp(ProductKernel):
    """Filters slid over whole padded tiles: one operation, however large the image is.

    Input i is the padded channel tile that begins at channel `origins[i]` of the convolution's input. `tiles` are
    row tiles: ranges of an input's rows in (..., kernel y, kernel x, channel)
    order. `channels` holds one half-open range of filters per output. `weights` is a key of the weight store:
    [filter][channel][...][kernel y][kernel x]. An axis over which nothing slides, as a batch, has a kernel of 1.

    `slices`, if given, cut the row tiles into runs of so many, each of one input: a slice is gathered and multiplied by
    itself, so that its crossbars begin as soon as it is there. Without it, neighbours are multiplied together.
    """

    name = "kernel.apply_filters"
    weights = prop_def(StringAttr)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    dilations = prop_def(DenseArrayBase)
    origins = prop_def(DenseArrayBase)
    tiles = prop_def(RowTilesAttr)
    channels = prop_def(RangesAttr)
    slices = opt_prop_def(DenseArrayBase)
    bias = opt_prop_def(StringAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """An origin per input, ranges of filters that fill the outputs, row tiles of inputs that there are."""
        verify_counts(inputs, outputs, to=len(self.channels))
        verify_channels(self.channels, self.outputs)
        verify_windows(inputs, outputs, extents(self), attr.values(self.strides))
        if len(self.origins) != len(inputs) or min(attr.values(self.origins)) < 0:
            raise VerifyException(f"origins must hold {len(inputs)} numbers from 0 on, one per input")
        tiles = self.tiles.data
        if any(not 0 <= index < len(inputs) for index, _, _ in tiles):
            raise VerifyException(f"tiles must be of inputs below {len(inputs)}")
        if any(start >= stop for _, start, stop in tiles):
            raise VerifyException("tiles must hold ranges of rows that are not empty")
        for index, shape in enumerate(inputs):
            _verify_tiles(index, shape[-1] * prod(attr.values(self.kernel)), self.row_tiles(index))
        if self.slices is not None:
            verify_slices(tiles, attr.values(self.slices))

    def verify_arrays(self, weights: WeightStore) -> None:
        """Filters and channels for all ranges; a bias for all filters."""
        filters = max(high for _, high in self.channels.data)
        ends = [at + shape[-1] for at, shape in zip(attr.values(self.origins), self.input_shapes, strict=True)]
        self.verify_weights(weights, self.weights.data, (filters, max(ends)), attr.values(self.kernel))
        if self.bias is not None:
            verify_array("a bias", weights.get(self.bias.data), (filters,), kinds=(self.dtype,))

    def row_tiles(self, index: int) -> list[tuple[int, int]]:
        """The row tiles (start, stop) of one input."""
        return [(start, stop) for of, start, stop in self.tiles.data if of == index]

    @property
    def crossbars(self) -> int:
        """Row tiles times column tiles."""
        return len(self.tiles) * len(self.channels)

    @property
    def largest_group(self) -> tuple[int, int]:
        """All row tiles of the widest column tile."""
        rows = sum(stop - start for index in range(len(self.inputs)) for start, stop in self.row_tiles(index))
        return rows, max(high - low for low, high in self.channels.data)

    @property
    def tallest(self) -> int:
        """As in Kernel."""
        return max(stop - start for _, start, stop in self.tiles.data)

    def spread(self, height: int) -> dict[str, Attribute]:
        """As in Kernel; a slice stays one."""
        return lower_tiles(self.tiles.data, attr.values(self.slices), height)

    def row_ranges(self) -> list[RowRange]:
        """The row ranges of the inputs, or the slices of them, in the order in which their partial sums are added."""
        window, shapes = (attr.values(self.kernel), attr.values(self.dilations)), self.input_shapes
        parts = [(index, self.row_tiles(index)) for index in range(len(shapes))]
        if self.slices is not None:
            parts = runs(self.tiles.data, attr.values(self.slices))
        return [row_range(index, shapes[index], self.factor.size, window, tiles) for index, tiles in parts]

    def products(self) -> list[list[RowRange]]:
        """What each `mvmul` multiplies."""
        found = self.row_ranges()
        return gathered_ranges(found) if self.slices is None else [[part] for part in found]

    def row_maps(self) -> list[RowMap]:
        """The rows of the windows."""
        kernel, strides, dilations = attr.values(self.kernel), attr.values(self.strides), attr.values(self.dilations)
        return window_rows(self.input_shapes, kernel[0], strides[0], dilations[0])

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut:
        """The places of the windows."""
        return window_places(self, self.input_shapes, axis, low, high)

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """One gathered row of crossbar inputs."""
        ranges = self.row_ranges()
        gathered = sum(part.stop - part.start for part in ranges if not part.direct or (streamed and part.tall))
        return [(1, 1, gathered)] if gathered else []

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The biases [1][1][filter] of each output."""
        if self.bias is None:
            return []
        bias = weights.get(self.bias.data)
        return [bias[None, None, low:high] for low, high in self.channels.data]

    def declare(self, emitter: Emitter) -> None:
        """A group per segment of the rows and column tile."""
        self._groups(emitter)

    def _groups(self, emitter: Emitter) -> list[list[int]]:
        parts, columns = self.products(), self.channels.data
        return [[_group(emitter, self, part, column) for column in columns] for part in parts]

    def emit(self, emitter: Emitter) -> None:
        """Pixel by pixel: the window, the products of every array group, bias and activations."""
        inputs, outputs = emitter.operands(self)
        window, stride, dilation = (attr.values(part) for part in (self.kernel, self.strides, self.dilations))
        parts = self.products()
        groups = self._groups(emitter)
        taps: list[Tap] = [(out, 0, 1) for out in outputs]
        taps += [tap for tile in inputs for tap in window_taps(tile, window, stride[0], dilation[0])]
        moves = [axis_steps(shape, self.dtype.size) for shape in self.output_shapes]
        moves += [axis_steps(shape, self.factor.size, stride) for shape in self.input_shapes]
        for row, size in blocks(outputs[0].height, taps):
            with sweep(emitter, size, self.output_shapes[0][1:-1], *moves) as steps:
                targets = [out.at(*step, row=row) for out, step in zip(outputs, steps, strict=False)]
                windows = list(zip(inputs, steps[len(outputs) :], strict=True))
                offset = 0
                for part, group in zip(parts, groups, strict=True):
                    source, nbytes = _window(emitter, self, part, windows, offset, row * stride[0])
                    offset += nbytes
                    flags = () if part is parts[0] else ("acc",)
                    for target, index in zip(targets, group, strict=True):
                        emitter.product(target, source, index, flags)
                _finish(emitter, self, outputs, targets)


def _verify_tiles(index: int, rows: int, tiles: Sequence[tuple[int, int]]) -> None:
    """Raise VerifyException unless the row tiles of an input follow each other within its rows."""
    if not tiles:
        raise VerifyException(f"tiles must have a row tile of input {index}, or it is not needed")
    bounds = [bound for tile in tiles for bound in tile]
    if bounds[0] < 0 or bounds[-1] > rows or bounds[1:-1:2] != bounds[2::2]:
        raise VerifyException(f"tiles of input {index} must follow each other within its {rows} rows, not {bounds}")


def group_weights(filters: Array, columns: tuple[int, int], origin: int, channels: int, start: int, stop: int) -> Array:
    """Rows [start, stop) of channels [origin, origin + channels) x the filters of `columns`: [rows, cols]."""
    part = filters[columns[0] : columns[1], origin : origin + channels].reshape(columns[1] - columns[0], channels, -1)
    first = start // channels  # only the kernel positions in the range are copied
    matrix = part[:, :, first : -(-stop // channels)].transpose(2, 1, 0).reshape(-1, columns[1] - columns[0])
    return np.asarray(matrix[start - first * channels : stop - first * channels], filters.dtype.newbyteorder("<"))


def group_rows(origin: ElementOrigin, first: int, channels: int, start: int, stop: int) -> Indices:
    """The elements of filter 0 in the rows that `group_weights` makes; `origin` is that of the filters."""
    rows = np.add.outer(origin.taps, origin.moves[1][first : first + channels]).reshape(-1)
    return origin.start + rows[start:stop]


def _finish(emitter: Emitter, op: ApplyFiltersOp, outputs: Sequence[Strip], targets: Sequence[Address]) -> None:
    """Add the biases and activate, at a pixel."""
    biases, epilogue = emitter.strips(op.constants), op.activations
    for index, (out, at) in enumerate(zip(outputs, targets, strict=True)):
        if biases:
            emitter.vector("vvadd", (at, at, biases[index].at()), out.channels)
        emit_epilogue(emitter, epilogue, at, out.channels)


def _window(
    emitter: Emitter,
    op: ApplyFiltersOp,
    part: Sequence[RowRange],
    windows: Sequence[tuple[Strip, Steps]],
    offset: int,
    row: int,
) -> tuple[Address, int]:
    """Where a segment's input stands, gathered if need be at `offset` of the scratch row, and the bytes used there.

    `windows` are the inputs and the steps from window to window, the first of which begins at input row `row`.
    """
    sources: list[tuple[Address, int]] = []
    for piece in part:
        tile, steps = windows[piece.input]
        sources += [
            (tile.at(*steps, row=row + below, offset=inside), nbytes)
            for run in piece.runs
            for below, inside, nbytes in run_pieces(tile, run)
        ]
    if part[0].direct and len(sources) == 1:
        return sources[0][0], 0
    gathered = emitter.strip(op.scratch[0])
    at = offset
    for source, nbytes in sources:
        emitter.copy(gathered.at(offset=at), source, nbytes)
        at += nbytes
    return gathered.at(offset=offset), at - offset


def _group(emitter: Emitter, op: ApplyFiltersOp, part: Sequence[RowRange], columns: tuple[int, int]) -> int:
    key, origins = op.weights.data, attr.values(op.origins)
    widths = [op.input_shapes[piece.input][-1] for piece in part]

    def make(filters: Array) -> Array:
        rows = [
            group_weights(filters, columns, origins[piece.input], width, piece.start, piece.stop)
            for piece, width in zip(part, widths, strict=True)
        ]
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def cells(origin: ElementOrigin) -> Cells:
        rows = [
            group_rows(origin, origins[piece.input], width, piece.start, piece.stop)
            for piece, width in zip(part, widths, strict=True)
        ]
        return Cells("", origin.tensor, origin.shape, np.concatenate(rows), origin.moves[0][slice(*columns)])

    heights = [height for piece in part for height in piece.heights]
    return emitter.group(heights, (columns[1] - columns[0],), key, make, cells)
