"""What of a network's layers takes crossbars, and whether that is more than its cores have."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.cutting.product import Product
from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.partition.matrix import Packing, capacity
from compiler.segmenting.plan import Part
from compiler.session.context import CompilerContext


def parts_of(context: CompilerContext, layers: Sequence[spat.LayerOp], packing: Packing) -> list[Part]:
    """The weights of each layer that has some on crossbars, by its place among `layers`."""
    found = (_part(context, number, layer, packing) for number, layer in enumerate(layers))
    return [part for part in found if part is not None]


def room_of(context: CompilerContext, layers: Sequence[spat.LayerOp]) -> int:
    """Logical crossbars of a core, each for any weights of these layers."""
    kinds = {
        kernel.weight_type(context.weights)
        for layer in layers
        for kernel in layer.body.block.ops
        if isinstance(kernel, Kernel) and kernel.crossbars
    }
    return capacity(context.arch, kinds)


def is_larger(parts: Sequence[Part], cores: int, room: int) -> bool:
    """Whether the parts take more than `cores` cores of `room` logical crossbars."""
    return sum(part.crossbars for part in parts) > room * cores


def _part(context: CompilerContext, number: int, layer: spat.LayerOp, packing: Packing) -> Part | None:
    """The weights of layer `number`; None if it has none on crossbars."""
    if isinstance(layer, spat.ProductOp):
        product = Product.of(layer)
        kind = product.kernel.weight_type(context.weights)
        matrix = product.matrix(context.arch, packing, kind)
        rows, cols = matrix.grid
        return Part(number, (0, rows), (0, cols), matrix.pixels, family=layer.node.data)
    crossbars = sum(kernel.crossbars for kernel in layer.body.block.ops if isinstance(kernel, Kernel))
    return Part(number, (0, crossbars), (0, 1), 1, cut=False) if crossbars else None
