"""The plan and the outcome of one trial with a fault."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

LONGEST_DELAY = 0.3  # seconds from power-on to the fault
MOST_ROUNDS = 60  # of messages before the fault
SAFETY = 30.0  # seconds after which a trial has failed


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """One trial: everything that a seed decides. `delay` in seconds, `rounds` of messages before the fault."""

    folder: Path
    cores: int
    victim: int
    delay: float
    rounds: int

    @property
    def next(self) -> int:
        """The core that the victim sends to."""
        return (self.victim + 1) % self.cores


def make_plan(folder: Path, cores: int, kind: str, seed: int, number: int) -> TrialPlan:
    """Trial `number` of a kind of fault: the same for equal arguments."""
    rng = random.Random(f"{seed} {kind} {number}")
    return TrialPlan(folder, cores, rng.randrange(cores), rng.uniform(0, LONGEST_DELAY), rng.randrange(1, MOST_ROUNDS))


@dataclass(frozen=True, slots=True)
class FaultTrial:
    """`seconds` from the fault until it was known (None: never); `problem` is empty if all was as it must be.

    `leaks` are processes that lived and paths that stood when all should have been gone.
    """

    seconds: float | None
    problem: str = ""
    leaks: tuple[str, ...] = ()
