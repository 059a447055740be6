"""Kernel `apply_filters`: gather the window of a pixel, multiply on array groups, add the bias, activate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import WORD, Buffer, Emitter
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel, Shape
from compiler.kernels.windows import Run, window_runs
from compiler.weights import Array, WeightStore
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class RowRange:
    """The rows of one input that a piece holds: row tiles of contiguous ranges, and the runs that feed them."""

    input: int
    start: int
    stop: int
    heights: tuple[int, ...]
    runs: tuple[Run, ...]

    @property
    def direct(self) -> bool:
        """Whether the crossbars can read the window in place."""
        return len(self.runs) == 1


def row_ranges(op: spat.ApplyFiltersOp | pim.ApplyFiltersOp) -> list[RowRange]:
    """The row ranges of a piece, in the order in which its partial sums are added."""
    flat = attr.values(op.tiles)
    found: list[RowRange] = []
    for index, value in enumerate(op.inputs):
        tiles = [(flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 3) if flat[k] == index]
        buffer = Buffer(0, *cast(Shape, attr.shape_of(value)))
        start, stop = tiles[0][0], tiles[-1][1]
        runs = window_runs(buffer, attr.values(op.kernel), attr.values(op.dilations), start, stop)
        found.append(RowRange(index, start, stop, tuple(high - low for low, high in tiles), tuple(runs)))
    return found


def segments(ranges: Sequence[RowRange]) -> list[list[RowRange]]:
    """What one `mvmul` multiplies: a range read in place, or neighbouring ranges gathered into one row."""
    found: list[list[RowRange]] = []
    for part in ranges:
        if found and not part.direct and not found[-1][0].direct:
            found[-1].append(part)
        else:
            found.append([part])
    return found


def _scratch(op: Operation) -> list[Shape]:
    gathered = sum(part.stop - part.start for part in row_ranges(cast(spat.ApplyFiltersOp, op)) if not part.direct)
    return [(1, 1, gathered)] if gathered else []


def _constants(op: Operation, weights: WeightStore) -> list[Array]:
    filters = cast(spat.ApplyFiltersOp, op)
    if filters.bias is None:
        return []
    bias = weights.get(filters.bias.data)
    return [bias[None, None, low:high] for low, high in attr.pairs(filters.channels)]


def group_weights(filters: Array, columns: tuple[int, int], origin: int, channels: int, start: int, stop: int) -> Array:
    """Rows [start, stop) of channels [origin, origin + channels) x the filters of `columns`: [rows, cols] float32."""
    part = filters[columns[0] : columns[1], origin : origin + channels].reshape(columns[1] - columns[0], channels, -1)
    first = start // channels  # only the kernel positions in the range are copied
    matrix = part[:, :, first : -(-stop // channels)].transpose(2, 1, 0).reshape(-1, columns[1] - columns[0])
    return np.asarray(matrix[start - first * channels : stop - first * channels], dtype=DType.f32.numpy)


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.ApplyFiltersOp, kernel)
    inputs, outputs = emitter.buffers(op.inputs), emitter.buffers(op.outputs)
    biases = emitter.buffers(op.constants)
    parts = segments(row_ranges(op))
    groups = [[_group(emitter, op, part, column) for column in attr.pairs(op.channels)] for part in parts]
    epilogue = attr.epilogue_of(op.epilogue)
    with emitter.pixels(outputs[0].height, outputs[0].width) as (y, x):
        offset = 0
        for index, part in enumerate(parts):
            source, size = _window(emitter, op, part, inputs, offset, (y, x))
            offset += size
            for out, group in zip(outputs, groups[index], strict=True):
                emitter.section.emit(
                    "mvmul",
                    (DType.f32, DType.f32),
                    (out.at((y, out.row), (x, out.pixel)), source),
                    ("acc",) if index else (),
                    group=group,
                )
        for position, out in enumerate(outputs):
            at = out.at((y, out.row), (x, out.pixel))
            if biases:
                emitter.vector("vvadd", (at, at, biases[position].at()), out.channels)
            emit_epilogue(emitter, epilogue, at, out.channels)


def _window(
    emitter: Emitter,
    op: pim.ApplyFiltersOp,
    part: Sequence[RowRange],
    inputs: Sequence[Buffer],
    offset: int,
    loops: tuple[int, int],
):  # -> (Address, int)
    """Where a segment's input stands, gathered if need be at `offset` of the scratch row, and the bytes used there."""
    strides = attr.values(op.strides)

    def steps(tile: Buffer) -> tuple[tuple[int, int], tuple[int, int]]:
        return (loops[0], strides[0] * tile.row), (loops[1], strides[1] * tile.pixel)

    first = inputs[part[0].input]
    if part[0].direct:
        return first.at(*steps(first), offset=part[0].runs[0].offset), 0
    row = emitter.buffer(op.scratch[0])
    at = offset
    for piece in part:
        tile = inputs[piece.input]
        for run in piece.runs:
            emitter.copy(row.at(offset=at), tile.at(*steps(tile), offset=run.offset), run.size)
            at += run.size
    return row.at(offset=offset), at - offset


def _group(emitter: Emitter, op: pim.ApplyFiltersOp, part: Sequence[RowRange], columns: tuple[int, int]) -> int:
    key, origins = op.weights.data, attr.values(op.origins)
    widths = [attr.shape_of(op.inputs[piece.input])[2] for piece in part]

    def make() -> Array:
        filters = emitter.weights.get(key)
        rows = [
            group_weights(filters, columns, origins[piece.input], width, piece.start, piece.stop)
            for piece, width in zip(part, widths, strict=True)
        ]
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    heights = [height for piece in part for height in piece.heights]
    return emitter.group(heights, (columns[1] - columns[0],), make)


APPLY_FILTERS = Kernel(spat.ApplyFiltersOp, pim.ApplyFiltersOp, _emit, _scratch, _constants)
__all__ = ["APPLY_FILTERS", "WORD", "group_weights", "row_ranges", "segments"]
