"""What an executor finds: finish times, and how often everything happened; and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExecutorRun:
    """What an executor found, and in which order it let end what ends together.

    Times in ps: `finish` by core, 0 if the simulator never sees its end.
    `counts` by core and action (see `counts.py`), `flits` by pair of nodes (from, to).
    """

    executor: str
    ties: str
    finish: Mapping[int, int]
    counts: Mapping[int, Mapping[str, int]]
    flits: Counter[tuple[int, int]]

    @property
    def latency(self) -> int:
        """Of the chip: the last finish of a core that finishes."""
        return max(self.finish.values(), default=0)
