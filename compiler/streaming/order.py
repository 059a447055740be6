"""The total order of all events of all cores: chunks of computes in sweeps over the network, then their messages.

A sweep goes over the computes in topological order and runs at most one chunk of each, if its rows are there. After the
computes of a node, their chunks go to every other core that uses them (partial sums right before they are added), so
that all cores of a node compute at the same time; those of one pair of cores follow each other. Cores that feed each
other in a circle, because layers share them, would wait for each other within a sweep: between those, a chunk is used
in the sweep after the one that made it, so that all of them have work in every sweep. Whole tiles are the case of one
chunk each, in one sweep. Each core's events are the projection of this one order: both ends of the least unfinished
message have finished all earlier ones, so no flow can deadlock.

Of a network in segments, each segment is swept to its end before the next one. Writing weights concerns a core alone,
so where in its events that stands is free, as long as they are not in use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from xdsl.ir import Operation, SSAValue

from compiler.basis.limits import MAX_STEPS
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.row_map import RowMap
from compiler.mapping.weight_swaps.phases import phases_of
from compiler.streaming.actions import Action, ActionEvent, ActionKind, make_event
from compiler.streaming.outbox import Edge, Outbox, Parcel
from compiler.streaming.stage import ComputeProgress, needed_rows
from emu.errors import CompileError, option
from emu.graphs import components


@dataclass(frozen=True, slots=True)
class RowsMessage:
    """Rows [first, end) of the tile of edge number `edge`, from core `source` to core `target`."""

    edge: int
    source: int
    target: int
    first: int
    end: int


@dataclass(slots=True)
class Order:
    """The events of each core, and all messages, in the total order; `chunks` are the rows per message of each tile."""

    events: dict[int, list[ActionEvent]] = field(default_factory=lambda: defaultdict(list))
    messages: list[RowsMessage] = field(default_factory=list[RowsMessage])
    chunks: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])


def stream_order(ops: Sequence[Operation], rows: int | None) -> Order:
    """The order for `rows` rows at a time (None: whole tiles) of the computes among `ops` that do not say how many.

    Raises CompileError.
    """
    return _Scheduler(ops, rows).run()


class _Scheduler:
    def __init__(self, ops: Sequence[Operation], rows: int | None) -> None:
        self.rows = rows
        computes = [op for op in ops if isinstance(op, spat.ComputeOp)]
        self.stages = [
            ComputeProgress(op, op.number, rows if op.rows is None else op.rows.value.data) for op in computes
        ]
        self._refuse_too_many()
        self.order, self._edges = Order(), 0
        self.produced: dict[SSAValue, int] = {}
        self.needed = needed_rows(self.stages)
        self.edges: dict[SSAValue, list[Edge]] = defaultdict(list)
        self.stores: dict[SSAValue, list[Action]] = defaultdict(list)
        self.loads: dict[tuple[int, SSAValue], tuple[Action, int]] = {}  # action, rows loaded
        self.outbox = Outbox()
        self._whole = {value for op in ops if isinstance(op, spat.OutputOp) for value in op.tiles}
        self._declare(ops)
        self.late = self._find_late() if any(stage.chunk < stage.height for stage in self.stages) else set()
        self.settled: dict[SSAValue, int] = {}  # what was produced before the present sweep

    def _refuse_too_many(self) -> None:
        steps = 0
        for stage in self.stages:
            steps += -(-stage.height // max(1, stage.chunk))
            if steps > MAX_STEPS:
                larger = option("granularity", "rows:N")
                raise CompileError(
                    f"node {stage.compute.node.data}: passing {stage.chunk} rows at a time makes more than {MAX_STEPS} "
                    f"steps, for which there is no time: use {larger} with a larger N, or image",
                    stage.compute.node.data,
                )

    def _find_late(self) -> set[tuple[SSAValue, int]]:
        """(tile, core) of the edges inside of circles of cores, those between computes of one node left out."""
        graph: dict[int, set[int]] = {stage.core: set() for stage in self.stages}
        edges: list[tuple[SSAValue, int, int]] = []
        for stage in self.stages:
            for value in stage.compute.tiles:
                owner = value.owner
                if isinstance(owner, spat.ComputeOp) and owner.node != stage.compute.node:
                    edges.append((value, owner.number, stage.core))
        for _, source, target in edges:
            graph[source].add(target)
        circle = components(graph)
        return {
            (value, target) for value, source, target in edges if source != target and circle[source] == circle[target]
        }

    def _available(self, stage: ComputeProgress) -> bool:
        """Whether the rows for the next chunk of a stage are there."""
        return all(
            (self.settled if (value, stage.core) in self.late else self.produced)[value] >= rows
            for value, rows in stage.needs.items()
        )

    def _declare(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            if isinstance(op, spat.InputOp):
                self.produced[op.tile] = attr.shape_of(op.tile)[0]
        for stage in self.stages:
            for value in stage.compute.outputs:
                self.produced[value] = 0
                self.order.chunks[value] = stage.chunk
        for index, stage in enumerate(self.stages):
            for value in stage.compute.tiles:
                self._edge(value, stage.core, index)
        outputs = [value for op in ops if isinstance(op, spat.OutputOp) for value in op.tiles]
        for number, value in enumerate(outputs):
            self.stores[value].append(_transfer(ActionKind.STORE, value, -1, number, reads=True))

    def _edge(self, value: SSAValue, target: int, use: int) -> None:
        owner = value.owner
        if not isinstance(owner, spat.ComputeOp):
            first = 0 if value in self._whole else self.needed[target, value][0]
            self.loads.setdefault((target, value), (_transfer(ActionKind.LOAD, value), first))
            return
        source, rows = owner.number, self.needed[target, value]
        if source == target or rows[0] >= rows[1] or any(edge.target == target for edge in self.edges[value]):
            return
        number, self._edges = self._edges, self._edges + 1
        send = _transfer(ActionKind.SEND, value, target, number, reads=True)
        receive = _transfer(ActionKind.RECEIVE, value, source, number)
        self.edges[value].append(Edge(number, source, target, send, receive, rows, use))

    def run(self) -> Order:
        """Phase by phase: a phase has the computes of a segment, and those that have to wait for them."""
        phases = phases_of([stage.compute for stage in self.stages])
        for phase in sorted(set(phases)):
            stages = [stage for stage, its in zip(self.stages, phases, strict=True) if its == phase]
            self._write(phase, stages)
            self._sweep(stages)
        self._pass_inputs()
        return self.order

    def _write(self, segment: int, stages: Sequence[ComputeProgress]) -> None:
        """The cores write the weights of a segment, each as soon as it has done all that does not wait for others."""
        for core in sorted({stage.core for stage in stages if stage.compute.segment is not None}):
            events = self.order.events[core]
            at = len(events)
            while at and events[at - 1].action.kind is ActionKind.RECEIVE:
                at -= 1
            events.insert(at, ActionEvent(Action(ActionKind.WRITE, None, (), (), (), number=segment), (0, 0), ()))

    def _sweep(self, stages: Sequence[ComputeProgress]) -> None:
        """Sweep until all chunks of the stages are made."""
        nodes = [list(group) for _, group in groupby(stages, key=lambda stage: stage.compute.node.data)]
        while nodes:
            self.settled = dict(self.produced)
            for node in nodes:
                for stage in node:
                    if not stage.finished and self._available(stage):
                        self._send(self.outbox.take_for(stage.core, stage.needs))
                        self._run(stage)
                self._send(self.outbox.take_all())
            nodes = [left for node in nodes if (left := [stage for stage in node if not stage.finished])]

    def _run(self, stage: ComputeProgress) -> None:
        for value, rows in stage.needs.items():
            self._load(stage.core, value, rows)
        first = stage.next_row
        self.order.events[stage.core] += stage.run()
        for value, height in stage.heights.items():
            end = min(stage.next_row, height)
            self.produced[value] = end
            self._store(stage.core, value, first, end)
            for edge in self.edges[value]:
                self.outbox.put(edge, first, end)

    def _load(self, core: int, value: SSAValue, rows: int) -> None:
        """Load what is missing of the first `rows` rows of a network input."""
        if (core, value) in self.loads:
            action, loaded = self.loads[core, value]
            if loaded < rows:
                self.order.events[core].append(make_event(action, loaded, rows))
                self.loads[core, value] = action, rows

    def _store(self, core: int, value: SSAValue, first: int, end: int) -> None:
        for action in self.stores[value]:
            self.order.events[core].append(make_event(action, first, end))

    def _send(self, parcels: Sequence[Parcel]) -> None:
        for parcel in parcels:
            edge, first, end = parcel.edge, parcel.first, parcel.end
            self.order.messages.append(RowsMessage(edge.number, edge.source, edge.target, first, end))
            self.order.events[edge.source].append(make_event(edge.send, first, end))
            self.order.events[edge.target].append(make_event(edge.receive, first, end))

    def _pass_inputs(self) -> None:
        """Network inputs that are outputs as they are: the first core moves them."""
        core = min((stage.core for stage in self.stages), default=0)
        for value in self.stores:
            if isinstance(value.owner, spat.ComputeOp):
                continue
            height = attr.shape_of(value)[0]
            self.loads.setdefault((core, value), (_transfer(ActionKind.LOAD, value), 0))
            step = self.rows or height
            for first in range(0, height, step):
                end = min(first + step, height)
                self._load(core, value, end)
                self._store(core, value, first, end)


def _transfer(kind: ActionKind, value: SSAValue, peer: int = -1, number: int = -1, reads: bool = False) -> Action:
    """A transfer of a tile, row by row."""
    owner = value.owner if isinstance(value.owner, spat.ComputeOp) else None
    height = attr.shape_of(value)[0]
    if reads:
        return Action(kind, owner, (value,), (), (RowMap(height),), None, peer, number)
    return Action(kind, owner, (), (value,), (), None, peer, number)
