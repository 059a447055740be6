"""Seconds per step of a compilation, and progress for whoever asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

Progress = Callable[[str, float], None]  # told each step, and the share of all work done before it, 0 to 1


class Clock:
    """`seconds` that each step has taken so far, by its name."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    def report(self, name: str, share: float) -> None:
        """Tell the progress: `share`, 0 to 1, is done."""
        if self._progress is not None:
            self._progress(name, share)

    @contextmanager
    def step(self, name: str, share: float) -> Generator[None]:
        """Around one step, before which `share` (0 to 1) is done."""
        self.report(name, share)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
