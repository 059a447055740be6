"""A fault as it will be injected: which kind, at which core, when, and its random stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

EVERY = -1  # in place of a core: all of them
ALWAYS = -1  # in place of a number of a request or message


@dataclass(frozen=True, slots=True)
class ChaosFault:
    """`at` counts what the kind says; `ordinal` tells faults of one kind apart. Made of plain values."""

    kind: str
    core: int
    at: int
    numbers: tuple[float, ...]
    seed: int
    ordinal: int = 0

    @classmethod
    def of(cls, values: Sequence[object]) -> ChaosFault:
        """The fault whose `dataclasses.astuple` has been through msgpack."""
        kind, core, at, numbers, seed, ordinal = values
        return cls(kind, core, at, tuple(numbers), seed, ordinal)  # type: ignore[arg-type]

    def hits(self, core: int) -> bool:
        """Whether `core` has it."""
        return self.core in (core, EVERY)

    def stream(self, core: int) -> Random:
        """The random numbers of this fault at `core`: a function of seed, core and kind, not of other faults."""
        return Random(f"{self.seed} {self.kind} {self.ordinal} {core}")
