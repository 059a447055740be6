"""Builds one `spat.compute`: asks for channel ranges of tensors, runs kernels, yields tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from compiler.cutting.tiles import Tile, slices
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.types import dtype_of
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
        *sizes, _ = attr.shape_of(tiles[0].value)
        if len(parts) == 1 and pads == NO_PADS:
            tile, _, size = parts[0]
            if size == tile.high - tile.low:
                return self.tile(tile.value)
        before, after = ((*pads[at : at + 2], *[0] * (len(sizes) - 2)) for at in (0, 2))
        origins: list[int] = []
        at = 0
        for _, _, size in parts:
            origins += [*before, at]
            at += size
        properties = {
            "origins": attr.ints(origins),
            "starts": attr.ints(number for _, start, _ in parts for number in (*[0] * len(sizes), start)),
            "sizes": attr.ints(number for _, _, size in parts for number in (*sizes, size)),
        }
        shape = (*(sum(part) for part in zip(before, sizes, after, strict=True)), high - low)
        return self.kernel(ConcatOp, [self.tile(tile.value) for tile, _, _ in parts], [shape], properties)[0]

    def kernel(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        shapes: Sequence[Sequence[int]],
        properties: Mapping[str, Attribute],
    ) -> Sequence[SSAValue]:
        """Append a kernel with one result tile per shape, of elements as its inputs have them."""
        results = [attr.tile_type(shape, dtype_of(inputs[0])) for shape in shapes]
        op = kind.create(operands=inputs, result_types=results, properties=dict(properties))
        self.block.add_op(op)
        return op.made

    def finish(self, outputs: Sequence[tuple[int, int, SSAValue]], whole: bool = True) -> list[Tile]:
        """Yield (low, high, tile) of the layer's result, if not `whole` partial sums; append the compute."""
        layer, count = self._layer, len(outputs)
        first = attr.boxes(layer.offsets, layer.outputs)[0][-1][0]
        made = self._append(
            [value for *_, value in outputs],
            {
                "tensors": attr.strings([layer.tensors.data[0].data if whole else ""] * count),
                "forms": attr.repeated(layer.forms.data[0] if whole else None, count),
                "offsets": attr.ints(
                    at for low, _, value in outputs for at in (*[0] * (len(attr.shape_of(value)) - 1), first + low)
                ),
            },
        )
        return [Tile(low, high, result, self._cluster) for (low, high, _), result in zip(outputs, made, strict=True)]

    def finish_all(self, outputs: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Yield all that the layer makes, each whole; append the compute and return its results."""
        layer = self._layer
        return self._append(outputs, {name: layer.properties[name] for name in ("tensors", "forms", "offsets")})

    def _append(self, outputs: Sequence[SSAValue], properties: Mapping[str, Attribute]) -> Sequence[SSAValue]:
        self.block.add_op(spat.YieldOp(operands=[outputs]))
        full: dict[str, Attribute] = {"node": self._layer.node, **properties}
        if self._part:
            full["part"] = StringAttr(self._part)
        if self._cluster is not None:
            full["cluster"] = attr.integer(self._cluster)
        op = spat.ComputeOp.create(
            operands=list(self._arguments),
            result_types=[value.type for value in outputs],
            properties=full,
            regions=[Region(self.block)],
        )
        self._into.add_op(op)
        return op.outputs
