"""The model of a trace, independent of its file format: tracks of slices, and counters, in a tree of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum


class CounterUnit(Enum):
    """The unit of a counter."""

    BYTES = "bytes"
    NS = "ns"
    CORES = "cores"


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice of a track, ns since the trace began; `inner` slices lie in it, in order, and do not overlap.

    Flows, each a number that one slice has among its `starts` and one among its `ends`, are arrows between slices;
    `notes` stand beside it.
    """

    name: str
    begin: int
    end: int
    inner: Sequence[Slice] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    notes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """Slices in the order of time; `path` are the names from the outermost group to this track's own."""

    path: tuple[str, ...]
    slices: list[Slice] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counter:
    """A number that changes at `points` (ns, value), in the order of time."""

    path: tuple[str, ...]
    unit: CounterUnit
    points: Sequence[tuple[int, int]]


Part = Track | Counter
