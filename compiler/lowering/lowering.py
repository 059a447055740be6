"""The state of one lowering: feature maps of values, matrices to place, computes to append."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from compiler.context import CompilerContext
from compiler.dialects import attributes as attr
from compiler.dialects import onnx, spat
from compiler.kernels.relayout import RelayoutOp
from compiler.limits import MAX_OPERATIONS, MAX_TILES
from compiler.lowering.compute import ComputeBuilder
from compiler.lowering.feature_map import (
    Extent,
    FeatureMap,
    Layout,
    Tile,
    channel_first,
    channel_last,
    factors,
    normalised,
    place_shape,
    refine,
)
from compiler.partition.matrix import Matrix, Piece
from compiler.partition.placement import place
from compiler.refusal import about
from emu.errors import CompileError, option

ACTIVATIONS: dict[type[Operation], tuple[str, tuple[str, ...]]] = {
    onnx.ReluOp: ("relu", ()),
    onnx.ClipOp: ("clip", ("min", "max")),
    onnx.SigmoidOp: ("sigmoid", ()),
    onnx.TanhOp: ("tanh", ()),
    onnx.LeakyReluOp: ("leaky_relu", ("alpha",)),
}


def activation_of(op: Operation) -> tuple[str, tuple[float, ...]]:
    """Name and parameters of an activation; an absent bound of a clip is infinite."""
    name, fields = ACTIVATIONS[type(op)]
    absent = {"min": float("-inf"), "max": float("inf")}
    found = [getattr(op, field) for field in fields]
    return name, tuple(
        absent[field] if value is None else float(value.value.data) for field, value in zip(fields, found, strict=True)
    )


class Lowering:
    """Lowers operators in order; what needs cores is deferred until all matrices are placed."""

    def __init__(self, context: CompilerContext, into: Block) -> None:
        self.context = context
        self.weights = context.weights
        self.into = into
        self.matrices: list[Matrix] = []
        self.pieces: list[list[Piece]] = []
        self.maps: dict[SSAValue, FeatureMap] = {}
        self.fused: set[Operation] = set()
        self._deferred: list[tuple[Operation | None, Callable[[], None]]] = []
        self._present: Operation | None = None
        self._load: Counter[int] = Counter()
        self._operations = 0  # made so far
        self._sources: dict[int, int] = {}  # matrix -> the matrix that makes its input

    # feature maps -----------------------------------------------------------------------------------------------

    def result(self, op: onnx.OnnxOp, extent: Extent, layout: Layout) -> tuple[FeatureMap, attr.Epilogue]:
        """The feature map of `op`'s result, with the activations that follow it alone fused into it."""
        epilogue: list[tuple[str, tuple[float, ...]]] = []
        last = op
        while (user := self._only_user(last.result)) is not None and type(user) in ACTIVATIONS:
            epilogue.append(activation_of(user))
            self.fused.add(user)
            self.context.fates.fused(last.tensor.data, cast(onnx.OnnxOp, user).tensor.data)
            last = cast(onnx.OnnxOp, user)
        found = FeatureMap(last.tensor.data, op.shape, extent, normalised(layout, extent), depth=len(self.matrices))
        self.maps[last.result] = found
        return found, tuple(epilogue)

    @staticmethod
    def _only_user(value: SSAValue) -> Operation | None:
        uses = list(value.uses)
        return uses[0].operation if len(uses) == 1 else None

    def alias(self, op: onnx.OnnxOp, source: FeatureMap, layout: Layout) -> None:
        """The result of `op` is `source` seen through another logical shape: no data moves."""
        self.context.fates.view(op.tensor.data, source.tensor)
        self.maps[op.result] = self.view(source, op.shape, normalised(layout, source.extent))

    @staticmethod
    def view(source: FeatureMap, shape: tuple[int, ...], layout: Layout) -> FeatureMap:
        """`source` under another logical shape; the list of tiles is shared, because it is filled later."""
        return FeatureMap(source.tensor, shape, source.extent, layout, source.tiles, source.depth, source.made_by)

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
        moved = FeatureMap(f"{source.tensor}/relayout", shape, extent, layout, depth=source.depth)

        def emit() -> None:
            builder = ComputeBuilder(self.into, self.core_of(source), op.node.data, "relayout")
            whole = builder.channels(source, 0, source.extent[0])
            properties = {
                name: attr.ints(factor[k] for factor in common) for k, name in enumerate(("sizes", "source", "target"))
            }
            shape = (extent[1], extent[2], extent[0])
            (out,) = builder.kernel(RelayoutOp, [whole], [shape], properties)
            moved.tiles += builder.finish([(None, 0, extent[0], out)])

        self.defer(emit)
        return moved

    # cores ------------------------------------------------------------------------------------------------------

    def matrix(self, matrix: Matrix, source: FeatureMap, result: FeatureMap, whole: bool = True) -> int:
        """Register a matrix to be placed; returns its index in `matrices`, as they were cut, and `pieces`.

        `whole`: it multiplies all of `source`, and makes all of `result`.
        """
        index = len(self.matrices)
        self.matrices.append(matrix)
        if whole:
            result.made_by = index
            if source.made_by is not None:
                self._sources[index] = source.made_by
        return index

    def core_of(self, *sources: FeatureMap, channel: int = 0) -> int:
        """The core that holds `channel` of the first source that is on a core; else the least loaded core."""
        for source in sources:
            for tile in source.tiles:
                if tile.core >= 0 and tile.low <= channel < tile.high:
                    return tile.core
        core = min(range(self.context.options.cores), key=lambda core: (self._load[core], core))
        self._load[core] += 1
        return core

    # order ------------------------------------------------------------------------------------------------------

    def lower(self, op: Operation, work: Callable[[], None]) -> None:
        """Do the work for `op`; errors now, and in what it defers, remember the operation."""
        self._present = op
        with about(op):
            work()
        self._present = None

    def defer(self, emit: Callable[[], None]) -> None:
        """Run `emit` after placement, in order."""
        self._deferred.append((self._present, emit))

    def finish(self) -> None:
        """Place all matrices, then append all computes."""
        options = self.context.options
        self.pieces = [[] for _ in self.matrices]
        placement = place(self.matrices, options.cores, self.context.arch, options.placement, self._sources)
        self.matrices = list(placement.matrices)
        for piece in placement.pieces:
            self.pieces[piece.matrix].append(piece)
            self._load[piece.core] += 1
        counted: Operation | None = None
        for op, emit in self._deferred:
            with about(op) if op is not None else nullcontext():
                emit()
            counted = self._count_from(counted)

    def _count_from(self, counted: Operation | None) -> Operation | None:
        """Count the operations after `counted`, and refuse a network that becomes too many; returns the last one."""
        op = self.into.first_op if counted is None else counted.next_op
        while op is not None:
            self._operations += sum(1 for _ in op.walk())
            if self._operations > MAX_OPERATIONS:
                node = f"node {op.node.data}" if isinstance(op, spat.ComputeOp) else "the network"
                raise CompileError(
                    f"{node}: the network becomes more than {MAX_OPERATIONS} operations, for which there is no time; "
                    f"use a smaller one, or an {option('arch')} with larger crossbars"
                )
            counted, op = op, op.next_op
        return counted

    def add_input(self, name: str, value: SSAValue, channel_tile: int) -> None:
        """A network input: its tiles stand in global memory."""
        shape = tuple(cast(TensorType, value.type).get_shape())
        form = channel_first if self._wants_spatial(value) else channel_last
        wanted = form(len(shape)) or channel_last(len(shape))  # one dimension is the channels
        placed = place_shape(shape, wanted) if wanted is not None else None
        if placed is None:
            raise CompileError(
                f"input '{name}' has shape {list(shape)}, but only 1 to 4 dimensions with a batch of 1 are supported:"
                " export the model with fewer"
            )
        extent, layout = placed
        tiles = -(-extent[0] // channel_tile)
        if tiles > MAX_TILES:
            raise CompileError(
                f"input {name} has shape {list(shape)}: its {extent[0]} channels are {tiles} tiles, "
                f"more than the {MAX_TILES} that a tensor may have"
            )
        found = FeatureMap(name, shape, extent, layout)
        for low in range(0, extent[0], channel_tile):
            high = min(low + channel_tile, extent[0])
            op = spat.InputOp.create(
                result_types=[attr.tile_type((extent[1], extent[2], high - low))],
                properties={
                    "tensor": attr.StringAttr(name),
                    "channels": attr.ints((low, high)),
                    "shape": attr.ints(shape),
                    "extent": attr.ints(extent),
                    "layout": attr.strings(layout),
                },
            )
            self.into.add_op(op)
            found.tiles.append(Tile(low, high, op.tile, -1))
        self.maps[value] = found

    @staticmethod
    def _wants_spatial(value: SSAValue) -> bool:
        last_axis = (onnx.MatMulOp, onnx.SoftmaxOp, onnx.GemmOp)
        return not any(isinstance(use.operation, last_axis) for use in value.uses)
