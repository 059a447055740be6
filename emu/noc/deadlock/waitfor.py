"""Who waits for whom: makes a deadlock report of blocked cores, whatever it is that drives these cores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum

from emu.noc.deadlock.place import ProgramPlace
from emu.noc.traffic.traffic import Syncers
from emu.wording import counted


class Direction(Enum):
    """What a blocked core waits to do."""

    SEND = "send"
    RECV = "recv"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Blocked:
    """A core that cannot go on: `index` counts the messages of the pair from 0 (for `wait`: the event)."""

    core: int
    direction: Direction
    peer: int  # -1 for `wait`
    index: int
    place: ProgramPlace

    @property
    def edge(self) -> tuple[int, str, int, int]:
        """(core, direction, peer, index): the same whoever drives the cores."""
        return (self.core, self.direction.value, self.peer, self.index)

    def __str__(self) -> str:
        return f"core {self.core} {_VERBS[self.direction].format(self)} at {self.place}"


_VERBS = {
    Direction.SEND: "waits until core {0.peer} takes message {0.index}",
    Direction.RECV: "waits for message {0.index} from core {0.peer}",
    Direction.WAIT: "waits for event {0.index}",
}


@dataclass(frozen=True, slots=True)
class DeadlockReport:
    """A cycle of waiting cores, or a chain of them whose last one waits for `halted` (None: for nobody).

    All are in one sample, the first one that cannot end. To them a core that is in a later one has halted.
    """

    edges: tuple[Blocked, ...]
    cycle: bool
    halted: int | None
    stuck: tuple[int, ...]  # every core that can never go on in this sample

    def __str__(self) -> str:
        end = f"core {self.halted} has halted" if self.halted is not None else "no core syncs that event any more"
        tail = f"which closes the cycle {self._walk()}" if self.cycle else end
        others = len(self.stuck) - len(self.edges)
        more = f"; {counted(others, 'more core waits', 'more cores wait')} for these" if others else ""
        return f"deadlock: {'; '.join(map(str, self.edges))}; {tail}{more}"

    @property
    def sample(self) -> int:
        """The sample that cannot end (INIT_SAMPLE: `init`)."""
        return self.edges[0].place.sample

    def _walk(self) -> str:
        cores = [edge.core for edge in self.edges]
        return " -> ".join(map(str, [*cores, cores[0]]))


def find_deadlock(blocked: Mapping[int, Blocked], halted: Mapping[int, int], syncers: Syncers) -> DeadlockReport | None:
    """The cores that can never go on, as a cycle or a chain, of the first sample with such cores; None: there are none.

    `halted` maps a halted core to the last sample that it finished: it can still serve later samples. Cores in neither
    mapping run, or will. `blocked` holds only cores whose message is known not to be in flight.
    """
    targets = {core: _targets(state, syncers) for core, state in blocked.items()}
    finished = {core: state.place.sample - 1 for core, state in blocked.items()} | dict(halted)
    stuck = _stuck(targets, blocked, finished)
    if not stuck:
        return None
    first = min(blocked[core].place.sample for core in stuck)
    stuck = {core for core in stuck if blocked[core].place.sample == first}
    next_of = {core: _next(targets[core], stuck) for core in stuck}
    walks = [_walk(core, next_of) for core in sorted(stuck)]
    chosen = next((walk for walk in walks if walk[1]), walks[0])
    cores, cycle = chosen
    end = None if cycle else next_of[cores[-1]]
    return DeadlockReport(tuple(blocked[core] for core in cores), cycle, end, tuple(sorted(stuck)))


def _targets(state: Blocked, syncers: Syncers) -> tuple[int, ...]:
    if state.direction is Direction.WAIT:
        return tuple(sorted(syncers(state.core, state.index)))
    return (state.peer,)


def _stuck(
    targets: Mapping[int, tuple[int, ...]], blocked: Mapping[int, Blocked], finished: Mapping[int, int]
) -> set[int]:
    waiters: dict[int, list[int]] = {}
    for core, wanted in targets.items():
        for target in wanted:
            waiters.setdefault(target, []).append(core)
    stuck = set(blocked)

    def over(waker: int, core: int) -> bool:
        """Whether `waker` has finished the sample in which `core` waits for it."""
        return waker in finished and finished[waker] >= blocked[core].place.sample

    awake = [(core, waiter) for core in waiters.keys() - blocked.keys() for waiter in waiters[core]]
    while awake:
        waker, core = awake.pop()
        if core in stuck and not over(waker, core):
            stuck.discard(core)
            awake.extend((core, waiter) for waiter in waiters.get(core, ()))
    return stuck


def _next(targets: tuple[int, ...], stuck: Collection[int]) -> int | None:
    return next((core for core in targets if core in stuck), targets[0] if targets else None)


def _walk(start: int, next_of: Mapping[int, int | None]) -> tuple[list[int], bool]:
    """The cores of the cycle that the walk from `start` ends in, lowest first, or else of the whole chain."""
    path: list[int] = []
    core: int | None = start
    while core is not None and core in next_of and core not in path:
        path.append(core)
        core = next_of[core]
    if core is None or core not in path:
        return path, False
    cycle = path[path.index(core) :]
    lowest = cycle.index(min(cycle))
    return cycle[lowest:] + cycle[:lowest], True
