"""What a `spat.product` multiplies, and which layers are such products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.body import NO_PADS, BodyBuilder, Pads, padded_box
from compiler.kernels.concat import ConcatOp


class Multiplied(NamedTuple):
    """What a body multiplies: channels of its `argument`, from `offset` on, padded, with the weights of `kernel`.

    What stands in the padding is `fill`.
    """

    kernel: ApplyFiltersOp | ApplyBlocksOp
    argument: BlockArgument
    offset: int
    pads: Pads
    fill: int


def multiplied_by(layer: spat.LayerOp) -> Multiplied | None:
    """What a layer multiplies; None for one that is no product."""
    return multiplied(layer.body.block, cast(spat.YieldOp, layer.body.block.last_op).tiles)


def multiplied(body: Block, made: Sequence[SSAValue]) -> Multiplied | None:
    """What the body of a layer that yields `made` multiplies; None for one that is no product."""
    *before, kernel = [op for op in body.ops if not isinstance(op, spat.YieldOp)] or [None]
    if not isinstance(kernel, ApplyFiltersOp | ApplyBlocksOp) or len(kernel.inputs) != 1 or not _is_whole(kernel, made):
        return None
    padded, offset, pads, fill = kernel.inputs[0], 0, NO_PADS, 0
    if len(before) == 1 and isinstance(before[0], ConcatOp) and len(before[0].inputs) == 1:
        concat = before[0]
        (origin, start, sizes), shape, whole = concat.parts.data[0], concat.input_shapes[0], concat.output_shapes[0]
        begins = [at - cut for at, cut in zip(origin[:-1], start[:-1], strict=True)]
        ends = [size - at - part for size, at, part in zip(whole[:-1], begins, shape[:-1], strict=True)]
        offset, pads = start[-1], (*begins, *ends)
        if (
            not float(concat.number).is_integer()
            or origin[-1]
            or sizes[-1] != whole[-1]
            or padded is not concat.made[0]
            or padded_box(shape[:-1], pads)[0] != (origin[:-1], start[:-1], sizes[:-1])
        ):
            return None
        padded, fill = concat.inputs[0], int(concat.number)
    elif before:
        return None
    return Multiplied(kernel, padded, offset, pads, fill) if isinstance(padded, BlockArgument) else None


def _is_whole(kernel: ApplyFiltersOp | ApplyBlocksOp, made: Sequence[SSAValue]) -> bool:
    """Whether `made` is what the kernel makes of all rows of all filters."""
    if list(made) != list(kernel.made):
        return False
    if isinstance(kernel, ApplyBlocksOp):
        return kernel.blocks.data == ((0, kernel.groups.value.data),)
    return len(kernel.made) == 1 and (*attr.values(kernel.origins), kernel.channels.whole[0]) == (0, 0)


def add_layer(
    builder: BodyBuilder, into: Block, made: Sequence[SSAValue], properties: Mapping[str, Attribute]
) -> Sequence[SSAValue]:
    """Append the layer that yields `made`, a `spat.product` if its body multiplies; returns its results."""
    kind = spat.PlainLayerOp if multiplied(builder.block, made) is None else spat.ProductOp
    return builder.add_to(into, kind, made, properties)
