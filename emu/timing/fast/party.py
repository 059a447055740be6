"""One core among the others: its samples one after the other, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.timing.fast.body import RequestCosts
from emu.timing.fast.pipeline import Asked, Pipeline, Process

BETWEEN = -1  # requests of a core that stands before a sample


class Party:
    """Core `core` in one section. It runs the samples from `sample`, the present one, to `last`, which it leaves out.

    `asked` counts its requests in this sample; `ends` are those of its samples so far, in ps. `all_ends`, int64
    [samples], are known at last: also those of samples that need not be run.
    """

    def __init__(self, core: int, asks: Mapping[int, RequestCosts], pipeline: Pipeline, fill: int) -> None:
        self.core, self.asks, self.pipeline, self._fill = core, asks, pipeline, fill
        self.sample = self.last = 0
        self.asked, self.ends = BETWEEN, list[int]()
        self.all_ends = np.zeros(0, np.int64)
        self._walk: Process = pipeline.sample(0, 0)

    def begin(self, time: int) -> None:
        """Be about to run the present sample, from `time` on."""
        self.asked, observer = 0, self.pipeline.observer
        self.pipeline.effort.begin(self.sample)
        if observer is not None:
            observer.begin()
        self._walk = self.pipeline.sample(time, self._fill)

    def go_on(self, end: int | None) -> Asked | None:
        """Go on after the request that is finished at `end` (None: begin); the next one, None: the sample is over."""
        try:
            asked = self._walk.send(end)
        except StopIteration as stop:
            self.ends.append(stop.value)
            if self.pipeline.observer is not None:
                self.pipeline.observer.end(stop.value)
            self.asked = BETWEEN
            self.sample += 1
            return None
        assert isinstance(asked, tuple)
        self.asked += 1
        return asked

    def use(self, asked: int, duration: int) -> int:
        """When the present request has used a port of local memory that it asks for at `asked`."""
        end = asked + duration
        if duration and self.pipeline.queues:
            told = self._walk.send((asked, duration))
            assert isinstance(told, int)
            end = told
        self.pipeline.used = end
        return end
