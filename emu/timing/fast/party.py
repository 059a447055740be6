"""One core among the others: its samples one after the other, and what it asks for."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from emu.timing.fast.body import Ask
from emu.timing.fast.core import Asked, Core


class Party:
    """Core `core` in one section; `ends` of its samples from `first` on."""

    def __init__(self, core: int, asks: Mapping[int, Ask], timed: Core) -> None:
        self.core, self.asks, self.timed = core, asks, timed
        self.sample = 0
        self.ends: list[int] = []
        self.use = timed.use
        self._process: Generator[Asked, int | None, None] | None = None

    def begin(self, time: int, fill: int, first: int, samples: int) -> None:
        """Be about to run so many samples, back to back, the first one from `time` on."""
        self._process = self._run(time, fill, first, samples)

    def go_on(self, end: int | None) -> Asked | None:
        """Go on after the request that is finished at `end` (None: begin); the next request, None: all is done."""
        assert self._process is not None
        try:
            return self._process.send(end)
        except StopIteration:
            return None

    def _run(self, time: int, fill: int, first: int, samples: int) -> Generator[Asked, int | None, None]:
        for sample in range(first, first + samples):
            self.sample = sample
            time = yield from self.timed.sample(time + fill)
            self.ends.append(time)
