"""One core among the others: its samples one after the other, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping

from emu.timing.fast.body import Ask
from emu.timing.fast.pipeline import Asked, Pipeline, Walk


class Party:
    """Core `core` in one section. `ends` are those of its samples so far, `sample` is the present one."""

    def __init__(self, core: int, asks: Mapping[int, Ask], pipeline: Pipeline) -> None:
        self.core, self.asks, self.pipeline = core, asks, pipeline
        self.sample, self.ends = 0, list[int]()
        self._walk: Walk = self._run(0, 0, 0, 0)

    def begin(self, time: int, fill: int, first: int, samples: int) -> None:
        """Be about to run so many samples, back to back, the first one from `time` on."""
        self._walk = self._run(time, fill, first, samples)

    def go_on(self, end: int | None) -> Asked | None:
        """Go on after the request that is finished at `end` (None: begin); the next request, None: all is done."""
        try:
            asked = self._walk.send(end)
        except StopIteration:
            return None
        assert isinstance(asked, tuple)
        return asked

    def use(self, asked: int, duration: int) -> int:
        """When the present request has used a port of local memory that it asks for at `asked`."""
        if not duration or not self.pipeline.queues:
            return asked + duration
        end = self._walk.send((asked, duration))
        assert isinstance(end, int)
        return end

    def _run(self, time: int, fill: int, first: int, samples: int) -> Walk:
        for sample in range(first, first + samples):
            self.sample = sample
            time = yield from self.pipeline.sample(time, fill)
            self.ends.append(time)
