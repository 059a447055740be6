"""Grouped and depthwise convolutions packed block-diagonally, as many groups per crossbar as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from compiler.dialects import attributes as attr
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.lowering.compute import ComputeBuilder
from compiler.lowering.feature_map import FeatureMap
from compiler.lowering.filters import Window
from compiler.lowering.lowering import Lowering
from compiler.partition.matrix import BlockMatrix, Piece


@dataclass(frozen=True)
class GroupedFilters:
    """All filters of a grouped convolution whose groups are small; keys as in `Filters`."""

    node: str
    source: FeatureMap
    groups: int
    group_channels: int
    group_filters: int
    weights: str
    bias: str | None
    window: Window
    result: FeatureMap
    epilogue: attr.Epilogue

    def lower(self, lowering: Lowering) -> None:
        """Register the matrix and defer the computes."""
        crossbar = lowering.context.arch.crossbar
        matrix = BlockMatrix(
            self.node,
            self.groups,
            self.group_channels,
            self.group_filters,
            self.window.kernel,
            self.result.pixels,
            crossbar.rows,
            crossbar.cols,
        )
        index = lowering.matrix(matrix, self.source, self.result)
        lowering.defer(
            lambda: self._emit(lowering, cast(BlockMatrix, lowering.matrices[index]), lowering.pieces[index])
        )

    def _emit(self, lowering: Lowering, matrix: BlockMatrix, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            blocks = matrix.blocks[slice(*piece.cols)]
            low, high = blocks[0][0], blocks[-1][1]
            builder = ComputeBuilder(lowering.into, piece.core, self.node, f"groups {low}-{high - 1}")
            origin = low * self.group_channels
            tile = builder.channels(self.source, origin, high * self.group_channels, self.window.pads)
            properties: dict[str, Attribute] = {
                **self.window.properties(),
                "weights": StringAttr(self.weights),
                "origin": attr.integer(origin),
                "groups": attr.integer(self.groups),
                "blocks": attr.ints(bound for block in blocks for bound in block),
            }
            if self.bias is not None:
                properties["bias"] = StringAttr(self.bias)
            first, last = low * self.group_filters, high * self.group_filters
            shape = (self.result.extent[1], self.result.extent[2], last - first)
            (out,) = builder.kernel(ApplyBlocksOp, [tile], [shape], properties, self.epilogue)
            self.result.tiles.extend(builder.finish([(self.result, first, last, out)]))
        self.result.tiles.sort(key=lambda tile: tile.low)
