"""Kernel `apply_blocks`: groups of a grouped convolution, block-diagonal in their crossbar."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.origin import ElementOrigin
from compiler.basis.weights import Array, WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.parts import RangesAttr
from compiler.emission.activations import emit_epilogue
from compiler.emission.emitter import Emitter
from compiler.emission.strip import blocks
from compiler.kernels.axis_cut import AxisCut, window_places
from compiler.kernels.product_types import ProductKernel
from compiler.kernels.row_map import RowMap, window_rows
from compiler.kernels.shapes import verify_array, verify_counts, verify_windows
from compiler.kernels.windows import axis_steps, extents, run_pieces, sweep, window_runs, window_taps
from emu.image.cells import Cells


@irdl_op_definition
class ApplyBlocksOp(ProductKernel):
    """Grouped or depthwise filters: ranges of groups packed block-diagonally, one crossbar each.

    The input is a padded tile that begins at channel `origin`; `blocks` are half-open ranges of groups; the one
    output holds the filters of all blocks in order. `weights` as in `apply_filters`, channels within the group. A block
    has row tiles of `height` rows; without it, one of all.
    """

    name = "kernel.apply_blocks"
    weights = prop_def(StringAttr)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    dilations = prop_def(DenseArrayBase)
    origin = prop_def(IntegerAttr)
    groups = prop_def(IntegerAttr)
    blocks = prop_def(RangesAttr)
    height = opt_prop_def(IntegerAttr)
    bias = opt_prop_def(StringAttr)

    def verify_shapes(self, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
        """Blocks of groups that follow each other, whose channels are those of the input."""
        verify_counts(inputs, outputs, of=1)
        verify_windows(inputs, outputs, extents(self), attr.values(self.strides))
        bounds, text = [bound for block in self.blocks.data for bound in block], self.blocks.text()
        if len(bounds) < 2 or bounds[1:-1:2] != bounds[2::2] or min(np.diff(bounds)[::2]) < 1:
            raise VerifyException(f"blocks must hold ranges of groups that follow each other, not <{text}>")
        if bounds[0] < 0 or bounds[-1] > self.groups.value.data:
            raise VerifyException(f"blocks must be ranges of the {self.groups.value.data} groups, not <{text}>")
        count = bounds[-1] - bounds[0]
        if inputs[0][-1] % count or outputs[0][-1] % count:
            raise VerifyException(f"works on {count} groups of one size, not on {inputs[0][-1]} channels")
        if self.height is not None and self.height.value.data < 1:
            raise VerifyException(f"height must be 1 or more, not {self.height.value.data}")
        if self.origin.value.data != bounds[0] * (inputs[0][-1] // count):
            raise VerifyException(
                f"origin must be {bounds[0] * (inputs[0][-1] // count)}, the first channel of its groups"
            )

    def verify_arrays(self, weights: WeightStore) -> None:
        """As many filters per group as the output has of each, and the channels of a group; a bias for all filters."""
        (first, last), groups = self.blocks.whole, self.groups.value.data
        filters = self.output_shapes[0][-1] // (last - first) * groups
        array = weights.get(self.weights.data)
        self.verify_weights(weights, self.weights.data, (filters,), (_group_channels(self), *attr.values(self.kernel)))
        if len(array) != filters:
            raise VerifyException(f"has weights of {len(array)} filters for {groups} groups that make {filters}")
        if self.bias is not None:
            verify_array("a bias", weights.get(self.bias.data), (filters,), kinds=(self.dtype,))

    @property
    def crossbars(self) -> int:
        """One per row tile of each block."""
        return sum(len(_heights(self, block)) for block in self.blocks.data)

    @property
    def tallest(self) -> int:
        """As in Kernel."""
        return max(_heights(self, block)[0] for block in self.blocks.data)

    def spread(self, height: int) -> dict[str, Attribute]:
        """As in Kernel."""
        return {"height": attr.integer(height)}

    @property
    def largest_group(self) -> tuple[int, int]:
        """The largest block."""
        blocks = self.blocks.data
        most, count = max(high - low for low, high in blocks), blocks[-1][1] - blocks[0][0]
        return max(_rows(self, block) for block in blocks), most * (self.output_shapes[0][-1] // count)

    def declare(self, emitter: Emitter) -> None:
        """A group per block."""
        for block in self.blocks.data:
            _group(emitter, self, block)

    def row_maps(self) -> list[RowMap]:
        """The rows of the windows."""
        kernel, strides, dilations = attr.values(self.kernel), attr.values(self.strides), attr.values(self.dilations)
        return window_rows(self.input_shapes, kernel[0], strides[0], dilations[0])

    def cut_axis(self, axis: int, low: int, high: int) -> AxisCut:
        """The places of the windows."""
        return window_places(self, self.input_shapes, axis, low, high)

    def scratch_shapes(self, streamed: bool) -> list[Shape]:
        """One gathered row of crossbar inputs."""
        return [(1, 1, max(_rows(self, block) for block in self.blocks.data))]

    def constant_data(self, weights: WeightStore, streamed: bool) -> list[Array]:
        """The bias [1][1][filter] of all blocks."""
        if self.bias is None:
            return []
        blocks = self.blocks.data
        per_group = weights.get(self.weights.data).shape[0] // self.groups.value.data
        return [weights.get(self.bias.data)[None, None, blocks[0][0] * per_group : blocks[-1][1] * per_group]]

    def emit(self, emitter: Emitter) -> None:
        """The products block by block, then bias and activations of all filters of a pixel at once."""
        first = 0
        for block in self.blocks.data:
            first += _emit_block(emitter, self, block, first)
        _finish(emitter, self, first)


def _group_channels(op: ApplyBlocksOp) -> int:
    """Channels per group: the tile holds those of all blocks."""
    blocks = op.blocks.data
    return op.input_shapes[0][-1] // (blocks[-1][1] - blocks[0][0])


def _block_channels(op: ApplyBlocksOp, block: tuple[int, int]) -> tuple[int, int]:
    per_group, origin = _group_channels(op), op.origin.value.data
    return block[0] * per_group - origin, block[1] * per_group - origin


def _rows(op: ApplyBlocksOp, block: tuple[int, int]) -> int:
    return (block[1] - block[0]) * _group_channels(op) * prod(attr.values(op.kernel))


def _heights(op: ApplyBlocksOp, block: tuple[int, int]) -> list[int]:
    """Of the row tiles of a block."""
    rows = _rows(op, block)
    height = rows if op.height is None else op.height.value.data
    return [min(height, rows - low) for low in range(0, rows, height)]


def block_weights(filters: Array, groups: int, block: tuple[int, int]) -> Array:
    """The block-diagonal matrix [(..., y, x, channel of the block), filter of the block] of groups [block)."""
    per_group, (_, channels, *kernel) = filters.shape[0] // groups, filters.shape
    size, taps = block[1] - block[0], prod(kernel)
    part = filters[block[0] * per_group : block[1] * per_group].reshape(size, per_group, channels, taps)
    matrix = np.zeros((taps, size, channels, size, per_group), filters.dtype.newbyteorder("<"))
    diagonal = np.arange(size)
    matrix[:, diagonal, :, diagonal, :] = part.transpose(0, 3, 2, 1)
    return matrix.reshape(taps * size * channels, size * per_group)


def block_cells(origin: ElementOrigin, groups: int, block: tuple[int, int]) -> Cells:
    """Where elements stand in what `block_weights` makes; `origin` is that of the filters."""
    filters, channels = origin.moves[0], origin.moves[1]
    per_group, size = len(filters) // groups, block[1] - block[0]
    rows = np.add.outer(np.repeat(origin.taps, size), channels).reshape(-1)
    columns = filters[block[0] * per_group : block[1] * per_group]
    return Cells("", origin.tensor, origin.shape, origin.start + rows, columns, size, len(channels))


def _group(emitter: Emitter, op: ApplyBlocksOp, block: tuple[int, int]) -> int:
    """The array group of a block."""
    key, groups = op.weights.data, op.groups.value.data
    return emitter.group(
        _heights(op, block),
        (_filters(emitter, op, block),),
        key,
        lambda array: block_weights(array, groups, block),
        lambda origin: block_cells(origin, groups, block),
    )


def _filters(emitter: Emitter, op: ApplyBlocksOp, block: tuple[int, int]) -> int:
    """How many filters a block has."""
    return (block[1] - block[0]) * (emitter.weights.get(op.weights.data).shape[0] // op.groups.value.data)


def _emit_block(emitter: Emitter, op: ApplyBlocksOp, block: tuple[int, int], first: int) -> int:
    """The products for filters [first, ...) of the output; returns their number."""
    (tile,), (out,) = emitter.operands(op)
    strides = attr.values(op.strides)
    rows, window = _rows(op, block), (attr.values(op.kernel), attr.values(op.dilations))
    shape, made = op.input_shapes[0], op.output_shapes[0]
    runs = window_runs(shape, tile.word, window, 0, rows, _block_channels(op, block))
    filters = _filters(emitter, op, block)
    group = _group(emitter, op, block)
    taps = window_taps(tile, window[0], strides[0], window[1][0])
    gathered = emitter.strip(op.scratch[0])
    moves = axis_steps(shape, tile.word, strides), axis_steps(made, out.word)
    for row, size in blocks(out.height, [(out, 0, 1), *taps]):
        with sweep(emitter, size, made[1:-1], *moves) as (steps, pixels):
            at = 0
            for below, offset, nbytes in (place for run in runs for place in run_pieces(tile, run)):
                source = tile.at(*steps, row=row * strides[0] + below, offset=offset)
                emitter.copy(gathered.at(offset=at), source, nbytes)
                at += nbytes
            target = out.at(*pixels, row=row, offset=first * out.word)
            emitter.product(target, gathered.at(), group)
    return filters


def _finish(emitter: Emitter, op: ApplyBlocksOp, filters: int) -> None:
    """Bias and activations of all filters of a pixel at once: long vectors, and few instructions."""
    epilogue = op.activations
    if not op.constants and not epilogue:
        return
    _, (out,) = emitter.operands(op)
    biases = emitter.strips(op.constants)
    for row, size in blocks(out.height, [(out, 0, 1)]):
        with emitter.pixels(size, out.width) as (y, x):
            target = out.at((y, out.row), (x, out.pixel), row=row)
            for bias in biases:
                emitter.vector("vvadd", (target, target, bias.at()), filters)
            emit_epilogue(emitter, epilogue, target, filters)
