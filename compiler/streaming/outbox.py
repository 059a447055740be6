"""Rows of tiles that are made and not sent yet: which go when, and in which order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import chain, count

from xdsl.ir import SSAValue

from compiler.streaming.actions import Action


@dataclass(frozen=True, slots=True)
class Edge:
    """A tile that another core uses: `source` makes it, `target` uses it; only `rows` [first, end) of it are needed.

    `use` is the number of the first stage on `target` that uses it.
    """

    number: int
    source: int
    target: int
    send: Action
    receive: Action
    rows: tuple[int, int]
    use: int

    @property
    def tile(self) -> SSAValue:
        """What is sent."""
        return self.send.reads[0]


@dataclass(frozen=True, slots=True)
class Parcel:
    """Rows [first, end) of the tile of an edge; `made` counts up."""

    made: int
    edge: Edge
    first: int
    end: int


class Outbox:
    """Parcels by the core that they go to."""

    def __init__(self) -> None:
        self._waiting: dict[int, list[Parcel]] = defaultdict(list)
        self._count = count()

    def put(self, edge: Edge, first: int, end: int) -> None:
        """Rows of a tile are made, of which the edge may need some."""
        low, high = max(first, edge.rows[0]), min(end, edge.rows[1])
        if low < high:
            self._waiting[edge.target].append(Parcel(next(self._count), edge, low, high))

    def take_all(self) -> list[Parcel]:
        """Everything, in the order in which it goes."""
        taken = _in_order(chain.from_iterable(self._waiting.values()))
        self._waiting.clear()
        return taken

    def take_for(self, core: int, tiles: Container[SSAValue]) -> list[Parcel]:
        """What goes to one core and is of these tiles."""
        waiting = self._waiting.pop(core, [])
        taken = [parcel for parcel in waiting if parcel.edge.tile in tiles]
        if len(taken) < len(waiting):
            self._waiting[core] = [parcel for parcel in waiting if parcel.edge.tile not in tiles]
        return _in_order(taken)


def _in_order(parcels: Iterable[Parcel]) -> list[Parcel]:
    """What is used first goes first: a shortcut does not hold up the layers beside it.

    What goes from one core to another one goes at once, so that it can be one message.
    """
    made = sorted(parcels, key=lambda parcel: parcel.made)
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    for parcel in made:
        pair, use = (parcel.edge.source, parcel.edge.target), (parcel.edge.use, parcel.made)
        pairs[pair] = min(pairs.get(pair, use), use)
    return sorted(made, key=lambda parcel: pairs[parcel.edge.source, parcel.edge.target])
