"""How many operations may be walked one by one: programs of strangers must not take for ever."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.core.trap import INIT_SAMPLE
from emu.operands.timeline import TooMuch

MOST = 1 << 24  # of one sample


@dataclass(slots=True)
class Effort:
    """What is `left` of so many, for all cores of a run together; `why` is the sentence for who needs more.

    Of what is `kept`, all samples together must do with it; otherwise each has as much again.
    """

    left: int
    why: str
    kept: bool = False
    _most: int = field(init=False)
    _sample: int = INIT_SAMPLE

    def __post_init__(self) -> None:
        self._most = self.left

    def begin(self, sample: int) -> None:
        """A core begins a sample: the first one to do so gives all of them as much again, unless it is kept."""
        if sample > self._sample and not self.kept:
            self.left, self._sample = self._most, sample

    def take(self, operations: int) -> None:
        """Walk so many; raises TooMuch when nothing is left."""
        self.left -= operations
        if self.left < 0:
            raise TooMuch(self.why)


def effort_per_sample() -> Effort:
    """For times alone: nothing is kept of what is walked."""
    return Effort(
        MOST,
        f"more than {MOST} operations of one sample would have to be followed one by one: their loops never come back"
        " to what they did before",
    )
