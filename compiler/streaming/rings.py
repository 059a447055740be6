"""Rings: how many rows of each tile a core has to hold, found by replaying its events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects.types import dtype_of
from compiler.streaming.actions import Action, ActionEvent, ActionKind, Range, spans_of
from compiler.streaming.roll import RolledPart


@dataclass(slots=True)
class Ring:
    """Tiles of one shape that share a buffer: a later one is made in place of an earlier one, row by row.

    `need` is the largest number of rows held at once, `depth` the number of rows that the ring gets: all, or a multiple
    of `units`, which are the rows per message and those by which operations advance in a loop, as addresses need.
    `once` are the rows of messages that come once; they may begin anywhere, and stay in one piece, too.
    """

    tiles: list[SSAValue]
    need: int = 0
    units: set[int] = field(default_factory=set[int])
    once: list[Range] = field(default_factory=list[Range])

    @property
    def height(self) -> int:
        """Rows of the tiles."""
        return attr.shape_of(self.tiles[0])[0]

    @property
    def depth(self) -> int:
        """Rows that the ring holds."""
        unit = lcm(*self.units)
        depth = -(-max(self.need, 1) // unit) * unit
        while depth < self.height and any(first % depth + count > depth for first, count in self.once):
            depth += unit
        return min(self.height, depth)

    @property
    def whole(self) -> bool:
        """Whether all rows of a tile have a place of their own."""
        return self.depth == self.height


def make_rings(
    events: Sequence[ActionEvent], parts: Sequence[RolledPart], chunks: Mapping[SSAValue, int], *, whole: bool = False
) -> dict[SSAValue, Ring]:
    """The ring of each tile that a core works on; `chunks` are the rows per message of the tiles between computes.

    With `whole`, a ring of fewer rows than its tiles have gets a place for each, too, so that no rows come round.
    """
    spans = spans_of(events)
    rings = _share(spans)
    _measure(events, list(spans), rings)
    received = {value for action in spans if action.kind is ActionKind.RECEIVE for value in action.writes}
    once = {value for value in received if chunks[value] >= rings[value].height}
    for value, ring in rings.items():
        if value in chunks and value not in once:
            ring.units.add(chunks[value])
    for event in events:
        if event.action.kind is ActionKind.RECEIVE and event.action.writes[0] in once:
            rings[event.action.writes[0]].once.append(event.rows)
    for part in parts:
        if part.trips > 1:
            for event, later in zip(events[part.start :], events[part.start + part.period : part.end], strict=False):
                _add_steps(event, later, rings)
    for ring in rings.values() if whole else ():
        ring.need = max(ring.need, ring.height)
    return rings


def _add_steps(event: ActionEvent, later: ActionEvent, rings: Mapping[SSAValue, Ring]) -> None:
    """The rows by which the operands of an event advance until its next instance."""
    step = later.rows[0] - event.rows[0]
    for value in event.action.writes:
        rings[value].units.add(step)
    for value, row_map, (_, count) in zip(event.action.reads, event.action.maps, event.inputs, strict=True):
        if count and row_map.advance(step):
            rings[value].units.add(row_map.advance(step))


def _share(spans: Mapping[Action, Range]) -> dict[SSAValue, Ring]:
    """One ring per tile, or per tiles that are made in place of each other."""
    readers: dict[SSAValue, list[Action]] = defaultdict(list)
    for action in spans:
        for value in action.reads:
            readers[value].append(action)
    rings: dict[SSAValue, Ring] = {}
    for action in spans:
        for value in (*action.reads, *action.writes):
            rings.setdefault(value, Ring([value]))
    for action in spans:
        source = _replaced(action, readers, spans)
        if source is not None:
            (target,) = action.writes
            first, second = rings[source], rings[target]
            first.tiles += second.tiles
            rings.update(dict.fromkeys(second.tiles, first))
    return rings


def _replaced(
    action: Action, readers: Mapping[SSAValue, Sequence[Action]], spans: Mapping[Action, Range]
) -> SSAValue | None:
    """The tile that a kernel can replace row by row: of the result's shape, and read by nothing else from then on."""
    if action.kernel is None:
        return None
    kind = action.writes[0]
    for index, (value, row_map) in enumerate(zip(action.reads, action.maps, strict=True)):
        same = attr.shape_of(value) == attr.shape_of(kind) and dtype_of(value) == dtype_of(kind)
        if not same or not row_map.scale == row_map.reach == row_map.per == 1 or not action.kernel.may_replace(index):
            continue
        others = [reader for reader in readers[value] if reader is not action]
        if all(spans[reader][1] < spans[action][0] for reader in others):
            return value
    return None


def _measure(events: Sequence[ActionEvent], actions: Sequence[Action], rings: Mapping[SSAValue, Ring]) -> None:
    """Find what each ring needs by replaying the events: rows written, without those that no reader needs any more.

    What an event itself reads last is released after it, because it is read while the event writes.
    """
    released: dict[int, dict[tuple[Action, int], int]] = defaultdict(dict)
    for action in actions:
        for index, value in enumerate(action.reads):
            released[id(rings[value])][action, index] = action.maps[index].released(0)
    for event in events:
        for value in event.action.writes:
            ring = rings[value]
            readers = released[id(ring)]
            low = min(readers.values(), default=event.rows[0])
            ring.need = max(ring.need, event.end - min(low, event.rows[0]))
        for index, (value, row_map) in enumerate(zip(event.action.reads, event.action.maps, strict=True)):
            done = event.end == event.action.height
            released[id(rings[value])][event.action, index] = (
                rings[value].height if done else row_map.released(event.end)
            )
