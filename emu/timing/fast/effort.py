"""How many operations of loops may be walked one by one: programs of strangers must not take for ever."""

from __future__ import annotations

from dataclasses import dataclass

from emu.core.trap import INIT_SAMPLE
from emu.replay.timeline import TooMuch

MOST = 1 << 24  # of one sample


@dataclass(slots=True)
class Effort:
    """What is left, for all cores of a run together."""

    left: int = MOST
    sample: int = INIT_SAMPLE

    def begin(self, sample: int) -> None:
        """A core begins a sample: the first one to do so gives all of them as much again."""
        if sample > self.sample:
            self.left, self.sample = MOST, sample

    def take(self, operations: int) -> None:
        """Walk so many; raises TooMuch when nothing is left."""
        self.left -= operations
        if self.left < 0:
            raise TooMuch(
                f"more than {MOST} operations of one sample would have to be followed one by one: "
                "their loops never come back to what they did before"
            )
