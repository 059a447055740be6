"""Builds one `spat.compute`: asks for boxes of tensors, runs kernels, yields tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.boxes import FormsAttr, boxes_at
from compiler.dialects.names import RESIDENT
from compiler.kernels.body import NO_PADS, BodyBuilder, Pads, padded_box
from compiler.mapping.cutting.tiles import Tile, overlapping
from compiler.mapping.tiling.matrix import Stay
from emu.program.form import Box, box_shape


class ComputeBuilder(BodyBuilder):
    """One compute of `layer`, appended to `into` when it is finished.

    `part` says which part of the layer it is, in words; computes of one `cluster` are meant for one core. `stay` is
    where its weights were decided to be.
    """

    def __init__(
        self, into: Block, layer: spat.LayerOp, part: str = "", cluster: int | None = None, stay: Stay | None = None
    ) -> None:
        super().__init__()
        self._stay = stay
        self._into, self._layer, self._part, self._cluster = into, layer, part, cluster

    def channels(self, tiles: Sequence[Tile], low: int, high: int, pads: Pads = NO_PADS, fill: float = 0) -> SSAValue:
        """Channels [low, high) of the tensor that `tiles` make up, as one tile in the body, padded with `fill`.

        Where pads cut the tensor off, tiles that lie beyond are not used.
        """
        sizes = [max(tile.box[axis][1] for tile in tiles) for axis in range(len(tiles[0].box) - 1)]
        (origin, start, kept), padded = padded_box(sizes, pads)
        box = (*((at, at + size) for at, size in zip(start, kept, strict=True)), (low, high))
        return self._placed(tiles, box, (*origin, 0), (*padded, high - low), fill)

    def box(self, tiles: Sequence[Tile], box: Box) -> SSAValue:
        """`box` of the tensor that `tiles` make up, as one tile in the body; tiles that lie beside it are not used."""
        return self._placed(tiles, box, (0,) * len(box), box_shape(box))

    def _placed(
        self, tiles: Sequence[Tile], box: Box, place: Sequence[int], shape: Sequence[int], fill: float = 0
    ) -> SSAValue:
        """`box` of the tensor that `tiles` make up, from `place` on in a tile of `shape`."""
        boxes: list[tuple[SSAValue, tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = []
        for tile, common in overlapping(tiles, box):
            to = tuple(first - at + by for (first, _), (at, _), by in zip(common, box, place, strict=True))
            inside = tuple(first - at for (first, _), (at, _) in zip(common, tile.box, strict=True))
            boxes.append((tile.value, to, inside, box_shape(common)))
        return self.join(boxes, shape, fill)

    def finish(self, outputs: Sequence[tuple[int, int, SSAValue]], whole: bool = True) -> list[Tile]:
        """Append the compute that makes channels [low, high) of the layer's result as each (low, high, value).

        Without `whole` they are partial sums. Returns the tiles, by the same channels.
        """
        layer, count = self._layer, len(outputs)
        (*begins, first) = (low for low, _ in layer.boxes.data[0])
        properties = {
            "tensors": attr.strings([layer.tensors.data[0].data if whole else ""] * count),
            "forms": FormsAttr((layer.forms.data[0] if whole else None,) * count),
            "boxes": boxes_at(((*begins, first + low) for low, _, _ in outputs), [value for *_, value in outputs]),
        }
        made = self._append([value for *_, value in outputs], properties)
        rest = tuple((0, size) for size in attr.shape_of(layer.outputs[0])[:-1])
        return [
            Tile((*rest, (low, high)), result, self._cluster)
            for (low, high, _), result in zip(outputs, made, strict=True)
        ]

    def finish_parts(self, tile: Tile, maker: spat.ComputeOp, ranges: Sequence[tuple[int, int]]) -> list[Tile]:
        """Append the compute that copies a tile of `maker` in parts, each a range of its channels.

        They are boxes of the tensor that `maker` makes, and belong to its node, whatever the layer is.
        """
        number = maker.outputs.index(tile.value)
        *begins, first = (low for low, _ in maker.boxes.data[number])
        made = [self.channels([tile], *part) for part in ranges]
        properties = {
            "node": maker.node,
            "tensors": attr.strings([maker.tensors.data[number].data] * len(ranges)),
            "forms": FormsAttr((maker.forms.data[number],) * len(ranges)),
            "boxes": boxes_at(((*begins, first + low - tile.low) for low, _ in ranges), made),
        }
        values = self._append(made, properties)
        return [Tile((*tile.box[:-1], part), value, self._cluster) for part, value in zip(ranges, values, strict=True)]

    def finish_all(self, outputs: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Append a compute that makes all results of the layer, each whole, as `outputs`; returns its results."""
        layer = self._layer
        return self._append(outputs, {name: layer.properties[name] for name in ("tensors", "forms", "boxes")})

    def _append(self, outputs: Sequence[SSAValue], properties: Mapping[str, Attribute]) -> Sequence[SSAValue]:
        full: dict[str, Attribute] = {"node": self._layer.node, **properties}
        if self._part:
            full["part"] = StringAttr(self._part)
        if self._cluster is not None:
            full["cluster"] = attr.integer(self._cluster)
        if self._stay is not None:
            full["core"] = attr.integer(self._stay.core)
            if self._stay.segment != RESIDENT:
                full["segment"] = attr.integer(self._stay.segment)
        return self.add_to(self._into, spat.ComputeOp, outputs, full)
