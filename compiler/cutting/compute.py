"""Builds one `spat.compute`: asks for channel ranges of tensors, runs kernels, yields tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from compiler.cutting.tiles import Tile, slices
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.lowering.layer import NO_PADS, Pads


class ComputeBuilder:
    """One compute of a layer; operands are collected as its body asks for them."""

    def __init__(self, into: Block, layer: spat.LayerOp, part: str = "", cluster: int | None = None) -> None:
        self._into, self._layer, self._part, self._cluster = into, layer, part, cluster
        self.block = Block()
        self._arguments: dict[SSAValue, SSAValue] = {}

    def tile(self, value: SSAValue) -> SSAValue:
        """The body's argument for a tile made elsewhere."""
        if value not in self._arguments:
            self._arguments[value] = self.block.insert_arg(value.type, len(self.block.args))
        return self._arguments[value]

    def channels(self, tiles: Sequence[Tile], low: int, high: int, pads: Pads = NO_PADS) -> SSAValue:
        """Channels [low, high) of a tensor as one tile, padded with zeros."""
        parts = slices(tiles, low, high)
        height, width, _ = attr.shape_of(tiles[0].value)
        if len(parts) == 1 and pads == NO_PADS:
            tile, _, size = parts[0]
            if size == tile.high - tile.low:
                return self.tile(tile.value)
        origins: list[int] = []
        at = 0
        for _, _, size in parts:
            origins += [pads[0], pads[1], at]
            at += size
        properties = {
            "origins": attr.ints(origins),
            "starts": attr.ints(start for _, start, _ in parts),
            "sizes": attr.ints(size for _, _, size in parts),
        }
        shape = (height + pads[0] + pads[2], width + pads[1] + pads[3], high - low)
        return self.kernel(ConcatOp, [self.tile(tile.value) for tile, _, _ in parts], [shape], properties)[0]

    def kernel(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        shapes: Sequence[Sequence[int]],
        properties: Mapping[str, Attribute],
    ) -> Sequence[SSAValue]:
        """Append a kernel with one result tile per shape."""
        results = [attr.tile_type(shape) for shape in shapes]
        op = kind.create(operands=inputs, result_types=results, properties=dict(properties))
        self.block.add_op(op)
        return op.made

    def finish(self, outputs: Sequence[tuple[int, int, SSAValue]], whole: bool = True) -> list[Tile]:
        """Yield (low, high, tile) of the layer's result, if not `whole` partial sums; append the compute."""
        self.block.add_op(spat.YieldOp(operands=[[value for *_, value in outputs]]))
        layer, count = self._layer, len(outputs)
        first = attr.values(layer.channels)[0]
        properties: dict[str, Attribute] = {
            "node": layer.node,
            "tensors": attr.strings([layer.tensors.data[0].data if whole else ""] * count),
            "forms": attr.repeated(layer.forms.data[0] if whole else None, count),
            "channels": attr.ints(first + bound for low, high, _ in outputs for bound in (low, high)),
        }
        if self._part:
            properties["part"] = StringAttr(self._part)
        if self._cluster is not None:
            properties["cluster"] = attr.integer(self._cluster)
        op = spat.ComputeOp.create(
            operands=list(self._arguments),
            result_types=[value.type for *_, value in outputs],
            properties=properties,
            regions=[Region(self.block)],
        )
        self._into.add_op(op)
        return [
            Tile(low, high, result, self._cluster) for (low, high, _), result in zip(outputs, op.outputs, strict=True)
        ]
