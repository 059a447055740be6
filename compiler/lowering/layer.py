"""Builds one layer, a `spat.product` or a `spat.layer`: kernels on whole tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects.boxes import FormsAttr, boxes_at
from compiler.kernels.body import NO_PADS, BodyBuilder, Pads, padded_box
from compiler.kernels.product import add_layer
from compiler.lowering.feature_map import FeatureMap
from emu.program.form import Form


class LayerBuilder(BodyBuilder):
    """The layer of ONNX node `node`, appended to `into` when it is finished."""

    def __init__(self, into: Block, node: str) -> None:
        super().__init__()
        self._into, self._node = into, node

    def tensor(self, source: FeatureMap) -> SSAValue:
        """The body's argument for all of a tensor."""
        return self.argument(source.tile)

    def channels(self, source: FeatureMap, low: int, high: int, pads: Pads = NO_PADS, fill: int = 0) -> SSAValue:
        """Channels [low, high) of a tensor, padded with `fill`."""
        (origin, start, kept), padded = padded_box(source.form.sizes[:-1], pads)
        part = source.tile, (*origin, 0), (*start, low), (*kept, high - low)
        return self.join([part], (*padded, high - low), fill)

    def finish(self, made: SSAValue, tensor: str = "", form: Form | None = None, first: int = 0) -> SSAValue:
        """Append the layer that makes `made` and return its result.

        That is ONNX tensor `tensor` of `form`, from channel `first` on; without a name, no tensor of the network.
        """
        return self.finish_all([(made, tensor, form)], first)[0]

    def finish_all(self, made: Sequence[tuple[SSAValue, str, Form | None]], first: int = 0) -> Sequence[SSAValue]:
        """Append the layer of several results, each (value, ONNX tensor, form) as in `finish`; return them."""
        values = [value for value, _, _ in made]
        properties = {
            "node": StringAttr(self._node),
            "tensors": attr.strings(tensor for _, tensor, _ in made),
            "forms": FormsAttr(tuple(form for _, _, form in made)),
            "boxes": boxes_at(((*[0] * (len(attr.shape_of(value)) - 1), first) for value in values), values),
        }
        return add_layer(self, self._into, values, properties)
