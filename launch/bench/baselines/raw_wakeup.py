"""The barest wake-up: a byte through a pipe to a process that sleeps, and one back."""

from __future__ import annotations

import os
from types import TracebackType

from launch.bench.baselines.forked import end, fork


class RawWakeup:
    """A child that answers each byte with one."""

    def __init__(self) -> None:
        self._pipes = (*os.pipe(), *os.pipe())
        asked, self._ask, self._answers, tell = self._pipes

        def answer() -> None:
            while True:
                os.write(tell, os.read(asked, 1))

        self.child = fork(answer)

    def go(self, rounds: int) -> None:
        """Wake the child, and be woken by it, so often."""
        ask, answers = self._ask, self._answers
        for _ in range(rounds):
            os.write(ask, b".")
            os.read(answers, 1)

    def __enter__(self) -> RawWakeup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        end([self.child])
        for pipe in self._pipes:
            os.close(pipe)
