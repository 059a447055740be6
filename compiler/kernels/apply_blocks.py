"""Kernel `apply_blocks`: groups of a grouped convolution, block-diagonal in their crossbar."""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import WORD, blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel, Shape
from compiler.kernels.row_map import RowMap, window_rows
from compiler.kernels.windows import places, window_runs, window_taps
from compiler.weights import Array, WeightStore
from emu.isa.dtypes import DType

BlocksOp = spat.ApplyBlocksOp | pim.ApplyBlocksOp


def _group_channels(op: BlocksOp) -> int:
    """Channels per group: the tile holds those of all blocks."""
    blocks = attr.pairs(op.blocks)
    return attr.shape_of(op.inputs[0])[2] // (blocks[-1][1] - blocks[0][0])


def _block_channels(op: BlocksOp, block: tuple[int, int]) -> tuple[int, int]:
    per_group, origin = _group_channels(op), op.origin.value.data
    return block[0] * per_group - origin, block[1] * per_group - origin


def _rows(op: BlocksOp, block: tuple[int, int]) -> int:
    kernel = attr.values(op.kernel)
    return (block[1] - block[0]) * _group_channels(op) * kernel[0] * kernel[1]


def _scratch(op: Operation, streamed: bool) -> list[Shape]:
    blocks_op = cast(spat.ApplyBlocksOp, op)
    return [(1, 1, max(_rows(blocks_op, block) for block in attr.pairs(blocks_op.blocks)))]


def _constants(op: Operation, weights: WeightStore, streamed: bool) -> list[Array]:
    blocks_op = cast(spat.ApplyBlocksOp, op)
    if blocks_op.bias is None:
        return []
    blocks = attr.pairs(blocks_op.blocks)
    per_group = weights.get(blocks_op.weights.data).shape[0] // blocks_op.groups.value.data
    return [weights.get(blocks_op.bias.data)[None, None, blocks[0][0] * per_group : blocks[-1][1] * per_group]]


def block_weights(filters: Array, groups: int, block: tuple[int, int]) -> Array:
    """The block-diagonal matrix [(y, x, channel of the block), filter of the block] of groups [block)."""
    per_group, (_, channels, height, width) = filters.shape[0] // groups, filters.shape
    size = block[1] - block[0]
    part = filters[block[0] * per_group : block[1] * per_group].reshape(size, per_group, channels, height, width)
    matrix = np.zeros((height, width, size, channels, size, per_group), DType.f32.numpy)
    diagonal = np.arange(size)
    matrix[:, :, diagonal, :, diagonal, :] = part.transpose(0, 3, 4, 2, 1)
    return matrix.reshape(height * width * size * channels, size * per_group)


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.ApplyBlocksOp, kernel)
    first = 0
    for block in attr.pairs(op.blocks):
        first += _emit_block(emitter, op, block, first)
    _finish(emitter, op, first)


def _emit_block(emitter: Emitter, op: pim.ApplyBlocksOp, block: tuple[int, int], first: int) -> int:
    """The products for filters [first, ...) of the output; returns their number."""
    (tile,), (out,) = emitter.operands(op)
    strides, key, groups = attr.values(op.strides), op.weights.data, op.groups.value.data
    rows, channels = _rows(op, block), _block_channels(op, block)
    runs = window_runs(tile, attr.values(op.kernel), attr.values(op.dilations), 0, rows, channels)
    filters = (block[1] - block[0]) * (emitter.weights.get(key).shape[0] // groups)
    group = emitter.group((rows,), (filters,), lambda: block_weights(emitter.weights.get(key), groups, block))
    taps = window_taps(tile, attr.values(op.kernel), strides[0], attr.values(op.dilations)[0])
    gathered = emitter.strip(op.scratch[0])
    for row, size in blocks(out.height, [(out, 0, 1), *taps]):
        with emitter.pixels(size, out.width) as (y, x):
            steps = (y, strides[0] * tile.row), (x, strides[1] * tile.pixel)
            at = 0
            for below, offset, nbytes in (place for run in runs for place in places(tile, run)):
                source = tile.at(*steps, row=row * strides[0] + below, offset=offset)
                emitter.copy(gathered.at(offset=at), source, nbytes)
                at += nbytes
            target = out.at((y, out.row), (x, out.pixel), row=row, offset=first * WORD)
            emitter.section.emit("mvmul", (DType.f32, DType.f32), (target, gathered.at()), group=group)
    return filters


def _finish(emitter: Emitter, op: pim.ApplyBlocksOp, filters: int) -> None:
    """Bias and activations of all filters of a pixel at once: long vectors, and few instructions."""
    epilogue = attr.epilogue_of(op.epilogue)
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


def _row_maps(op: Operation) -> list[RowMap]:
    window = cast(spat.ApplyBlocksOp, op)
    kernel, strides, dilations = attr.values(window.kernel), attr.values(window.strides), attr.values(window.dilations)
    return window_rows(op, kernel[0], strides[0], dilations[0])


APPLY_BLOCKS = Kernel(spat.ApplyBlocksOp, pim.ApplyBlocksOp, _emit, _scratch, _constants, rows=_row_maps)
