"""The barest wake-up: a byte through a pipe to a process that sleeps, and one back."""

from __future__ import annotations

import os

from launch.bench.baselines.forked import ForkedBaseline


class RawWakeup(ForkedBaseline):
    """A child that answers each byte with one."""

    def __init__(self) -> None:
        super().__init__()
        pipes = asked, self._ask, self._answers, tell = (*os.pipe(), *os.pipe())
        for pipe in pipes:
            self.callback(os.close, pipe)

        def answer() -> None:
            while True:
                os.write(tell, os.read(asked, 1))

        self.fork(answer)

    def go(self, rounds: int) -> None:
        """Wake the child, and be woken by it, so often."""
        ask, answers = self._ask, self._answers
        for _ in range(rounds):
            os.write(ask, b".")
            os.read(answers, 1)
