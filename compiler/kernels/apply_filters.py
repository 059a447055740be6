"""Kernel `apply_filters`: gather the window of a pixel, multiply on array groups, add the bias, activate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import Strip, blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel, Shape
from compiler.kernels.row_map import RowMap, window_rows
from compiler.kernels.windows import Run, places, shape_strip, window_runs, window_taps
from compiler.weights import Array, WeightStore
from emu.isa.address import Address
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class RowRange:
    """The rows of one input that a piece holds: row tiles of contiguous ranges, and the runs that feed them."""

    input: int
    start: int
    stop: int
    heights: tuple[int, ...]
    runs: tuple[Run, ...]
    row: int  # bytes of a row of the tile

    @property
    def direct(self) -> bool:
        """Whether the crossbars can read the window in place."""
        return len(self.runs) == 1

    @property
    def tall(self) -> bool:
        """Whether a run spans rows of the tile, which need not be neighbours in a ring."""
        return any(len(run.cut(self.row)) > 1 for run in self.runs)


def row_ranges(op: spat.ApplyFiltersOp | pim.ApplyFiltersOp) -> list[RowRange]:
    """The row ranges of a piece, in the order in which its partial sums are added."""
    flat = attr.values(op.tiles)
    found: list[RowRange] = []
    for index, value in enumerate(op.inputs):
        tiles = [(flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 3) if flat[k] == index]
        tile = shape_strip(value)
        start, stop = tiles[0][0], tiles[-1][1]
        runs = window_runs(tile, attr.values(op.kernel), attr.values(op.dilations), start, stop)
        found.append(RowRange(index, start, stop, tuple(high - low for low, high in tiles), tuple(runs), tile.row))
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


def _scratch(op: Operation, streamed: bool) -> list[Shape]:
    ranges = row_ranges(cast(spat.ApplyFiltersOp, op))
    gathered = sum(part.stop - part.start for part in ranges if not part.direct or (streamed and part.tall))
    return [(1, 1, gathered)] if gathered else []


def _constants(op: Operation, weights: WeightStore, streamed: bool) -> list[Array]:
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
    inputs, outputs = emitter.operands(op)
    window, stride, dilation = attr.values(op.kernel), attr.values(op.strides)[0], attr.values(op.dilations)[0]
    parts = segments(row_ranges(op))
    groups = [[_group(emitter, op, part, column) for column in attr.pairs(op.channels)] for part in parts]
    taps = [tap for tile in inputs for tap in window_taps(tile, window, stride, dilation)]
    for row, size in blocks(outputs[0].height, [*((out, 0, 1) for out in outputs), *taps]):
        with emitter.pixels(size, outputs[0].width) as (y, x):
            offset = 0
            for part, group in zip(parts, groups, strict=True):
                source, nbytes = _window(emitter, op, part, inputs, offset, (row, y, x))
                offset += nbytes
                flags = () if part is parts[0] else ("acc",)
                for out, index in zip(outputs, group, strict=True):
                    at = out.at((y, out.row), (x, out.pixel), row=row)
                    emitter.section.emit("mvmul", (DType.f32, DType.f32), (at, source), flags, group=index)
            _finish(emitter, op, outputs, (row, y, x))


def _finish(emitter: Emitter, op: pim.ApplyFiltersOp, outputs: Sequence[Strip], position: tuple[int, int, int]) -> None:
    """Add the biases and activate, at a pixel."""
    biases, epilogue = emitter.strips(op.constants), attr.epilogue_of(op.epilogue)
    row, y, x = position
    for index, out in enumerate(outputs):
        at = out.at((y, out.row), (x, out.pixel), row=row)
        if biases:
            emitter.vector("vvadd", (at, at, biases[index].at()), out.channels)
        emit_epilogue(emitter, epilogue, at, out.channels)


def _window(
    emitter: Emitter,
    op: pim.ApplyFiltersOp,
    part: Sequence[RowRange],
    inputs: Sequence[Strip],
    offset: int,
    position: tuple[int, int, int],
) -> tuple[Address, int]:
    """Where a segment's input stands, gathered if need be at `offset` of the scratch row, and the bytes used there.

    `position` is the first output row and the loops over the rows and pixels from there on.
    """
    row, y, x = position
    strides = attr.values(op.strides)
    sources: list[tuple[Address, int]] = []
    for piece in part:
        tile = inputs[piece.input]
        steps = (y, strides[0] * tile.row), (x, strides[1] * tile.pixel)
        sources += [
            (tile.at(*steps, row=row * strides[0] + below, offset=inside), nbytes)
            for run in piece.runs
            for below, inside, nbytes in places(tile, run)
        ]
    if part[0].direct and len(sources) == 1:
        return sources[0][0], 0
    gathered = emitter.strip(op.scratch[0])
    at = offset
    for source, nbytes in sources:
        emitter.copy(gathered.at(offset=at), source, nbytes)
        at += nbytes
    return gathered.at(offset=offset), at - offset


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


def _row_maps(op: Operation) -> list[RowMap]:
    window = cast(spat.ApplyFiltersOp, op)
    kernel, strides, dilations = attr.values(window.kernel), attr.values(window.strides), attr.values(window.dilations)
    return window_rows(op, kernel[0], strides[0], dilations[0])


APPLY_FILTERS = Kernel(spat.ApplyFiltersOp, pim.ApplyFiltersOp, _emit, _scratch, _constants, rows=_row_maps)
