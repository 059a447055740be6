"""Stages: a compute as kernels that make some rows at a time; a kernel makes rows when the next one needs them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.streaming.actions import Action, ActionEvent, ActionKind, make_event


class ComputeProgress:
    """The progress of one compute: `next_row` of its results is what it makes next, `chunk` rows at a time (None: all).

    A compute with a kernel that makes all rows at once makes its results at once; so does one whose results differ in
    their number of rows.
    """

    def __init__(self, compute: spat.ComputeOp, core: int, chunk: int | None) -> None:
        self.compute, self.core = compute, core
        self.names = _names(compute)
        self.actions = [
            Action(
                ActionKind.KERNEL,
                compute,
                tuple(self.names.get(value, value) for value in op.operands),
                tuple(self.names.get(value, value) for value in op.results),
                tuple(op.row_maps()),
                op,
            )
            for op in compute.body.block.ops
            if isinstance(op, Kernel)
        ]
        self.heights = {value: attr.shape_of(value)[0] for value in compute.outputs}
        self.height = max(self.heights.values(), default=0)
        at_once = len(set(self.heights.values())) > 1 or any(action.at_once for action in self.actions)
        self.chunk = self.height if at_once or chunk is None else min(chunk, self.height)
        self.next_row = 0
        self._made = dict.fromkeys(self.actions, 0)
        self._pull()

    def _pull(self) -> None:
        """Find the events of the next chunk, and the rows of the tiles from outside that they need."""
        end = min(self.next_row + self.chunk, self.height)
        wanted: dict[SSAValue, int] = {value: min(end, height) for value, height in self.heights.items()}
        events: list[ActionEvent] = []
        for action in reversed(self.actions):
            first, last = self._made[action], max(wanted.get(value, 0) for value in action.writes)
            if action.at_once and last:
                last = action.height
            if first < last:
                event = make_event(action, first, last)
                events.append(event)
                for value, (low, count) in zip(action.reads, event.inputs, strict=True):
                    wanted[value] = max(wanted.get(value, 0), low + count)
        self.events = events[::-1]
        self.needs = {value: wanted.get(value, 0) for value in self.compute.tiles}

    @property
    def finished(self) -> bool:
        """Whether all rows are made."""
        return self.next_row >= self.height

    def run(self) -> Sequence[ActionEvent]:
        """Make the next chunk: the events, in order."""
        events = self.events
        for event in events:
            self._made[event.action] = event.end
        self.next_row = min(self.next_row + self.chunk, self.height)
        if not self.finished:
            self._pull()
        return events


def _names(compute: spat.ComputeOp) -> dict[SSAValue, SSAValue]:
    """The value outside of the compute for each of its arguments and for each value it yields."""
    last = compute.body.block.last_op
    assert isinstance(last, spat.YieldOp)
    names: dict[SSAValue, SSAValue] = dict(zip(last.tiles, compute.outputs, strict=True))
    names.update((argument, compute.tiles[argument.index]) for argument in compute.body.block.args)
    return names


def needed_rows(stages: Sequence[ComputeProgress]) -> dict[tuple[int, SSAValue], tuple[int, int]]:
    """The rows [first, end) that each core needs of each tile that computes on it use; none if these are equal."""
    needed: dict[tuple[int, SSAValue], tuple[int, int]] = {}
    for stage in stages:
        for value in stage.compute.tiles:
            needed.setdefault((stage.core, value), (attr.shape_of(value)[0], 0))
        # Inside, rows at the end of a tile may be left out: those that a stride passes over.
        wanted: dict[SSAValue, int] = {**stage.heights}
        for action in reversed(stage.actions):
            rows = action.height if action.at_once else max(wanted.get(value, 0) for value in action.writes)
            for value, row_map in zip(action.reads, action.maps, strict=True):
                low, high = row_map.needs(0, rows) if rows else (0, 0)
                wanted[value] = max(wanted.get(value, 0), high)
                if low < high and (stage.core, value) in needed:
                    first, end = needed[stage.core, value]
                    needed[stage.core, value] = min(first, low), max(end, high)
    return needed
