"""Bands: a layer cut along an axis of its result into layers, each with the boxes of the operands that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.boxes import BoxesAttr
from compiler.dialects.parts import Part, PartsAttr
from compiler.dialects.types import dtype_of
from compiler.kernels.axis_cut import part_of
from compiler.kernels.body import BodyBuilder
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.kernels.product import add_layer
from emu.program.form import Box, box_shape

Range = tuple[int, int]  # places along an axis


def cut_layer(layer: spat.LayerOp, axis: int, bands: Sequence[Range], into: Block) -> list[SSAValue] | None:
    """The `bands` of places along `axis` of a layer's only result, each made by a layer appended to `into`.

    None if a kernel cannot be cut so without another bit in its result.
    """
    made: list[SSAValue] = []
    for band in bands:
        value = _band(layer, axis, band, into)
        if value is None:
            return None
        made.append(value)
    return made


def cut_input(op: spat.InputOp, axis: int, bands: Sequence[Range], into: Block) -> list[SSAValue]:
    """The `bands` of places along `axis` of a network input, each a box of its own appended to `into`."""
    made: list[SSAValue] = []
    for low, high in bands:
        box = list(op.boxes.data[0])
        box[axis] = box[axis][0] + low, box[axis][0] + high
        kind = attr.tile_type(box_shape(tuple(box)), dtype_of(op.tile))
        properties = {**op.properties, "boxes": BoxesAttr((tuple(box),))}
        part = spat.InputOp.create(result_types=[kind], properties=properties)
        into.add_op(part)
        made.append(part.tile)
    return made


def _band(layer: spat.LayerOp, axis: int, band: Range, into: Block) -> SSAValue | None:
    (value,) = cast(spat.YieldOp, layer.body.block.last_op).tiles
    builder = _BandBuilder(layer)
    made = builder.part(value, part_of(attr.shape_of(value), axis, *band))
    if made is None:
        return None
    box = list(layer.boxes.data[0])
    box[axis] = box[axis][0] + band[0], box[axis][0] + band[1]
    properties = {**layer.properties, "boxes": BoxesAttr((tuple(box),))}
    return add_layer(builder, into, [made], properties)[0]


class _BandBuilder(BodyBuilder):
    """The body of one band of `layer`: kernels that make a box of what those of the layer make."""

    def __init__(self, layer: spat.LayerOp) -> None:
        super().__init__()
        self._layer = layer

    def part(self, value: SSAValue, box: Box) -> SSAValue | None:
        """`box` of a value in the body of the layer; None if its kernel cannot be cut so."""
        shape = attr.shape_of(value)
        if isinstance(value, BlockArgument):
            start, sizes = tuple(low for low, _ in box), box_shape(box)
            return self.join([(self._layer.tiles[value.index], (0,) * len(box), start, sizes)], sizes)
        kernel = cast(Kernel, value.owner)
        cut = [axis for axis, size in enumerate(shape) if box[axis] != (0, size)]
        if len(kernel.made) > 1 or len(cut) > 1 or shape[-1:] != box_shape(box)[-1:] or not value.has_one_use():
            return None
        boxes: Sequence[Box | None] = [tuple((0, size) for size in sizes) for sizes in kernel.input_shapes]
        properties = dict(kernel.properties)
        if cut:
            part = kernel.cut_axis(cut[0], *box[cut[0]])
            if part is None:
                return None
            boxes, properties = part.boxes, {**properties, **part.properties}
        inputs: list[SSAValue] = []
        for operand, needed in zip(kernel.inputs, boxes, strict=True):
            if needed is not None:
                made = self.part(operand, needed)
                if made is None:
                    return None
                inputs.append(made)
        if isinstance(kernel, ConcatOp):
            inputs, properties = self._folded(inputs, properties, value)
        return self.typed(type(kernel), inputs, [(box_shape(box), kernel.dtype)], properties)[0]

    def _folded(
        self, inputs: Sequence[SSAValue], properties: dict[str, Attribute], made: SSAValue
    ) -> tuple[list[SSAValue], dict[str, Attribute]]:
        """A box of a box as one: padding before a product takes its rows from the whole tensor."""
        if any(isinstance(use.operation, spat.YieldOp) for use in made.uses):
            return list(inputs), properties
        found, sources = list[Part](), list[SSAValue]()
        for (origin, at, sizes), value in zip(cast(PartsAttr, properties["parts"]).data, inputs, strict=True):
            box = value.owner
            if isinstance(box, ConcatOp) and isinstance(box.inputs[0], BlockArgument):
                ((_, begin, _),) = box.parts.data
                at, value = tuple(a + b for a, b in zip(at, begin, strict=True)), box.inputs[0]
                box.detach()
                box.erase()
            found.append((origin, at, sizes))
            sources.append(value)
        return sources, {**properties, "parts": PartsAttr(tuple(found))}
