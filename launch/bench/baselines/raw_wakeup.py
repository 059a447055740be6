"""The barest wake-up: a byte through a pipe to a process that sleeps, and one back."""

from __future__ import annotations

import os
from types import TracebackType


class RawWakeup:
    """A child that answers each byte with one, until its pipe ends."""

    def __init__(self) -> None:
        there, self._there = os.pipe()
        self._back, back = os.pipe()
        self.child = os.fork()
        if not self.child:
            os.close(self._there)
            while byte := os.read(there, 1):
                os.write(back, byte)
            os._exit(0)
        os.close(there)
        os.close(back)

    def go(self, rounds: int) -> None:
        """Wake the child, and be woken by it, so often."""
        there, back = self._there, self._back
        for _ in range(rounds):
            os.write(there, b".")
            os.read(back, 1)

    def __enter__(self) -> RawWakeup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._there)
        os.waitpid(self.child, 0)
        os.close(self._back)
