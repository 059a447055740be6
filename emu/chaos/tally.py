"""Counts of injected faults in shared memory: each core has a row of its own, which outlives its process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from mmap import mmap

import numpy as np

from emu.chaos.fault import ChaosFault

WORD = 8


class FaultTally:
    """Faults injected, per core and kind."""

    def __init__(self, memory: mmap | bytearray, cores: Sequence[int], faults: Sequence[ChaosFault]) -> None:
        self._cores, self._kinds = list(cores), kinds_of(faults)
        self._words = memoryview(memory).cast("q")

    @staticmethod
    def size(cores: Sequence[int], faults: Sequence[ChaosFault]) -> int:
        """Bytes of memory."""
        return WORD * max(1, len(cores) * len(kinds_of(faults)))

    def counter(self, core: int, kind: str) -> Callable[[], None]:
        """What `core` calls whenever it injects a fault of `kind`."""
        words, place = self._words, self._cores.index(core) * len(self._kinds) + self._kinds.index(kind)

        def happened() -> None:
            words[place] += 1

        return happened

    def counts(self) -> dict[str, int]:
        """Faults injected so far by kind, 0 included."""
        size = len(self._cores) * len(self._kinds)
        sums = np.array(self._words[:size].tolist(), np.int64).reshape(-1, max(1, len(self._kinds))).sum(axis=0)
        return dict(zip(self._kinds, sums.tolist(), strict=True)) if size else dict.fromkeys(self._kinds, 0)


def kinds_of(faults: Sequence[ChaosFault]) -> list[str]:
    """The kinds that occur, each once, in order."""
    return list(dict.fromkeys(fault.kind for fault in faults))
