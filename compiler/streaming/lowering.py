"""Computes become core programs that pass some rows at a time through rings, or all rows of a tile at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from compiler.basis.weights import WeightStore
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.rows import Rows, rows_attribute
from compiler.dialects.types import dtype_of
from compiler.emission.staging import staging_bytes
from compiler.kernels.kernel import Kernel
from compiler.streaming.actions import Action, ActionEvent, ActionKind, spans_of
from compiler.streaming.core_builder import CoreBuilder, finish_cores
from compiler.streaming.global_tensors import GlobalTensors
from compiler.streaming.order import Order, stream_order
from compiler.streaming.rings import Ring, make_rings
from compiler.streaming.roll import RolledPart, roll
from compiler.streaming.units import units_of
from emu.isa.dtypes import DType

Properties = dict[str, Attribute]


def lower_computes(
    ops: Sequence[Operation], weights: WeightStore, rows: int | None, room: Collection[int] = ()
) -> list[Operation]:
    """The `pim` operations of the `spat` operations `ops`, whose computes have cores; raises CompileError.

    Cores pass `rows` rows at a time (None: whole tiles); those of `room` keep tiles whole nevertheless. Constants of
    kernels are added to `weights`.
    """
    order = stream_order(ops, rows)
    tensors = GlobalTensors(ops)
    built = {core: _Core(order, core, tensors, weights, core in room).build() for core in order.events}
    return [*tensors.ops, *finish_cores(built)]


class _Core:
    """Builds the program of one core from its events."""

    def __init__(self, order: Order, core: int, tensors: GlobalTensors, weights: WeightStore, room: bool) -> None:
        self.events, self.tensors, self.weights = order.events[core], tensors, weights
        self.parts = roll(self.events)
        self.spans = spans_of(self.events)
        self.makers = {value: action for action in self.spans for value in action.writes}
        self.rings = make_rings(self.events, self.parts, order.chunks, whole=room)
        self.into = CoreBuilder()
        self.buffers: dict[int, SSAValue] = {}  # by identity of the ring
        self.actions = {action: index for index, action in enumerate(self.spans)}
        self.units = units_of(self.actions)
        self.written = self._written()
        self.extras: dict[Action, tuple[list[SSAValue], list[SSAValue]]] = {}  # scratch and constants of kernels

    def build(self) -> CoreBuilder:
        """All operations but the halt."""
        for ring in self.rings.values():
            if id(ring) not in self.buffers:
                tile = ring.tiles[0]
                self.buffers[id(ring)] = self.into.alloc((ring.depth, *attr.shape_of(tile)[1:]), dtype_of(tile))
        for action in self.actions:
            self._extras(action)
        complete = self._completions()
        for part in self.parts:
            events = self.events[part.start : part.end]
            if part.trips == 1:
                for position, event in enumerate(events, start=part.start):
                    self.into.append(self._operation(event, 0))
                    self._complete(complete.get(position, ()))
            else:
                self._loop(part, events)
                for position in range(part.start, part.end):
                    self._complete(complete.get(position, ()))
        return self.into

    def _loop(self, part: RolledPart, events: Sequence[ActionEvent]) -> None:
        later = events[part.period : 2 * part.period]
        body = Block(
            [
                self._operation(event, after.rows[0] - event.rows[0])
                for event, after in zip(events[: part.period], later, strict=True)
            ]
        )
        properties: Properties = {"trips": attr.integer(part.trips)}
        self.into.append(pim.LoopOp.create(properties=properties, regions=[Region(body)]))

    def _extras(self, action: Action) -> None:
        kernel = action.kernel
        if kernel is None:
            return
        streamed = not all(self.rings[value].whole for value in action.reads)
        shapes = zip(kernel.scratch_shapes(streamed), kernel.scratch_types(streamed), strict=True)
        scratch = [self.into.alloc(shape, dtype) for shape, dtype in shapes]
        arrays = kernel.constant_data(self.weights, streamed)
        self.extras[action] = scratch, [self.into.constant(array, self.weights) for array in arrays]

    def _written(self) -> dict[int, dict[int, Kernel]]:
        """By segment and unit the kernels whose weights are written for that segment."""
        found: dict[int, dict[int, Kernel]] = {}
        for action, unit in self.units.items():
            kernel, compute = action.kernel, action.compute
            if kernel is not None and compute is not None and compute.segment is not None and kernel.crossbars:
                found.setdefault(compute.stay, {})[unit] = kernel
        return found

    def _buffer(self, value: SSAValue) -> SSAValue:
        return self.buffers[id(self.rings[value])]

    # operations -------------------------------------------------------------------------------------------------

    def _operation(self, event: ActionEvent, step: int) -> Operation:
        return _BUILDERS[event.action.kind](self, event, step)

    def kernel(self, event: ActionEvent, step: int) -> Operation:
        """An instance of a kernel."""
        action = event.action
        kernel, compute = action.kernel, action.compute
        assert kernel is not None and compute is not None
        rows = [
            Rows(low, row_map.advance(step), count, row_map.height) if count else Rows(0, 0, 0, row_map.height)
            for (low, count), row_map in zip(event.inputs, action.maps, strict=True)
        ]
        rows += [Rows(event.rows[0], step, event.rows[1], action.height)] * len(action.writes)
        properties: Properties = {
            "node": compute.node,
            "rows": rows_attribute(rows),
            "unit": attr.integer(self.units[action]),
        }
        if compute.part is not None:
            properties["part"] = compute.part
        tiles = [[self._buffer(value) for value in values] for values in (action.reads, action.writes)]
        return kernel.on_buffers(*tiles, *self.extras[action], properties=properties)

    def message(self, event: ActionEvent, step: int) -> Operation:
        """One end of a message."""
        action = event.action
        assert action.compute is not None
        kind = pim.SendOp if action.kind is ActionKind.SEND else pim.ReceiveOp
        properties: Properties = {
            "node": action.compute.node,
            "peer": attr.integer(action.peer),
            "message": attr.integer(action.number),
        }
        return self._transfer(kind, event, step, properties)

    def load(self, event: ActionEvent, step: int) -> Operation:
        """Rows of a network input; they belong to the node that uses them first."""
        (value,) = event.action.writes
        properties: Properties = {
            "node": self._first_user(value),
            "address": attr.integer(self.tensors.inputs[value]),
        }
        return self._transfer(pim.LoadOp, event, step, properties)

    def _first_user(self, value: SSAValue) -> StringAttr:
        users = (action for action in self.actions if value in action.reads)
        first = next(users)
        return first.compute.node if first.compute is not None else self.tensors.outputs[first.number][0].tensor

    def write(self, event: ActionEvent, step: int) -> Operation:
        """The weights of a segment, through a buffer that holds some rows of them."""
        segment = event.action.number
        kernels = self.written.get(segment, {})
        size = staging_bytes((kernel.largest_group, kernel.weight_type(self.weights)) for kernel in kernels.values())
        properties: Properties = {"segment": attr.integer(segment), "units": attr.ints(kernels)}
        staging = self.into.alloc((1, 1, size), DType.i8)
        return pim.WriteOp.create(operands=[staging], properties=properties)

    def store(self, event: ActionEvent, step: int) -> Operation:
        """Rows of a network output."""
        output, _, address = self.tensors.outputs[event.action.number]
        properties: Properties = {"node": output.tensor, "address": attr.integer(address)}
        return self._transfer(pim.StoreOp, event, step, properties)

    def _transfer(self, kind: type[Operation], event: ActionEvent, step: int, properties: Properties) -> Operation:
        action = event.action
        (value,) = action.reads or action.writes
        rows = Rows(event.rows[0], step, event.rows[1], action.height)
        return kind.create(operands=[self._buffer(value)], properties={**properties, "rows": rows_attribute([rows])})

    # intermediate tensors ---------------------------------------------------------------------------------------

    def _completions(self) -> dict[int, list[SSAValue]]:
        """Tiles of tensors that stand whole in their buffer, by the event that completes them."""
        complete: dict[int, list[SSAValue]] = {}
        ends = {
            at: at if part.trips == 1 else part.end - 1 for part in self.parts for at in range(part.start, part.end)
        }
        for position, event in enumerate(self.events):
            for value in event.action.writes if event.action.kernel is not None else ():
                ring: Ring = self.rings[value]
                if ring.whole and event.end == event.action.height and self._kept_until(value) > ends[position]:
                    complete.setdefault(position, []).append(value)
        return complete

    def _kept_until(self, value: SSAValue) -> int:
        """The position of the first event that replaces rows of a tile: it makes a later one of the same ring."""
        tiles = self.rings[value].tiles
        later = tiles[tiles.index(value) + 1 :]
        return min((self.spans[self.makers[tile]][0] for tile in later), default=len(self.events))

    def _complete(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            compute = value.owner
            if not isinstance(compute, spat.ComputeOp):
                continue
            index = compute.outputs.index(value)
            self.into.complete(compute, index, self._buffer(value))


_BUILDERS: dict[ActionKind, Callable[[_Core, ActionEvent, int], Operation]] = {
    ActionKind.LOAD: _Core.load,
    ActionKind.RECEIVE: _Core.message,
    ActionKind.KERNEL: _Core.kernel,
    ActionKind.WRITE: _Core.write,
    ActionKind.SEND: _Core.message,
    ActionKind.STORE: _Core.store,
}
