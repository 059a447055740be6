"""What the layers of a network ask for when their weights are copied, from their matrices."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.cutting.product import Product, find_product
from compiler.dialects import spat
from compiler.partition.matrix import Matrix, capacity
from compiler.partition.spread import best_cut
from compiler.schedules.duplication import Choice, Demand
from compiler.schedules.following import longest
from compiler.session.context import CompilerContext


def copies_for(context: CompilerContext, layers: Sequence[spat.LayerOp], choose: Choice, cores: int) -> list[int]:
    """The copies of each of `layers`, which multiply, that `choose` finds for so many cores."""
    products = [product for layer in layers if (product := find_product(layer)) is not None]
    kinds = [product.kernel.weight_type(context.weights) for product in products]
    room = max(1, capacity(context.arch, kinds))
    matrices = [
        product.matrix(context.arch, context.options.packing, kind)
        for product, kind in zip(products, kinds, strict=True)
    ]
    return choose([_demand(*pair, room) for pair in zip(products, matrices, strict=True)], cores)


def _demand(product: Product, matrix: Matrix, room: int) -> Demand:
    """Column tiles of one core follow each other at a pixel; row tiles of one core are one product."""
    row_parts, column_parts = best_cut(matrix.grid, room) or (1, 1)
    places = longest(product.kernel.output_shapes[0])
    columns = -(-matrix.grid[1] // column_parts)
    return Demand(row_parts * column_parts, places, max(1, matrix.pixels // places) * columns)
