"""Products with weights: what a layer multiplies, as a matrix to be cut, and the computes of its pieces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod

from xdsl.ir import Attribute, Block, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.parts import RangesAttr, RowTilesAttr
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.body import Pads
from compiler.kernels.product import multiplied_by
from compiler.kernels.vadd import VAddOp
from compiler.mapping import tuned
from compiler.mapping.cutting.compute import ComputeBuilder
from compiler.mapping.cutting.slicing import narrowed
from compiler.mapping.cutting.tiles import Tile
from compiler.mapping.tiling.matrix import BlockMatrix, FilterMatrix, Matrix, Packing, Piece
from emu.arch import Arch
from emu.isa.dtypes import DType

WINDOW = ("kernel", "strides", "dilations")


@dataclass(frozen=True, slots=True)
class ProductLayer:
    """A layer that multiplies some channels of `source`, from `offset` on, padded, with the weights of `kernel`.

    What stands in the padding is `fill`.
    """

    layer: spat.ProductOp
    kernel: ApplyFiltersOp | ApplyBlocksOp
    source: SSAValue
    offset: int
    pads: Pads
    fill: float

    @property
    def whole(self) -> bool:
        """Whether it multiplies all channels of its source, and makes all channels of a tensor."""
        form = self.layer.forms.data[0]
        makes = form is None or form.sizes[-1] == attr.shape_of(self.kernel.made[0])[-1]
        return makes and self.kernel.input_shapes[0][-1] == attr.shape_of(self.source)[-1]

    @property
    def padding(self) -> tuple[Pads, float]:
        """Pads, and what stands in them."""
        return self.pads, self.fill

    @staticmethod
    def of(layer: spat.ProductOp) -> ProductLayer:
        """What a layer multiplies."""
        found = multiplied_by(layer)
        assert found is not None  # texts are checked
        kernel, argument, offset, pads, fill = found
        return ProductLayer(layer, kernel, layer.tiles[argument.index], offset, pads, fill)

    def matrix(self, arch: Arch, packing: Packing, kind: DType) -> Matrix:
        """Its matrix of weights of type `kind`, cut into crossbars of `arch`; `pixels` are windows of one sample."""
        kernel, rows, cols = self.kernel, arch.crossbar.rows, arch.columns(kind)
        channels, (*places, filters) = kernel.input_shapes[0][-1], kernel.output_shapes[0]
        taps, pixels, node = attr.values(kernel.kernel), prod(places), self.layer.node.data
        source = prod(attr.shape_of(self.source)[:-1])
        if isinstance(kernel, ApplyBlocksOp):
            groups = kernel.groups.value.data
            per_group = channels // groups, filters // groups
            return BlockMatrix(node, groups, *per_group, taps, pixels, rows, cols, source=source)
        return FilterMatrix(node, channels, filters, taps, pixels, rows, cols, packing, source=source)

    def compute(self, into: Block, tiles: Sequence[Tile], matrix: Matrix, pieces: Sequence[Piece]) -> list[Tile]:
        """Append the computes of the pieces to `into`; `tiles` are those of the source. Returns those of the result."""
        if isinstance(self.kernel, ApplyBlocksOp):
            assert isinstance(matrix, BlockMatrix)
            return _blocks(self, self.kernel, into, tiles, matrix, pieces)
        assert isinstance(matrix, FilterMatrix)
        return _Filters(self, self.kernel, into, tiles, matrix).compute(pieces)


def _weights(op: ApplyFiltersOp | ApplyBlocksOp, complete: bool) -> dict[str, Attribute]:
    """Window and weights of a piece; bias and activations only if it makes `complete` results."""
    names = (*WINDOW, "weights", *(("bias", "epilogue") if complete else ()))
    return {name: op.properties[name] for name in names if name in op.properties}


@dataclass(frozen=True)
class _Filters:
    """A product without groups: a compute per piece applies filters, further ones add partial sums."""

    product: ProductLayer
    kernel: ApplyFiltersOp
    into: Block
    tiles: Sequence[Tile]
    matrix: FilterMatrix

    def compute(self, pieces: Sequence[Piece]) -> list[Tile]:
        """The tiles of the result, in the order of their channels."""
        whole = (0, len(self.matrix.row_tiles))
        made: list[Tile] = []
        partial: dict[int, list[Tile]] = defaultdict(list)
        offset, layer = self.product.offset, self.product.layer
        # A copy of the weights takes some places of the source only: to copy whole tiles for each would be too much.
        cuts = self.matrix.channel_cuts if all(pad >= 0 for pad in self.product.pads) else ()
        source = narrowed(self.into, layer, self.tiles, [offset + cut for cut in cuts])
        for piece in pieces:
            tiles = self._apply(piece, source, piece.rows == whole)
            if piece.rows == whole:
                made += tiles
            else:
                for column, tile in zip(range(*piece.cols), tiles, strict=True):
                    partial[column].append(tile)
        for columns, number in self._summed_together(partial):
            made += self._reduce([partial[column] for column in columns], number)
        return sorted(made, key=lambda tile: tile.low)

    def _apply(self, piece: Piece, source: Sequence[Tile], complete: bool) -> list[Tile]:
        matrix, offset = self.matrix, self.product.offset
        rows = matrix.row_tiles[slice(*piece.rows)]
        used = sorted({row.tile for row in rows})
        ranges = [matrix.channel_tiles[tile] for tile in used]
        part = "" if complete else f"row tiles {piece.rows[0]}-{piece.rows[1] - 1} of {len(matrix.row_tiles)}"
        builder = ComputeBuilder(self.into, self.product.layer, part, piece.core, piece.stay)
        inputs = [builder.channels(source, offset + low, offset + high, *self.product.padding) for low, high in ranges]
        columns = matrix.col_tiles[slice(*piece.cols)]
        properties: dict[str, Attribute] = {
            **_weights(self.kernel, complete),
            "origins": attr.ints(low for low, _ in ranges),
            "tiles": RowTilesAttr(tuple((used.index(row.tile), row.start, row.stop) for row in rows)),
            "channels": RangesAttr(tuple(columns)),
        }
        results = [(self._shape(high - low), self.kernel.dtype) for low, high in columns]
        outs = builder.typed(ApplyFiltersOp, inputs, results, properties)
        return builder.finish([(low, high, out) for (low, high), out in zip(columns, outs, strict=True)], complete)

    def _together(self, parts: int) -> int:
        """How many columns of so many row parts one core sums: several if they are so short that messages take longest.

        Each part but one sends its sums of every column by itself, so the more parts, the more messages are saved.
        """
        width = max(high - low for low, high in self.matrix.col_tiles)
        return max(1, (parts - 1) * tuned.SUMS_TOGETHER // (prod(self._shape(width)) * self.kernel.dtype.size))

    def _summed_together(self, partial: Mapping[int, Sequence[Tile]]) -> Iterator[tuple[list[int], int]]:
        """Columns that follow each other and have partial sums of the same pieces, and a number for each such list."""
        clusters = {column: tuple(tile.cluster for tile in tiles) for column, tiles in partial.items()}
        for made_by, columns in groupby(sorted(partial), key=clusters.__getitem__):
            # From the first column of the pieces on: groups that reach across two pieces would be cut once more.
            same, together = list(columns), self._together(len(made_by))
            yield from ((same[at : at + together], same[at] // together) for at in range(0, len(same), together))

    def _reduce(self, partial: Sequence[Sequence[Tile]], number: int) -> Sequence[Tile]:
        """Add the partial sums of each column in row-tile order, beside one of those that made them.

        It is a different one for each `number`. One compute per addition, so that the core holds one received partial
        sum of each column at a time.
        """
        count = len(partial[0])
        cluster = partial[0][number % count].cluster
        totals = [tiles[0] for tiles in partial]
        for index in range(1, count):
            last = index + 1 == count
            builder = ComputeBuilder(self.into, self.product.layer, f"partial sum {index} of {count - 1}", cluster)
            sums = [self._add(builder, total, tiles[index], last) for total, tiles in zip(totals, partial, strict=True)]
            totals = builder.finish(sums, last)
        return totals

    def _add(self, builder: ComputeBuilder, total: Tile, tile: Tile, last: bool) -> tuple[int, int, SSAValue]:
        """The sum of two partial sums, the `last` of which is activated."""
        properties: dict[str, Attribute] = {"channels": RangesAttr(((tile.low, tile.high),))}
        if last:
            properties |= {name: value for name, value in _weights(self.kernel, True).items() if name in ENDS}
        inputs = [builder.argument(total.value), builder.argument(tile.value)]
        return tile.low, tile.high, builder.kernel(VAddOp, inputs, self._shape(tile.high - tile.low), properties)

    def _shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel.output_shapes[0][:-1], channels)


ENDS = ("bias", "epilogue")  # what follows a whole sum


def _blocks(
    product: ProductLayer,
    kernel: ApplyBlocksOp,
    into: Block,
    tiles: Sequence[Tile],
    matrix: BlockMatrix,
    pieces: Sequence[Piece],
) -> list[Tile]:
    """The computes of a grouped convolution: ranges of groups, packed block-diagonally."""
    made: list[Tile] = []
    for piece in pieces:
        blocks = matrix.blocks[slice(*piece.cols)]
        low, high = blocks[0][0], blocks[-1][1]
        builder = ComputeBuilder(into, product.layer, f"groups {low}-{high - 1}", piece.core, piece.stay)
        origin, end = low * matrix.group_channels, high * matrix.group_channels
        tile = builder.channels(tiles, product.offset + origin, product.offset + end, *product.padding)
        properties: dict[str, Attribute] = {
            **_weights(kernel, True),
            "origin": attr.integer(origin),
            "groups": kernel.groups,
            "blocks": RangesAttr(tuple(blocks)),
        }
        first, last = low * matrix.group_filters, high * matrix.group_filters
        results = [((*kernel.output_shapes[0][:-1], last - first), kernel.dtype)]
        (out,) = builder.typed(ApplyBlocksOp, [tile], results, properties)
        made += builder.finish([(first, last, out)])
    return sorted(made, key=lambda tile: tile.low)
