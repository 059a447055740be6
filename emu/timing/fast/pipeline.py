"""What all cores have in common: a walk that adds up waits, and loops that are leapt over as soon as they repeat."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Sequence
from typing import Protocol

from emu.operands.loop_tree import Loop
from emu.timing.basis.result import Cause
from emu.timing.fast.body import Counters, SectionTree
from emu.timing.fast.effort import Effort
from emu.timing.fast.hazards import Hazards
from emu.timing.fast.observer import CoreObserver
from emu.timing.fast.repetition import LoopMark, Repetition
from emu.timing.fast.steadiness import Steadiness, SteadyStatePlan

CAUSES = 4  # of waits that a core knows of itself: the first ones of `Cause`
WINDOW, UNIT, OPERAND, PORT = (int(cause) for cause in Cause if cause < CAUSES)
NOWHERE = -1  # an instruction that there is not
FEW = 2  # iterations that are not worth a look
ALONE = SteadyStatePlan(
    1, ()
)  # of loops whose operations never overlap in time: whatever they share, all iterations are alike

Asked = tuple[int, int]  # a request: its instruction, and when it starts
Access = tuple[int, int]  # when a request asks for a port of local memory, and for how long
Process = Generator[Asked | int, int | Access | None, int]
Walk = Generator[Asked | int, int | Access | None, None]  # a part of it


class KnownSection(Protocol):
    """What is known of a section whatever the times."""

    body: SectionTree
    hazards: Hazards
    steadiness: Steadiness


class Pipeline(ABC):
    """One core in one section. `sums` are its waits by cause, then the time of each unit, as far as it is told, in ps.

    `start` is that of the last operation; all else that decides the times of the next ones is relative to it.
    `used`: when the last request had used a port of local memory, which it must be told.
    `queues`: whether operations wait for ports of local memory; then `sums` tell the time of all units, otherwise
    that of requests only. Who is to look on is put into `observer`.
    """

    queues: bool

    def __init__(self, known: KnownSection, units: int, window: int, effort: Effort) -> None:
        self.body, self.hazards, self.window, self.effort = known.body, known.hazards, window, effort
        self._steadiness = known.steadiness
        self.start, self.used, self.sums = 0, 0, [0] * (CAUSES + units)
        self.observer: CoreObserver | None = None

    @abstractmethod
    def sample(self, begin: int, fill: int) -> Process:
        """Run from `begin` on, after the `fill` of the front end; returns when all is finished.

        Yields requests as (instruction, start), and goes on when it is told the end. A core that `queues` may be told
        first what the request asks of local memory, and yields when that is over.
        """

    @abstractmethod
    def state(self, loop: Loop, count: int) -> Hashable:
        """All that the times of the iterations from `count` on depend on, relative to the last start."""

    @abstractmethod
    def shift(self, loop: Loop, time: int, turns: int) -> None:
        """Let the same state be `turns` iterations and `time` later."""

    def snapshot(self, now: int) -> Hashable:
        """All that the times of the operations to come depend on, relative to `now`."""
        return self.start - now, self.state(Loop(NOWHERE, NOWHERE, 0, 0, (), False), 0)

    def units_of(self, loop: Loop) -> Sequence[int]:
        """The units in use in a loop."""
        return self.body.units.get(loop.index, range(len(self.sums) - CAUSES))

    def visit(self, loop: Loop, around: Counters) -> Repetition | None:
        """Begin a loop without requests; None if there is nothing to be looked for."""
        if loop.trips <= FEW:
            return None
        plan = ALONE if self.window == 1 else self._steadiness.plan(loop, around)
        return Repetition(plan, loop.trips) if plan else None

    def leap(self, loop: Loop, repetition: Repetition, count: int) -> int:
        """Before iteration `count`: how many need not be walked, as they have been taken into account."""
        observer = self.observer
        now = LoopMark(count, self.start, tuple(self.sums), None if observer is None else observer.mark())
        found = repetition.look(now, self.state(loop, count))
        if found is None:
            return 0
        before, rounds = found
        period, turns = now.start - before.start, rounds * (now.turn - before.turn)
        if observer is not None:
            observer.leap(loop, rounds, period, before.seen, now.seen)
        self.sums = [late + rounds * (late - early) for late, early in zip(now.sums, before.sums, strict=True)]
        self.shift(loop, rounds * period, turns)
        self.start += rounds * period
        return turns
