"""The state of one lowering: the feature maps of values, and the layers made so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.ir import Attribute, Block, Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import onnx, spat
from compiler.dialects.boxes import BoxesAttr, FormAttr
from compiler.dialects.epilogue import Epilogue
from compiler.dialects.types import dtype_of
from compiler.kernels.kernel import Kernel
from compiler.kernels.nest import NestOp
from compiler.lowering.activations import ACTIVATIONS, activation_of
from compiler.lowering.digits import digits_of, refined, tile_map
from compiler.lowering.feature_map import (
    FeatureMap,
    Layout,
    channel_first,
    channel_last,
    normalised,
    place_shape,
)
from compiler.lowering.layer import LayerBuilder
from compiler.nests.linear import identity
from compiler.nests.nest import Nest
from compiler.session.context import CompilerContext
from emu.errors import CompileError
from emu.program.form import CHANNEL, LEAST, MOST, Form


@dataclass(frozen=True, slots=True)
class LayerTarget:
    """What a layer is to make: a value of `onnx`, its tensor and form, and the activations that are fused into it."""

    value: SSAValue
    tensor: str
    form: Form
    epilogue: Epilogue

    @property
    def tile(self) -> tuple[int, ...]:
        """The sizes of the whole tensor in the order of memory."""
        return self.form.sizes


class Lowering:
    """Lowers operators in order, each to layers on whole tensors, which are appended to `into`.

    `maps` are the feature maps of the values so far, `fused` the activations that a layer before them has taken in.
    """

    def __init__(self, context: CompilerContext, into: Block) -> None:
        self.context = context
        self.weights = context.weights
        self.into = into
        self.maps: dict[SSAValue, FeatureMap] = {}
        self.fused: set[Operation] = set()

    # results ----------------------------------------------------------------------------------------------------

    def target(self, op: onnx.OnnxOp, form: Form) -> LayerTarget:
        """What the layer of `op` makes, with the activations that follow it alone fused into it."""
        epilogue: list[tuple[str, tuple[float, ...]]] = []
        last = op
        while (user := self._only_user(last.result)) is not None and type(user) in ACTIVATIONS:
            epilogue.append(activation_of(user))
            self.fused.add(user)
            self.context.provenance.fused(last.tensor.data, cast(onnx.OnnxOp, user).tensor.data)
            last = cast(onnx.OnnxOp, user)
        return LayerTarget(last.result, last.tensor.data, form, tuple(epilogue))

    @staticmethod
    def _only_user(value: SSAValue) -> Operation | None:
        uses = list(value.uses)
        return uses[0].operation if len(uses) == 1 else None

    def define(self, target: LayerTarget, value: SSAValue) -> None:
        """Note that `value` of `spat` is what `target` asks for."""
        self.maps[target.value] = FeatureMap(target.tensor, target.form, value)

    def finish(self, builder: LayerBuilder, target: LayerTarget, made: SSAValue) -> None:
        """Append the layer of `builder`, whose value `made` is what `target` asks for."""
        self.define(target, builder.finish(made, target.tensor, target.form))

    def join(self, target: LayerTarget, parts: Sequence[SSAValue]) -> None:
        """Make `target` of `parts`, one after another along the channels: nothing moves."""
        self.define(target, self.joined(target.tile, parts))

    def joined(self, tile: Sequence[int], parts: Sequence[SSAValue]) -> SSAValue:
        """A tile made of `parts`, one after another along the channels: nothing moves."""
        op = spat.JoinOp.create(operands=parts, result_types=[attr.tile_type(tile, dtype_of(parts[0]))])
        self.into.add_op(op)
        return op.whole

    def layer(
        self,
        op: onnx.OnnxOp,
        target: LayerTarget,
        kind: type[Kernel],
        sources: Sequence[FeatureMap],
        properties: Mapping[str, Attribute],
    ) -> None:
        """Append a layer of one kernel that makes `target` of `sources`, with the activations of `target`."""
        builder = LayerBuilder(self.into, op.node.data)
        inputs = [builder.tensor(source) for source in sources]
        self.finish(builder, target, builder.kernel(kind, inputs, target.tile, properties, target.epilogue))

    def add_empty(self, op: onnx.OnnxOp) -> None:
        """Note that the results of `op` have no elements, so that no layer makes them; a later note replaces this."""
        for tensor, result in zip(op.tensor_names, op.results, strict=True):
            shape = attr.shape_of(result)
            self.maps[result] = FeatureMap(tensor, self.form(op, shape, channel_last(len(shape))), None)

    # operands ---------------------------------------------------------------------------------------------------

    def alias(self, op: onnx.OnnxOp, source: FeatureMap, layout: Layout) -> None:
        """Note that the result of `op` is `source` under another logical shape, in `layout`: no data moves."""
        self.context.provenance.view(op.tensor.data, source.tensor)
        self.maps[op.result] = source.seen_as(op.shape, layout)

    def feature_map(self, op: onnx.OnnxOp, value: SSAValue) -> FeatureMap:
        """The feature map of an operand of `op`, made of it if it is a constant; CompileError if it has no elements."""
        source = self.tensor(value)
        if source.value is None:
            raise CompileError(f"{op.label}: its operand {source.tensor} has shape {list(source.shape)}, no elements")
        return source

    def tensor(self, value: SSAValue) -> FeatureMap:
        """The feature map of a value, which is made of it if it is a constant."""
        if value not in self.maps:
            self.maps[value] = self._constant(cast(onnx.ConstantOp, value.owner))
        return self.maps[value]

    def _constant(self, constant: onnx.ConstantOp) -> FeatureMap:
        """A constant as a tile, which a layer without operands copies from its array."""
        shape, dtype = constant.shape, dtype_of(constant.result)
        form = self.form(constant, shape, channel_last(len(shape)))
        if not prod(shape):
            return FeatureMap(constant.tensor.data, form, None)
        dims = identity(len(shape))
        nest = Nest(shape, (True,) * len(shape), (dims,), tile_map(dims, form, digits_of(shape, {})))
        builder = LayerBuilder(self.into, constant.node.data)
        described = NestOp.described(nest, [(constant.key.data, dtype)])
        (made,) = builder.typed(NestOp, [], [(form.sizes, dtype)], described)
        return FeatureMap(constant.tensor.data, form, builder.finish(made, constant.tensor.data, form))

    def spatial(self, op: onnx.OnnxOp, value: SSAValue) -> FeatureMap:
        """`value` as [batch][...][height][width][channel], dimension 1 the channels; a batch of 1 has no axis."""
        source = self.feature_map(op, value)
        rank = len(source.shape)
        return self.relayout(op, source, self.form(op, source.shape, channel_first(rank), max(LEAST, rank - 1)))

    def rows(self, op: onnx.OnnxOp, source: FeatureMap) -> FeatureMap:
        """`source` as [...][height][width][channel], its last dimension the channels."""
        return self.relayout(op, source, self.form(op, source.shape, channel_last(len(source.shape))))

    def form(self, op: onnx.OnnxOp, shape: Sequence[int], layout: Layout | None, count: int = LEAST) -> Form:
        """The form of `shape` in `layout`, of at least `count` axes; raises CompileError if there is no `layout`."""
        if layout is None:
            raise CompileError(f"{op.label}: shape {list(shape)} has too many dimensions: at most {MOST} are supported")
        return place_shape(shape, layout, count)

    def relayout(self, op: onnx.OnnxOp, source: FeatureMap, form: Form) -> FeatureMap:
        """`source`, reshaped row-major to `form`: itself if nothing has to move, else a strided copy on one core."""
        if source.extent == form.extent and source.layout == form.layout:
            return source
        count = prod(form.extent)
        flat = [Form((count,), part.extent, ("".join(part.layout),)) for part in (source.form, form)]
        cuts = refined({}, identity(1), flat[0])
        cuts = None if cuts is None else refined(cuts, identity(1), flat[1])
        if cuts is None:  # 2 x 3 and 3 x 2 have no common loops, but each has with a vector
            middle = Form((count,), (count, 1, 1), normalised((CHANNEL,), (count, 1, 1)))
            return self.relayout(op, self.relayout(op, source, middle), form)
        digits = digits_of((count,), cuts)
        maps = [tile_map(identity(1), part, digits) for part in flat]
        sizes = tuple(size for _, size, _ in digits[0].parts)
        nest = Nest(sizes, (True,) * len(sizes), (maps[0],), maps[1])
        builder = LayerBuilder(self.into, op.node.data)
        made = builder.kernel(NestOp, [builder.tensor(source)], form.sizes, NestOp.described(nest, []))
        return FeatureMap(f"{source.tensor}/relayout", form, builder.finish(made))

    # the network's inputs ---------------------------------------------------------------------------------------

    def add_input(self, name: str, value: SSAValue, layout: Callable[[int], Layout | None]) -> None:
        """Append the network input `name`, laid out by `layout` of its rank; raises CompileError if there is none."""
        shape = attr.shape_of(value)
        wanted = layout(len(shape))
        if wanted is None:
            raise CompileError(
                f"input '{name}' has shape {list(shape)}, but at most {MOST} dimensions are supported:"
                " export the model with fewer"
            )
        form = place_shape(shape, wanted)
        op = spat.InputOp.create(
            result_types=[attr.tile_type(form.sizes, dtype_of(value))],
            properties={
                "tensor": attr.StringAttr(name),
                "boxes": BoxesAttr((form.whole,)),
                "form": FormAttr(form),
            },
        )
        self.into.add_op(op)
        self.maps[value] = FeatureMap(name, form, op.tile if prod(form.extent) else None)
