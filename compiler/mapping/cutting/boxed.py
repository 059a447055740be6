"""What a layer takes of its operands: all of a tensor, or a box of it, as bands of rows do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.ir import BlockArgument, SSAValue

from compiler.dialects import spat
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.mapping.cutting.tiles import whole_tile
from emu.program.form import Box


@dataclass(frozen=True, slots=True)
class BoxedOperand:
    """The `box` of the tensor `source`, which has all channels of it: what a kernel sees as its operand."""

    source: SSAValue
    box: Box

    @property
    def whole(self) -> bool:
        """Whether it is all of the tensor."""
        return self.box == whole_tile(self.source).box

    def part(self, box: Box) -> Box:
        """`box` of what the kernel sees, as a box of the tensor."""
        return tuple((low + first, high + first) for (low, high), (first, _) in zip(box, self.box, strict=True))


def operands_of(layer: spat.LayerOp) -> dict[SSAValue, BoxedOperand]:
    """The operands of the kernels of a layer, by the value in its body: arguments, and boxes that are cut from them."""
    found: dict[SSAValue, BoxedOperand] = {}
    for op in layer.body.block.ops:
        if isinstance(op, ConcatOp) and _only_cuts(op):
            found[op.made[0]] = _boxed(layer, op)
            continue
        for value in op.operands:
            if isinstance(value, BlockArgument) and value not in found:
                source = layer.tiles[value.index]
                found[value] = BoxedOperand(source, whole_tile(source).box)
    return found


def boxed_kernel(layer: spat.LayerOp) -> tuple[Kernel, list[BoxedOperand]] | None:
    """The kernel that alone makes a layer's result, and its operands; None for any other layer."""
    operands = operands_of(layer)
    kernels = [op for op in layer.body.block.ops if isinstance(op, Kernel) and op.made[0] not in operands]
    if len(kernels) != 1 or len(layer.outputs) != 1:
        return None
    return kernels[0], [operands[value] for value in kernels[0].inputs]


def _only_cuts(op: ConcatOp) -> bool:
    """Whether it is a box of one operand, with all channels of it, for other kernels."""
    if len(op.inputs) != 1 or not isinstance(op.inputs[0], BlockArgument) or op.activations:
        return False
    if any(isinstance(use.operation, spat.YieldOp) for use in op.made[0].uses):
        return False
    ((origin, start, sizes),) = op.parts.data
    return not any(origin) and sizes == op.output_shapes[0] and (start[-1], sizes[-1]) == (0, op.input_shapes[0][-1])


def _boxed(layer: spat.LayerOp, op: ConcatOp) -> BoxedOperand:
    source = layer.tiles[cast(BlockArgument, op.inputs[0]).index]
    ((_, start, sizes),) = op.parts.data
    return BoxedOperand(source, tuple((at, at + size) for at, size in zip(start, sizes, strict=True)))
