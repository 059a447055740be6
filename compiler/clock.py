"""Seconds per step of a compilation, and progress for whoever asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

Progress = Callable[[str, float], None]  # told each step and the share done, 0 to 1


class Clock:
    """`seconds` by name of the step, so far."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    def report(self, name: str, share: float) -> None:
        """Tell the progress."""
        if self._progress is not None:
            self._progress(name, share)

    @contextmanager
    def step(self, name: str, share: float) -> Generator[None]:
        """Around one step."""
        self.report(name, share)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
