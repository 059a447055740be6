"""Work that is done a little at a time, by a process that has other things to do, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator


class InSteps:
    """What is to be done, one thing after the other; each is an iterator that comes back after a little of it."""

    def __init__(self, *work: Iterator[None]) -> None:
        self._work = deque(work)

    @property
    def busy(self) -> bool:
        """Whether there is something to do, whatever comes."""
        return bool(self._work)

    def step(self) -> None:
        """Do a little; raises what it raises."""
        try:
            next(self._work[0])
        except StopIteration:
            self._work.popleft()

    def also(self, work: Iterator[None]) -> None:
        """Do this, too, at last."""
        self._work.append(work)

    def close(self) -> None:
        """Leave the rest undone."""
        self._work.clear()
