"""What a layer takes of its operands: all of a tensor, or a box of it, as bands of rows do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.ir import BlockArgument, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.body import Pads
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from emu.program.form import Box


@dataclass(frozen=True, slots=True)
class Operand:
    """All channels of the tensor `source`, of which `pads`, none of them above 0, cut off what is not needed."""

    source: SSAValue
    pads: Pads

    @property
    def box(self) -> Box:
        """What is needed."""
        *sizes, channels = attr.shape_of(self.source)
        half = len(sizes)
        ends = zip(self.pads[:half], sizes, self.pads[half:], strict=True)
        return (*((-before, size + after) for before, size, after in ends), (0, channels))


def operands_of(layer: spat.LayerOp) -> dict[SSAValue, Operand]:
    """The operands of the kernels of a layer, by the value in its body: arguments, and boxes that are cut from them."""
    found: dict[SSAValue, Operand] = {}
    for op in layer.body.block.ops:
        if isinstance(op, ConcatOp) and _only_cuts(op):
            found[op.made[0]] = _cut(layer, op)
            continue
        for value in op.operands:
            if isinstance(value, BlockArgument) and value not in found:
                source = layer.tiles[value.index]
                found[value] = Operand(source, (0,) * 2 * (len(attr.shape_of(source)) - 1))
    return found


def boxed_kernel(layer: spat.LayerOp) -> tuple[Kernel, list[Operand]] | None:
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
    ((origin, start, sizes),) = op.boxes()
    return not any(origin) and sizes == op.output_shapes[0] and (start[-1], sizes[-1]) == (0, op.input_shapes[0][-1])


def _cut(layer: spat.LayerOp, op: ConcatOp) -> Operand:
    source = layer.tiles[cast(BlockArgument, op.inputs[0]).index]
    ((_, start, sizes),) = op.boxes()
    ends = zip(start[:-1], sizes[:-1], attr.shape_of(source)[:-1], strict=True)
    return Operand(source, (*(-at for at in start[:-1]), *(at + size - full for at, size, full in ends)))
