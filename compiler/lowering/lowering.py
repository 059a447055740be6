"""The state of one lowering: the feature maps of values, and the layers made so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import onnx, spat
from compiler.kernels.kernel import Kernel
from compiler.kernels.relayout import RelayoutOp
from compiler.lowering.activations import ACTIVATIONS, activation_of
from compiler.lowering.feature_map import (
    Extent,
    FeatureMap,
    Layout,
    channel_first,
    channel_last,
    factors,
    normalised,
    place_shape,
    refine,
)
from compiler.lowering.layer import LayerBuilder
from compiler.session.context import CompilerContext
from emu.errors import CompileError
from emu.program.form import Form


@dataclass(frozen=True, slots=True)
class Target:
    """What a layer is to make: an ONNX value, its tensor and form, and the activations that are fused into it."""

    value: SSAValue
    tensor: str
    form: Form
    epilogue: attr.Epilogue

    @property
    def tile(self) -> tuple[int, int, int]:
        """The shape [height][width][channel] of the whole tensor."""
        channels, height, width = self.form.extent
        return height, width, channels


class Lowering:
    """Lowers operators in order, each to layers on whole tensors."""

    def __init__(self, context: CompilerContext, into: Block) -> None:
        self.context = context
        self.weights = context.weights
        self.into = into
        self.maps: dict[SSAValue, FeatureMap] = {}
        self.fused: set[Operation] = set()

    # results ----------------------------------------------------------------------------------------------------

    def target(self, op: onnx.OnnxOp, extent: Extent, layout: Layout) -> Target:
        """What the layer of `op` makes, with the activations that follow it alone fused into it."""
        epilogue: list[tuple[str, tuple[float, ...]]] = []
        last = op
        while (user := self._only_user(last.result)) is not None and type(user) in ACTIVATIONS:
            epilogue.append(activation_of(user))
            self.fused.add(user)
            self.context.fates.fused(last.tensor.data, cast(onnx.OnnxOp, user).tensor.data)
            last = cast(onnx.OnnxOp, user)
        form = Form(op.shape, extent, normalised(layout, extent))
        return Target(last.result, last.tensor.data, form, tuple(epilogue))

    @staticmethod
    def _only_user(value: SSAValue) -> Operation | None:
        uses = list(value.uses)
        return uses[0].operation if len(uses) == 1 else None

    def define(self, target: Target, value: SSAValue) -> None:
        """`value` of `spat` is what `target` asks for."""
        form = target.form
        self.maps[target.value] = FeatureMap(target.tensor, form.shape, form.extent, form.layout, value)

    def finish(self, builder: LayerBuilder, target: Target, made: SSAValue) -> None:
        """The layer makes `target`."""
        self.define(target, builder.finish(made, target.tensor, target.form))

    def join(self, target: Target, parts: Sequence[SSAValue]) -> None:
        """`target` is made of `parts`, one after another along the channels: nothing moves."""
        op = spat.JoinOp.create(operands=parts, result_types=[attr.tile_type(target.tile)])
        self.into.add_op(op)
        self.define(target, op.whole)

    def layer(
        self,
        op: onnx.OnnxOp,
        target: Target,
        kind: type[Kernel],
        sources: Sequence[FeatureMap],
        properties: Mapping[str, Attribute],
    ) -> None:
        """A layer of one kernel, with the activations of `target`."""
        builder = LayerBuilder(self.into, op.node.data)
        inputs = [builder.argument(source) for source in sources]
        self.finish(builder, target, builder.kernel(kind, inputs, target.tile, properties, target.epilogue))

    # operands ---------------------------------------------------------------------------------------------------

    def alias(self, op: onnx.OnnxOp, source: FeatureMap, layout: Layout) -> None:
        """The result of `op` is `source` seen through another logical shape: no data moves."""
        self.context.fates.view(op.tensor.data, source.tensor)
        self.maps[op.result] = self.view(source, op.shape, normalised(layout, source.extent))

    @staticmethod
    def view(source: FeatureMap, shape: tuple[int, ...], layout: Layout) -> FeatureMap:
        """`source` under another logical shape."""
        return FeatureMap(source.tensor, shape, source.extent, layout, source.value)

    def feature_map(self, op: onnx.OnnxOp, value: SSAValue) -> FeatureMap:
        """The feature map of an operand of `op`; raises CompileError for a constant, which is not in any tile."""
        if value not in self.maps:
            raise CompileError(
                f"{op.label}: one of its operands is a constant, which only weights and Add, Sub, Mul and Div may be;"
                " compute it in the model's other constants or pass it as an input"
            )
        return self.maps[value]

    def spatial(self, op: onnx.OnnxOp, value: SSAValue) -> FeatureMap:
        """The feature map of `value` with dimension 1 as channels and the rest as image."""
        return self._in_layout(op, value, channel_first)

    def rows(self, op: onnx.OnnxOp, value: SSAValue) -> FeatureMap:
        """The feature map of `value` with the last dimension as channels and the others as pixels."""
        return self._in_layout(op, value, channel_last)

    def _in_layout(self, op: onnx.OnnxOp, value: SSAValue, form: Callable[[int], Layout | None]) -> FeatureMap:
        source = self.feature_map(op, value)
        wanted = form(len(source.shape))
        placed = place_shape(source.shape, wanted) if wanted is not None else None
        if placed is None:
            raise CompileError(
                f"{op.label}: its input has shape {list(source.shape)},"
                " but only tensors of rank 1 to 4 with a batch of 1 are supported here; use a model with batch 1"
            )
        return self.relayout(op, source, source.shape, *placed)

    def relayout(
        self, op: onnx.OnnxOp, source: FeatureMap, shape: tuple[int, ...], extent: Extent, layout: Layout
    ) -> FeatureMap:
        """`source`, reshaped row-major to `shape`, with the given layout: itself, or a strided copy on one core."""
        if source.extent == extent and source.layout == layout:
            return source
        common = refine(factors(source.layout, source.extent), factors(layout, extent))
        if common is None:
            count = extent[0] * extent[1] * extent[2]
            flat = self.relayout(op, source, (1, count), (count, 1, 1), ("", "C"))
            return self.relayout(op, flat, shape, extent, layout)
        builder = LayerBuilder(self.into, op.node.data)
        properties = {
            name: attr.ints(factor[k] for factor in common) for k, name in enumerate(("sizes", "source", "target"))
        }
        made = builder.kernel(RelayoutOp, [builder.argument(source)], (extent[1], extent[2], extent[0]), properties)
        return FeatureMap(f"{source.tensor}/relayout", shape, extent, layout, builder.finish(made))

    # the network's inputs ---------------------------------------------------------------------------------------

    def add_input(self, name: str, value: SSAValue, form: Callable[[int], Layout | None]) -> None:
        """A network input, with the dimensions laid out by `form` of its rank."""
        shape = tuple(cast(TensorType, value.type).get_shape())
        wanted = form(len(shape)) or channel_last(len(shape))  # one dimension is the channels
        placed = place_shape(shape, wanted) if wanted is not None else None
        if placed is None:
            raise CompileError(
                f"input '{name}' has shape {list(shape)}, but only 1 to 4 dimensions with a batch of 1 are supported:"
                " export the model with fewer"
            )
        extent, layout = placed
        op = spat.InputOp.create(
            result_types=[attr.tile_type((extent[1], extent[2], extent[0]))],
            properties={
                "tensor": attr.StringAttr(name),
                "channels": attr.ints((0, extent[0])),
                "shape": attr.ints(shape),
                "extent": attr.ints(extent),
                "layout": attr.strings(layout),
            },
        )
        self.into.add_op(op)
        self.maps[value] = FeatureMap(name, shape, extent, layout, op.tile)
