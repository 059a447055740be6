"""Actions of a core and their instances: what it does with which rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap

Range = tuple[int, int]  # first row and number of rows, or first and last position


class ActionKind(Enum):
    """What an action does with its rows."""

    LOAD = "load"
    RECEIVE = "receive"
    KERNEL = "kernel"
    WRITE = "write"
    SEND = "send"
    STORE = "store"


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """Something that a core does again and again, for other rows each time; an `ActionEvent` is one instance.

    `reads` and `writes` are tiles: those between computes by the value outside, others by the value in the compute.
    `maps` tell, per tile read, which of its rows are needed. For a message, `number` is that of its edge (a tile and
    the core that uses it) and `peer` the other core; for a store, `number` is that of the tile among those of outputs;
    for a write, of the weights of a segment to their crossbars, that of the segment.
    """

    kind: ActionKind
    compute: spat.ComputeOp | None  # where the work or the tile comes from
    reads: tuple[SSAValue, ...]
    writes: tuple[SSAValue, ...]
    maps: tuple[RowMap, ...]
    kernel: Kernel | None = None
    peer: int = -1
    number: int = -1

    @property
    def at_once(self) -> bool:
        """Whether all rows are made together."""
        return self.kernel is not None and self.kernel.at_once

    @property
    def height(self) -> int:
        """Rows of the whole tile that is made or moved."""
        return attr.shape_of((*self.writes, *self.reads)[0])[0]


@dataclass(frozen=True, slots=True, eq=False)
class ActionEvent:
    """One instance of an action: it makes or moves `rows`, and needs `inputs`, a range per tile that it reads."""

    action: Action
    rows: Range
    inputs: tuple[Range, ...]

    @property
    def end(self) -> int:
        """The row after the last."""
        return self.rows[0] + self.rows[1]

    def key(self) -> Hashable:
        """Equal for events that may be iterations of one operation of a loop: all their rows advance alike."""
        action, (first, count) = self.action, self.rows
        offsets = [
            (row_map.offset(first, low), size) if size else (0, 0)
            for (low, size), row_map in zip(self.inputs, action.maps, strict=True)
        ]
        kernel = action.kernel
        variant = None if kernel is None else kernel.variant(first, count)
        return id(action), count, tuple(offsets), variant


def make_event(action: Action, first: int, end: int) -> ActionEvent:
    """The instance of `action` for rows [first, end) of what it makes or moves."""
    needs = (row_map.needs(first, end - first) for row_map in action.maps)
    return ActionEvent(action, (first, end - first), tuple((low, high - low) for low, high in needs))


def spans_of(events: Sequence[ActionEvent]) -> dict[Action, Range]:
    """The positions of the first and the last event of every action, in the order of the first."""
    spans: dict[Action, Range] = {}
    for position, event in enumerate(events):
        spans[event.action] = spans.get(event.action, (position, position))[0], position
    return spans
