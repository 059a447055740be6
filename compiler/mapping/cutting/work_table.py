"""The table of a network's work: the layers whose weights stand on crossbars, for all that shares cores out to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir import Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.mapping.cost import LayerTime, behind_ns, prices_of, within_ns
from compiler.mapping.cutting.product import ProductLayer
from compiler.mapping.tiling.allotment import Layers
from compiler.mapping.tiling.core_work import Feeds
from compiler.mapping.tiling.matrix import Matrix, Packing, WholeMatrix, capacity, widest
from compiler.session.context import CompilerContext
from emu.arch import Arch
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class WholeRow:
    """A layer whose weights are not cut: they take one core."""

    layer: spat.LayerOp
    matrix: WholeMatrix
    kinds: frozenset[DType]


@dataclass(frozen=True, slots=True)
class ProductRow:
    """What a layer multiplies, and its matrix, of weights of type `kind`."""

    product: ProductLayer
    matrix: Matrix
    kind: DType

    @property
    def layer(self) -> spat.LayerOp:
        """The layer."""
        return self.product.layer

    @property
    def kinds(self) -> frozenset[DType]:
        """The type of its weights."""
        return frozenset((self.kind,))


@dataclass(frozen=True)
class WorkTable:
    """The rows in the order of the layers: those that multiply, whose matrices are cut, and those that stay whole."""

    arch: Arch
    products: Sequence[ProductRow]
    wholes: Sequence[WholeRow]

    @cached_property
    def kinds(self) -> set[DType]:
        """The types of all weights."""
        return {row.kind for row in self.products}.union(*(row.kinds for row in self.wholes))

    @cached_property
    def room(self) -> int:
        """Logical crossbars of a core, each for any of these weights."""
        return capacity(self.arch, self.kinds)

    @cached_property
    def crossbars(self) -> int:
        """Logical crossbars of all weights."""
        return sum(row.matrix.work.crossbars for row in (*self.products, *self.wholes))

    def layers(self, ops: Sequence[Operation]) -> Layers:
        """All rows for who gives them cores; the rows are those of layers among `ops`."""
        rows = [*self.products, *self.wholes]
        found: list[spat.LayerOp] = [row.layer for row in rows]
        prices = {kind: prices_of(self.arch, kind) for kind in self.kinds}
        times = list[LayerTime]()
        for row, after in zip(rows, behind_ns(self.arch, ops, found), strict=True):
            behind = after
            if isinstance(row, WholeRow):  # its vector work stands on one core, however many columns it has
                behind = (after + within_ns(self.arch, row.layer)) / row.matrix.grid[1]
            times.append(LayerTime(prices[widest(self.arch, row.kinds)], row.matrix.pixels, behind))
        number = {layer: index for index, layer in enumerate(found)}
        order = [number[op] for op in ops if isinstance(op, spat.LayerOp) and op in number]
        matrices, wholes = [row.matrix for row in self.products], [row.matrix for row in self.wholes]
        return Layers(matrices, wholes, order, feeds_of(ops, found), times)

    def is_larger(self, cores: int) -> bool:
        """Whether they take more than so many cores."""
        return self.crossbars > self.room * cores


def _whole(layer: spat.LayerOp, kernels: Sequence[Kernel]) -> WholeMatrix:
    """The crossbars of all kernels of a layer, in row tiles and column tiles if they have equally many row tiles."""
    crossbars, mvms = sum(kernel.crossbars for kernel in kernels), sum(kernel.mvms for kernel in kernels)
    rows = max(-(-kernel.largest_group[0] // kernel.tallest) for kernel in kernels)
    tiles = (rows, crossbars // rows) if crossbars % rows == 0 else (1, crossbars)
    elements = sum(prod(attr.shape_of(value)) for value in layer.tiles)
    return WholeMatrix(layer.node.data, tiles, -(-mvms // crossbars), elements)


def work_table(context: CompilerContext, ops: Iterable[Operation], packing: Packing) -> WorkTable:
    """The table of the layers among `ops`, with matrices packed so."""
    products, wholes = list[ProductRow](), list[WholeRow]()
    for layer in ops:
        if isinstance(layer, spat.ProductOp):
            product = ProductLayer.of(layer)
            kind = product.kernel.weight_type(context.weights)
            products.append(ProductRow(product, product.matrix(context.arch, packing, kind), kind))
        elif isinstance(layer, spat.LayerOp):
            kernels = [op for op in layer.body.block.ops if isinstance(op, Kernel) and op.crossbars]
            if kernels:
                kinds = frozenset(kernel.weight_type(context.weights) for kernel in kernels)
                wholes.append(WholeRow(layer, _whole(layer, kernels), kinds))
    return WorkTable(context.arch, products, wholes)


def feeds_of(ops: Iterable[Operation], layers: Sequence[spat.LayerOp]) -> Feeds:
    """By number of a layer those whose results reach it through operations that are none of `layers`."""
    index = {layer: number for number, layer in enumerate(layers)}
    reach: dict[SSAValue, frozenset[int]] = {}
    feeds: dict[int, frozenset[int]] = {}
    for op in ops:
        found = frozenset[int]().union(*(reach.get(value, ()) for value in op.operands))
        if isinstance(op, spat.LayerOp) and op in index:
            feeds[index[op]] = found
            found = frozenset((index[op],))
        reach.update(dict.fromkeys(op.results, found))
    return feeds
