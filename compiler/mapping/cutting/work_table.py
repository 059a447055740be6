"""The table of a network's work: the layers whose weights stand on crossbars, for all that shares cores out to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation

from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.mapping.cutting.product import ProductLayer
from compiler.mapping.tiling.matrix import Matrix, Packing, capacity
from compiler.mapping.work import Work
from compiler.session.context import CompilerContext
from emu.arch import Arch
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class WholeRow:
    """A layer whose weights are not cut: they take one core."""

    layer: spat.LayerOp
    work: Work
    kinds: frozenset[DType]


@dataclass(frozen=True, slots=True)
class ProductRow:
    """What a layer multiplies, and its matrix, of weights of type `kind`."""

    product: ProductLayer
    matrix: Matrix
    kind: DType


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
        return sum(row.matrix.work.crossbars for row in self.products) + sum(row.work.crossbars for row in self.wholes)

    def is_larger(self, cores: int) -> bool:
        """Whether they take more than so many cores."""
        return self.crossbars > self.room * cores


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
                work = Work(sum(kernel.crossbars for kernel in kernels), sum(kernel.mvms for kernel in kernels))
                kinds = frozenset(kernel.weight_type(context.weights) for kernel in kernels)
                wholes.append(WholeRow(layer, work, kinds))
    return WorkTable(context.arch, products, wholes)
