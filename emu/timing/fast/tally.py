"""What the requests of a section add up to, for all cores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from emu.noc.traffic.topology import Link
from emu.timing.basis.result import Cause

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class WaitTally:
    """In ps: `blocked` by core and cause; `waits` by core, cause (SENDER, RECEIVER) and peer; `links` by link."""

    blocked: defaultdict[tuple[int, Cause], int] = field(default_factory=lambda: defaultdict(int))
    waits: defaultdict[tuple[int, Cause, int], int] = field(default_factory=lambda: defaultdict(int))
    links: defaultdict[Link, int] = field(default_factory=lambda: defaultdict(int))

    def peer(self, core: int, cause: Cause, peer: int, time: int) -> None:
        """A wait for a peer."""
        if time:
            self.blocked[core, cause] += time
            self.waits[core, cause, peer] += time

    def copy(self) -> WaitTally:
        """As it is now."""
        return WaitTally(self.blocked.copy(), self.waits.copy(), self.links.copy())

    def add(self, late: WaitTally, early: WaitTally, times: int) -> None:
        """Add what came between two moments so many times more."""
        _add(self.blocked, late.blocked, early.blocked, times)
        _add(self.waits, late.waits, early.waits, times)
        _add(self.links, late.links, early.links, times)

    def table(self, cores: Sequence[int], starts: Sequence[Sequence[int]]) -> np.ndarray:
        """`blocked` of the cores, together with what each waited before its operations; int64 [cores, causes]."""
        blocked = np.zeros((len(cores), len(Cause)), np.int64)
        for place, (core, waits) in enumerate(zip(cores, starts, strict=True)):
            blocked[place, : len(waits)] = waits
            for cause in Cause:
                blocked[place, cause] += self.blocked.get((core, cause), 0)
        return blocked


def _add(sums: defaultdict[_Key, int], late: Mapping[_Key, int], early: Mapping[_Key, int], times: int) -> None:
    for key, time in late.items():
        sums[key] += times * (time - early.get(key, 0))
