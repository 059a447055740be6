"""The state of one cut: the tiles of each tensor, and the computes appended so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, cast

from xdsl.ir import Block, Operation, SSAValue

from compiler.basis.blame import about
from compiler.basis.limits import MAX_OPERATIONS, MAX_TILES
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.boxes import BoxesAttr
from compiler.dialects.types import dtype_of
from compiler.kernels.kernel import Kernel
from compiler.mapping.cutting.boxed import BoxedOperand, boxed_kernel, operands_of
from compiler.mapping.cutting.compute import ComputeBuilder
from compiler.mapping.cutting.tiles import Tile, channel_ranges, whole_tile
from compiler.mapping.cutting.work_table import feeds_of, work_table
from compiler.mapping.tiling.allotment import allot
from compiler.mapping.tiling.matrix import Matrix, Packing, Piece
from compiler.mapping.tiling.partition import Partition, partition
from compiler.mapping.weight_swaps.pieces import pieces_of
from compiler.session.context import CompilerContext
from compiler.session.refusal import label, node_of
from emu.errors import CompileError, option
from emu.program.form import Box


class LayerCutter:
    """Cuts the layers of `ops`, in order, into computes on tiles, which are appended to `into`.

    The weight matrices of all layers are cut together first. What `ops` has of tiles and computes already stays.
    """

    def __init__(self, context: CompilerContext, ops: Sequence[Operation], packing: Packing, placement: str) -> None:
        self.context, self.ops, self.into = context, ops, Block()
        self._placement = placement
        self._tiles: dict[SSAValue, list[Tile]] = {}
        self._depth: dict[SSAValue, int] = {}  # products before the one that makes a tensor: later ones are deeper
        self._operations = 0
        self._counted: Operation | None = None
        self._table = work_table(context, ops, packing)
        self._whole_cores: dict[spat.LayerOp, int] = {}  # by number, as of pieces
        self._products = {row.product.layer: row.product for row in self._table.products}

    def run(self) -> Block:
        """The block with inputs, computes and outputs; raises CompileError if the cores have too few crossbars."""
        matrices = [row.matrix for row in self._table.products]
        pieces = [
            pieces_of(layer, number, matrix.grid)
            for number, (layer, matrix) in enumerate(zip(self._products, matrices, strict=True))
        ]
        if not all(pieces):
            matrices, found = self.allotted()
            pieces = [found[number] for number in range(len(matrices))]
            for number, row in enumerate(self._table.wholes, len(matrices)):
                self._whole_cores.update((row.layer, piece.core) for piece in found[number])
        number = 0  # of products so far
        for op in self.ops:
            if isinstance(op, spat.ProductOp):
                product = self._products[op]
                tiles = product.compute(self.into, self._of(product.source), matrices[number], pieces[number])
                self._keep(op.outputs[0], tiles, number)
                number += 1
            else:
                with about(node_of(op)):
                    self._others[type(op)](self, op, number)
            self._count()
        return self.into

    def allotted(self) -> tuple[Sequence[Matrix], Mapping[int, Sequence[Piece]]]:
        """The matrices as they are cut, and the pieces of each layer of the table; none of those that find no room.

        Raises CompileError, TooLarge among them, if the cores have too few crossbars.
        """
        table, context = self._table, self.context
        matrices, sources, feeds = [row.matrix for row in table.products], self._sources(), self._feeds()

        def cut(cores: int) -> Partition:
            return partition(matrices, cores, context.arch, self._placement, sources, table.kinds, feeds)

        together = allot(cut, table.layers(self.ops), context.cores, table.room) if table.wholes else None
        found, pieces = together or cut(context.cores), defaultdict[int, list[Piece]](list)
        for piece in found.pieces:
            pieces[piece.matrix].append(piece)
        return found.matrices, pieces

    def _sources(self) -> dict[int, int]:
        """By index of a product, that of the product which alone makes its input, if all of that is multiplied."""
        index = {layer: number for number, layer in enumerate(self._products)}
        sources: dict[int, int] = {}
        for layer, product in self._products.items():
            owner = product.source.owner
            if product.whole and isinstance(owner, spat.ProductOp) and self._products[owner].whole:
                sources[index[layer]] = index[owner]
        return sources

    def _feeds(self) -> Mapping[int, frozenset[int]]:
        """By index of a product, those whose results reach its source through layers that are no products.

        Of a network with bands there are none: layers that share a core work one after another, and copies are made so
        that they need not.
        """
        if any(isinstance(op, spat.JoinOp) and op.axis is not None for op in self.ops):
            return {}
        return feeds_of(self.ops, list(self._products))

    # tiles ------------------------------------------------------------------------------------------------------

    def _of(self, value: SSAValue) -> list[Tile]:
        """The tiles of a tensor; a tile of a compute that was there already stands for itself."""
        return self._tiles.get(value) or [whole_tile(value)]

    def _keep(self, value: SSAValue, tiles: list[Tile], depth: int) -> None:
        self._tiles[value], self._depth[value] = tiles, depth

    def _input(self, op: Operation, depth: int) -> None:
        """An input's tiles stand in global memory, each no wider than a crossbar is high."""
        source = cast(spat.InputOp, op)
        (*sizes, channels), (*others, (first, _)) = attr.shape_of(source.tile), source.boxes.data[0]
        size = self.context.arch.crossbar.rows
        if not channels:
            self.into.add_op(source.clone())
        if -(-channels // size) > MAX_TILES:
            raise CompileError(
                f"input {source.tensor.data} has shape {list(source.form.data.shape)}: its {channels} channels are"
                f" {-(-channels // size)} tiles, more than the {MAX_TILES} that a tensor may have"
            )
        tiles: list[Tile] = []
        for low in range(0, channels, size):
            high = min(low + size, channels)
            properties = {**source.properties, "boxes": BoxesAttr(((*others, (first + low, first + high)),))}
            part = spat.InputOp.create(
                result_types=[attr.tile_type((*sizes, high - low), dtype_of(source.tile))], properties=properties
            )
            self.into.add_op(part)
            tiles.append(Tile((*((0, extent) for extent in sizes), (low, high)), part.tile))
        self._keep(source.tile, tiles, depth)

    def _join(self, op: Operation, depth: int) -> None:
        """The tiles of the parts, one after another."""
        join = cast(spat.JoinOp, op)
        count, first, along = sum(len(self._of(part)) for part in join.parts), 0, join.along
        if count > MAX_TILES:
            raise CompileError(f"joins {count} tiles, more than the {MAX_TILES} that a tensor may have")
        tiles: list[Tile] = []
        for part in join.parts:
            tiles += [tile.shifted(along, first) for tile in self._of(part)]
            first += attr.shape_of(part)[along]
        self._keep(join.whole, tiles, depth)

    def _output(self, op: Operation, depth: int) -> None:
        """An output is made of the tiles that its tensor was cut into."""
        output = cast(spat.OutputOp, op)
        boxes, operands = list[Box](), list[SSAValue]()
        for box, value in zip(output.boxes.data, output.tiles, strict=True):
            for tile in self._of(value):
                boxes.append(tuple((at + low, at + high) for (at, _), (low, high) in zip(box, tile.box, strict=True)))
                operands.append(tile.value)
        properties = {**output.properties, "boxes": BoxesAttr(tuple(boxes))}
        self.into.add_op(spat.OutputOp.create(operands=operands, properties=properties))

    def _compute(self, op: Operation, depth: int) -> None:
        """A compute stays as it is, on the tiles of what it uses."""
        copy = op.clone()
        for index, value in enumerate(op.operands):
            tiles = self._of(value)
            if len(tiles) != 1:
                where = self.context.line_of(op)
                raise CompileError(
                    f"{where}{label(op)} takes a tensor that is cut into {len(tiles)} tiles: make it a layer"
                )
            copy.operands[index] = tiles[0].value
        self.into.add_op(copy)
        for result, made in zip(op.results, copy.results, strict=True):
            self._keep(result, [whole_tile(made)], depth)

    # layers without products ------------------------------------------------------------------------------------

    def _layer(self, op: Operation, depth: int) -> None:
        """A compute per channel tile, as an operand has them, if its kernel can be cut so; else one compute for all."""
        layer, boxed = cast(spat.LayerOp, op), boxed_kernel(cast(spat.LayerOp, op))
        if boxed is not None and boxed[0].cut_channels(0, attr.shape_of(layer.outputs[0])[-1]) is not None:
            self._keep(layer.outputs[0], self._channelwise(layer, *boxed), depth)
        else:
            for result, made in zip(layer.outputs, self._whole(layer), strict=True):
                self._keep(result, [whole_tile(made)], depth)

    def _channelwise(self, layer: spat.LayerOp, kernel: Kernel, operands: Sequence[BoxedOperand]) -> list[Tile]:
        made: list[Tile] = []
        sizes = kernel.output_shapes[0][:-1]
        for low, high in self._ranges(kernel, operands):
            cut = kernel.cut_channels(low, high)
            assert cut is not None  # as for the whole tensor
            builder = ComputeBuilder(self.into, layer)
            inputs = [
                builder.box(self._of(operand.source), operand.part(box))
                for operand, box in zip(operands, cut.boxes, strict=True)
                if box is not None
            ]
            results = [((*sizes, high - low), kernel.dtype)]
            (out,) = builder.typed(type(kernel), inputs, results, {**kernel.properties, **cut.properties})
            made += builder.finish([(low, high, out)])
        return made

    def _ranges(self, kernel: Kernel, operands: Sequence[BoxedOperand]) -> list[tuple[int, int]]:
        """The channel ranges of that operand with all channels which has the result's sizes and was made last.

        All channels if no operand has as many.
        """
        (*sizes, channels), shapes = kernel.output_shapes[0], kernel.input_shapes
        full = [number for number, shape in enumerate(shapes) if shape[-1] == channels]
        if not full:
            return [(0, channels)]
        leader = operands[
            max(
                full,
                key=lambda number: (
                    shapes[number][:-1] == tuple(sizes),
                    self._depth.get(operands[number].source, 0),
                    len(self._of(operands[number].source)),
                ),
            )
        ]
        return channel_ranges(self._of(leader.source), leader.box)

    def _whole(self, layer: spat.LayerOp) -> Sequence[SSAValue]:
        """One compute with all that the layer does, on all of its operands; returns its results."""
        (given,) = pieces_of(layer) or (None,)
        builder = ComputeBuilder(self.into, layer, "", self._whole_cores.get(layer), given and given.stay)
        inside: dict[SSAValue, SSAValue] = {}
        for value, operand in operands_of(layer).items():
            inside[value] = builder.box(self._of(operand.source), operand.box)
        for kernel in layer.body.block.ops:
            if isinstance(kernel, Kernel) and kernel.made[0] not in inside:
                builder.block.add_op(kernel.clone(inside))
        last = cast(spat.YieldOp, layer.body.block.last_op)
        return builder.finish_all([inside[tile] for tile in last.tiles])

    _others: ClassVar[dict[type[Operation], Callable[[LayerCutter, Operation, int], None]]] = {
        spat.InputOp: _input,
        spat.PlainLayerOp: _layer,
        spat.JoinOp: _join,
        spat.ComputeOp: _compute,
        spat.OutputOp: _output,
    }

    # limits -----------------------------------------------------------------------------------------------------

    def _count(self) -> None:
        """Count the operations appended since the last call; refuse a network that becomes too many."""
        op = self.into.first_op if self._counted is None else self._counted.next_op
        while op is not None:
            self._operations += sum(1 for _ in op.walk())
            if self._operations > MAX_OPERATIONS:
                node = op.node.data if isinstance(op, spat.ComputeOp) else ""
                raise CompileError(
                    f"{node and 'node '}{node or 'the network'}: the network becomes more than {MAX_OPERATIONS} "
                    f"operations, for which there is no time; use a smaller one, or an {option('arch')} with larger "
                    "crossbars",
                    node,
                )
            self._counted, op = op, op.next_op
