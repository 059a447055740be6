"""Event registers: a wait is over when as many syncs have come as it and the waits before it take."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from emu.core.trap import INIT_SAMPLE
from emu.timing.fast.shared import SharedResources

Register = tuple[int, int, int]  # core, event, sample


@dataclass(frozen=True, eq=False, slots=True)
class _Waiting:
    """A wait that is not over: how many syncs it needs, from when on, and what follows."""

    needed: int
    ready: int
    then: Callable[[int], None]


class CoreEvents:
    """All event registers. Samples begin with what the syncs and waits of `init` leave."""

    def __init__(self, shared: SharedResources) -> None:
        self._shared = shared
        self._come: dict[Register, list[int]] = {}  # times, in order
        self._taken: defaultdict[Register, int] = defaultdict(int)
        self._waiting: dict[Register, _Waiting] = {}

    def come(self, core: int, event: int, sample: int, time: int) -> None:
        """A sync comes."""
        register = core, event, sample
        insort(self._times(register), time)
        if register in self._waiting:
            self._try(register)

    def wait(self, core: int, event: int, sample: int, value: int, ready: int, then: Callable[[int], None]) -> None:
        """Wait from `ready` on, and take `value`; `then` is told when that is over."""
        register = core, event, sample
        self._taken[register] += value
        self._waiting[register] = _Waiting(self._taken[register], ready, then)
        self._try(register)

    def snapshot(self, now: int, samples: Mapping[int, int], starts: Mapping[int, int], sample: int) -> Hashable:
        """The registers of these cores, relative to `now` and `sample`: what each core needs from its sample on.

        `starts` are the last starts of cores: whatever came before is no different from what comes then.
        """
        state: list[Hashable] = []
        for (core, event, of), times in sorted(self._come.items()):
            if of == INIT_SAMPLE and core in samples:
                late = [max(time - now, 0) for time in times]
                state.append((core, event, tuple(late)))
            elif of >= samples.get(core, of + 1):
                come = [max(time, starts[core]) - now for time in times]
                state.append((core, event, of - sample, self._taken[core, event, of], tuple(come)))
        return tuple(state)

    def _times(self, register: Register) -> list[int]:
        known = self._come.get(register)
        if known is None:
            core, event, sample = register
            before = core, event, INIT_SAMPLE
            left = [] if sample == INIT_SAMPLE else self._come.get(before, [])[self._taken[before] :]
            known = self._come[register] = list(left)
        return known

    def _try(self, register: Register) -> None:
        waiting, times = self._waiting[register], self._times(register)
        if len(times) >= waiting.needed:
            time = max(waiting.ready, times[waiting.needed - 1]) if waiting.needed else waiting.ready

            def end(now: int) -> None:
                if self._waiting.get(register) is waiting:  # no earlier sync has ended it
                    del self._waiting[register]
                    waiting.then(now)

            self._shared.at(time, register[0], end)
