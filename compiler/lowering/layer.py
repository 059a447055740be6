"""Builds one `spat.layer`: kernels on whole tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.dialects.types import dtype_of
from compiler.kernels.concat import ConcatOp
from compiler.kernels.kernel import Kernel
from compiler.lowering.feature_map import FeatureMap
from emu.program.form import Form

Pads = tuple[int, int, int, int]  # top, left, bottom, right
NO_PADS: Pads = (0, 0, 0, 0)


class LayerBuilder:
    """One layer of `node`; operands are collected as its body asks for them."""

    def __init__(self, into: Block, node: str) -> None:
        self._into, self._node = into, node
        self._block = Block()
        self._arguments: dict[SSAValue, SSAValue] = {}

    def argument(self, source: FeatureMap) -> SSAValue:
        """The body's argument for a tensor."""
        value = source.tile
        if value not in self._arguments:
            self._arguments[value] = self._block.insert_arg(value.type, len(self._block.args))
        return self._arguments[value]

    def channels(self, source: FeatureMap, low: int, high: int, pads: Pads = NO_PADS) -> SSAValue:
        """Channels [low, high) of a tensor, padded with zeros."""
        height, width, channels = source.form.sizes
        if (low, high) == (0, channels) and pads == NO_PADS:
            return self.argument(source)
        shape = (height + pads[0] + pads[2], width + pads[1] + pads[3], high - low)
        properties = {
            "origins": attr.ints((pads[0], pads[1], 0)),
            "starts": attr.ints((0, 0, low)),
            "sizes": attr.ints((height, width, high - low)),
        }
        return self.kernel(ConcatOp, [self.argument(source)], shape, properties)

    def kernel(
        self,
        kind: type[Kernel],
        inputs: Sequence[SSAValue],
        shape: Sequence[int],
        properties: Mapping[str, Attribute],
        epilogue: attr.Epilogue = (),
    ) -> SSAValue:
        """Append a kernel that makes a tile of `shape`, of elements as its inputs have them."""
        full = {**properties, "epilogue": attr.epilogue_attribute(epilogue)} if epilogue else dict(properties)
        op = kind.create(operands=inputs, result_types=[attr.tile_type(shape, dtype_of(inputs[0]))], properties=full)
        self._block.add_op(op)
        return op.made[0]

    def finish(self, made: SSAValue, tensor: str = "", form: Form | None = None, first: int = 0) -> SSAValue:
        """Append the layer of `made`, ONNX tensor `tensor` from channel `first` on if it is one; return its result."""
        return self.finish_all([(made, tensor, form)], first)[0]

    def finish_all(self, made: Sequence[tuple[SSAValue, str, Form | None]], first: int = 0) -> Sequence[SSAValue]:
        """Append the layer of values that are ONNX tensors (each from channel `first` on); return its results."""
        values = [value for value, _, _ in made]
        self._block.add_op(spat.YieldOp(operands=[values]))
        op = spat.LayerOp.create(
            operands=list(self._arguments),
            result_types=[value.type for value in values],
            properties={
                "node": StringAttr(self._node),
                "tensors": attr.strings(tensor for _, tensor, _ in made),
                "forms": attr.forms(form for _, _, form in made),
                "offsets": attr.ints(at for value in values for at in (*[0] * (len(attr.shape_of(value)) - 1), first)),
            },
            regions=[Region(self._block)],
        )
        self._into.add_op(op)
        return op.outputs
