"""Builds one `spat.layer`: kernels on whole tensors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.body import NO_PADS, BodyBuilder, Pads, channel_offsets
from compiler.lowering.feature_map import FeatureMap
from emu.program.form import Form


class LayerBuilder(BodyBuilder):
    """One layer of `node`."""

    def __init__(self, into: Block, node: str) -> None:
        super().__init__()
        self._into, self._node = into, node

    def tensor(self, source: FeatureMap) -> SSAValue:
        """The body's argument for a tensor."""
        return self.argument(source.tile)

    def channels(self, source: FeatureMap, low: int, high: int, pads: Pads = NO_PADS) -> SSAValue:
        """Channels [low, high) of a tensor, padded with zeros."""
        return self.join([(source.tile, low, high - low)], pads)

    def finish(self, made: SSAValue, tensor: str = "", form: Form | None = None, first: int = 0) -> SSAValue:
        """Append the layer of `made`, ONNX tensor `tensor` from channel `first` on if it is one; return its result."""
        return self.finish_all([(made, tensor, form)], first)[0]

    def finish_all(self, made: Sequence[tuple[SSAValue, str, Form | None]], first: int = 0) -> Sequence[SSAValue]:
        """Append the layer of values that are ONNX tensors (each from channel `first` on); return its results."""
        values = [value for value, _, _ in made]
        properties = {
            "node": StringAttr(self._node),
            "tensors": attr.strings(tensor for _, tensor, _ in made),
            "forms": attr.forms(form for _, _, form in made),
            "offsets": channel_offsets(values, [first] * len(values)),
        }
        return self.add_to(self._into, spat.LayerOp, values, properties)
