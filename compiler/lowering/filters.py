"""Convolution without packing of groups, and matrix products: apply filters, reduce partial sums, concatenate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.vadd import VAddOp
from compiler.lowering.compute import ComputeBuilder, Pads
from compiler.lowering.feature_map import FeatureMap, Tile
from compiler.lowering.lowering import Lowering
from compiler.partition.matrix import FilterMatrix, Piece


@dataclass(frozen=True, slots=True)
class Window:
    """How a kernel slides: (y, x) sizes, strides, dilations; pads (top, left, bottom, right)."""

    kernel: tuple[int, int]
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    pads: Pads = (0, 0, 0, 0)

    def properties(self) -> dict[str, Attribute]:
        """The attributes of kernels that slide."""
        return {
            "kernel": attr.ints(self.kernel),
            "strides": attr.ints(self.strides),
            "dilations": attr.ints(self.dilations),
        }


@dataclass(frozen=True)
class Filters:
    """One dense set of filters over channels [offset, offset + channels) of `source`.

    `weights` [filter][channel][y][x] and `bias` [filter] are keys; the filters give channels [first, first +
    filters) of `result`.
    """

    node: str
    source: FeatureMap
    offset: int
    channels: int
    weights: str
    bias: str | None
    filters: int
    window: Window
    result: FeatureMap
    first: int
    epilogue: attr.Epilogue

    def lower(self, lowering: Lowering) -> None:
        """Register the matrix and defer the computes."""
        context = lowering.context
        crossbar = context.arch.crossbar
        matrix = FilterMatrix(
            self.node,
            self.channels,
            self.filters,
            self.window.kernel,
            self.result.pixels,
            crossbar.rows,
            crossbar.cols,
            context.options.packing,
        )
        whole = (self.channels, self.filters) == (self.source.extent[0], self.result.extent[0])
        index = lowering.matrix(matrix, self.source, self.result, whole)
        lowering.defer(
            lambda: self._emit(lowering, cast(FilterMatrix, lowering.matrices[index]), lowering.pieces[index])
        )

    def _emit(self, lowering: Lowering, matrix: FilterMatrix, pieces: Sequence[Piece]) -> None:
        whole = (0, len(matrix.row_tiles))
        partial: dict[int, list[Tile]] = defaultdict(list)
        for piece in pieces:
            complete = piece.rows == whole
            tiles = self._apply(lowering, matrix, piece, complete)
            if complete:
                self.result.tiles.extend(tiles)
            else:
                for column, tile in zip(range(*piece.cols), tiles, strict=True):
                    partial[column].append(tile)
        for column in sorted(partial):
            self.result.tiles.append(self._reduce(lowering, partial[column], column))
        self.result.tiles.sort(key=lambda tile: tile.low)

    def _apply(self, lowering: Lowering, matrix: FilterMatrix, piece: Piece, complete: bool) -> list[Tile]:
        rows = matrix.row_tiles[slice(*piece.rows)]
        used = sorted({row.tile for row in rows})
        ranges = [matrix.channel_tiles[tile] for tile in used]
        part = "" if complete else f"row tiles {piece.rows[0]}-{piece.rows[1] - 1} of {len(matrix.row_tiles)}"
        builder = ComputeBuilder(lowering.into, piece.core, self.node, part)
        inputs = [
            builder.channels(self.source, self.offset + low, self.offset + high, self.window.pads)
            for low, high in ranges
        ]
        columns = matrix.col_tiles[slice(*piece.cols)]
        properties: dict[str, Attribute] = {
            **self.window.properties(),
            "weights": StringAttr(self.weights),
            "origins": attr.ints(low for low, _ in ranges),
            "tiles": attr.ints(value for row in rows for value in (used.index(row.tile), row.start, row.stop)),
            "channels": attr.ints(bound for column in columns for bound in column),
        }
        if complete and self.bias is not None:
            properties["bias"] = StringAttr(self.bias)
        shapes = [self._shape(high - low) for low, high in columns]
        epilogue = self.epilogue if complete else ()
        outs = builder.kernel(ApplyFiltersOp, inputs, shapes, properties, epilogue)
        whole = self.result if complete else None
        return builder.finish(
            [(whole, self.first + low, self.first + high, out) for (low, high), out in zip(columns, outs, strict=True)]
        )

    def _reduce(self, lowering: Lowering, partial: Sequence[Tile], column: int) -> Tile:
        """Add partial sums in row-tile order on one of the cores that made them, a different one per column.

        One compute per addition, so that the core holds one received partial sum at a time.
        """
        core = partial[column % len(partial)].core
        total = partial[0]
        for index, tile in enumerate(partial[1:], start=1):
            last = index + 1 == len(partial)
            total = self._add(lowering, core, total, tile, f"partial sum {index} of {len(partial) - 1}", last)
        return total

    def _add(self, lowering: Lowering, core: int, left: Tile, right: Tile, part: str, last: bool) -> Tile:
        low, high = left.low, left.high
        builder = ComputeBuilder(lowering.into, core, self.node, part)
        properties: dict[str, Attribute] = {"channels": attr.ints((low - self.first, high - self.first))}
        if last and self.bias is not None:
            properties["bias"] = StringAttr(self.bias)
        inputs = [builder.tile(left.value), builder.tile(right.value)]
        epilogue = self.epilogue if last else ()
        (out,) = builder.kernel(VAddOp, inputs, [self._shape(high - low)], properties, epilogue)
        return builder.finish([(self.result if last else None, low, high, out)])[0]

    def _shape(self, channels: int) -> tuple[int, int, int]:
        return self.result.extent[1], self.result.extent[2], channels
