"""Builds one `spat.compute`: asks for channel ranges of feature maps, runs kernels, yields tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.lowering.feature_map import FeatureMap, Tile

Pads = tuple[int, int, int, int]  # top, left, bottom, right
NO_PADS: Pads = (0, 0, 0, 0)


class ComputeBuilder:
    """One compute on one core; operands are collected as its body asks for them."""

    def __init__(self, into: Block, core: int, node: str, part: str = "") -> None:
        self._into, self._core, self._node, self._part = into, core, node, part
        self._block = Block()
        self._arguments: dict[SSAValue, SSAValue] = {}

    def tile(self, value: SSAValue) -> SSAValue:
        """The body's argument for a tile made elsewhere."""
        if value not in self._arguments:
            self._arguments[value] = self._block.insert_arg(value.type, len(self._block.args))
        return self._arguments[value]

    def channels(self, source: FeatureMap, low: int, high: int, pads: Pads = NO_PADS) -> SSAValue:
        """Channels [low, high) of a feature map as one tile, padded with zeros."""
        slices = source.slices(low, high)
        height, width = source.extent[1] + pads[0] + pads[2], source.extent[2] + pads[1] + pads[3]
        if len(slices) == 1 and pads == NO_PADS:
            tile, _, size = slices[0]
            if size == tile.high - tile.low:
                return self.tile(tile.value)
        origins: list[int] = []
        at = 0
        for _, _, size in slices:
            origins += [pads[0], pads[1], at]
            at += size
        return self.concat(
            [self.tile(tile.value) for tile, _, _ in slices],
            origins,
            [start for _, start, _ in slices],
            [size for _, _, size in slices],
            (height, width, high - low),
        )

    def concat(
        self,
        tiles: Sequence[SSAValue],
        origins: Sequence[int],
        starts: Sequence[int],
        sizes: Sequence[int],
        shape: Sequence[int],
    ) -> SSAValue:
        """A tile of `shape` with channel slices of `tiles` at `origins` (y, x, channel each)."""
        properties = {"origins": attr.ints(origins), "starts": attr.ints(starts), "sizes": attr.ints(sizes)}
        return self.kernel(ConcatOp, tiles, [shape], properties)[0]

    def kernel(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        shapes: Sequence[Sequence[int]],
        properties: Mapping[str, Attribute],
        epilogue: attr.Epilogue = (),
    ) -> Sequence[SSAValue]:
        """Append a kernel with one result tile per shape."""
        full = dict(properties)
        if epilogue:
            full["epilogue"] = attr.epilogue_attribute(epilogue)
        op = kind.create(operands=inputs, result_types=[attr.tile_type(shape) for shape in shapes], properties=full)
        self._block.add_op(op)
        return op.results

    def finish(self, outputs: Sequence[tuple[FeatureMap | None, int, int, SSAValue]]) -> list[Tile]:
        """Yield (feature map, or None for a partial sum; low; high; tile) and append the compute."""
        self._block.add_op(spat.YieldOp(operands=[[value for *_, value in outputs]]))
        properties: dict[str, Attribute] = {
            "core": attr.integer(self._core),
            "node": StringAttr(self._node),
            "tensors": attr.strings(whole.tensor if whole else "" for whole, *_ in outputs),
            "forms": attr.forms(whole.form if whole else None for whole, *_ in outputs),
            "channels": attr.ints(bound for _, low, high, _ in outputs for bound in (low, high)),
        }
        if self._part:
            properties["part"] = StringAttr(self._part)
        op = spat.ComputeOp.create(
            operands=list(self._arguments),
            result_types=[value.type for *_, value in outputs],
            properties=properties,
            regions=[Region(self._block)],
        )
        self._into.add_op(op)
        return [
            Tile(low, high, result, self._core) for (_, low, high, _), result in zip(outputs, op.results, strict=True)
        ]
