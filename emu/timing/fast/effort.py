"""How many operations may be walked one by one: programs of strangers must not take for ever."""

from __future__ import annotations

from dataclasses import dataclass

from emu.replay.timeline import TooMuch

MOST = 1 << 26  # of one run


@dataclass(slots=True)
class Effort:
    """What is left, for all cores of a run together."""

    left: int = MOST

    def take(self, operations: int) -> None:
        """Walk so many; raises TooMuch when nothing is left."""
        self.left -= operations
        if self.left < 0:
            raise TooMuch(f"more than {MOST} operations would have to be followed one by one: their loops never repeat")
