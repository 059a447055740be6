"""What the layers of a network ask for when their weights are copied, from their matrices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from compiler.cutting.product import find_product
from compiler.dialects import spat
from compiler.partition.matrix import Matrix, capacity, widest
from compiler.partition.spread import best_cut
from compiler.schedules.cost import behind_ns, pixel_ns, writing_ns
from compiler.schedules.duplication import CHOICES, Choice, Demand, for_writing, least_cores
from compiler.schedules.following import longest
from compiler.schedules.parts import is_larger, parts_of, room_of
from compiler.session.context import CompilerContext
from emu.isa.dtypes import DType


def copies_for(context: CompilerContext, ops: Sequence[Operation], choose: Choice, cores: int) -> list[int]:
    """The copies of each layer of `ops` that multiplies that `choose` finds for so many cores.

    With segments, of a network that is larger than the cores: those that are worth their writes.
    """
    demands, kinds, room = _demands(context, ops)
    if _is_larger(context, ops, cores):
        full = writing_ns(context.arch, widest(context.arch, kinds), room, cores)
        return for_writing(demands, cores, round(1000 * full / cores))
    return choose(demands, cores)


def copies_from(context: CompilerContext, ops: Sequence[Operation]) -> dict[str, int]:
    """By goal: with how many cores at least `copies_for` gives some layer of `ops` a copy; not those that never do."""
    cores = context.cores
    if not _is_larger(context, ops, cores):
        return least_cores(_demands(context, ops)[0])
    return {goal: cores for goal, choose in CHOICES.items() if max(copies_for(context, ops, choose, cores)) > 1}


def _is_larger(context: CompilerContext, ops: Sequence[Operation], cores: int) -> bool:
    """Whether the network runs in segments, and takes more than so many cores."""
    layers = [op for op in ops if isinstance(op, spat.LayerOp)]
    return context.options.segments and is_larger(parts_of(context, layers), cores, room_of(context, layers))


def _demands(context: CompilerContext, ops: Sequence[Operation]) -> tuple[list[Demand], list[DType], int]:
    """What each layer that multiplies asks for, the types of its weights, and logical crossbars of a core for all."""
    layers = [op for op in ops if isinstance(op, spat.LayerOp) and find_product(op) is not None]
    products = [product for layer in layers if (product := find_product(layer)) is not None]
    kinds = [product.kernel.weight_type(context.weights) for product in products]
    room = max(1, capacity(context.arch, kinds))
    demands: list[Demand] = []
    for product, kind, behind in zip(products, kinds, behind_ns(context.arch, ops, layers), strict=True):
        matrix = product.matrix(context.arch, context.options.packing, kind)
        places = longest(product.kernel.output_shapes[0])
        demands.append(_demand(context, matrix, kind, places, behind, room))
    return demands, kinds, room


def _demand(context: CompilerContext, matrix: Matrix, kind: DType, places: int, behind: float, room: int) -> Demand:
    """Times are picoseconds: of the products at the pixels of a place, and of what its core does then."""
    row_parts, column_parts = best_cut(matrix.grid, room) or (1, 1)
    rows, columns = (-(-size // parts) for size, parts in zip(matrix.grid, (row_parts, column_parts), strict=True))
    time = matrix.pixels * pixel_ns(context.arch, kind, (rows, columns)) + behind * columns
    return Demand(row_parts * column_parts, places, max(1, round(1000 * time / places)))
