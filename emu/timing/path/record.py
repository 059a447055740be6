"""What decided the start of each operation of a core, also of those that were leapt over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Via(IntEnum):
    """How one operation decides the start of a later one; also the place of a core's state where it is kept."""

    FRONT = 0  # by its own start: they pass the front end one after the other
    WINDOW = 1  # by its end
    UNIT = 2  # by its unit being free again
    OPERAND = 3  # by its end
    READ = 4  # by having read its operands; its place is that of OPERAND


class StatePlace(NamedTuple):
    """A place of a core's state: the last operation, entry `number` of those in flight, or of a unit."""

    via: Via
    number: int


@dataclass(eq=False, slots=True)
class StartedOperation:
    """An operation: its instruction, its start (ps), and which one decided that (None: the beginning of the sample).

    `request` numbers the requests of a core in a sample; -1: it is none.
    """

    index: int
    start: int
    before: Record | None
    via: Via
    request: int = -1


@dataclass(frozen=True, eq=False, slots=True)
class Period:
    """What a loop does again and again: the operations that count for the future, before it and after it, by place."""

    early: Mapping[StatePlace, Record]
    late: Mapping[StatePlace, Record]
    places: Mapping[int, Mapping[Via, StatePlace]]  # of `early`, by the identity of the record


@dataclass(frozen=True, eq=False, slots=True)
class Leapt:
    """The operation at a place of the state, so many periods after the walk has seen it; `start` is its own (ps)."""

    period: Period
    place: StatePlace
    rounds: int
    start: int


Record = StartedOperation | Leapt


def period_of(early: Mapping[StatePlace, Record], late: Mapping[StatePlace, Record]) -> Period:
    """The period between two equal states."""
    places: dict[int, dict[Via, StatePlace]] = {}
    for place, record in early.items():
        places.setdefault(id(record), {})[place.via] = place
    return Period(early, late, places)
