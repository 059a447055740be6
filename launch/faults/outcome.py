"""What came of all trials of a kind of fault."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from launch.faults.kinds import FaultKind
from launch.faults.plan import FaultTrial


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    """All trials of one kind."""

    kind: FaultKind
    trials: tuple[FaultTrial, ...]

    @property
    def found(self) -> int:
        """Trials without a problem."""
        return sum(not trial.problem for trial in self.trials)

    @property
    def leaks(self) -> list[str]:
        """What all trials left behind."""
        return [leak for trial in self.trials for leak in trial.leaks]

    @property
    def seconds(self) -> list[float]:
        """The measured times, ascending."""
        return sorted(trial.seconds for trial in self.trials if trial.seconds is not None)

    @property
    def right(self) -> bool:
        """Whether every trial was found out and left nothing."""
        return self.found == len(self.trials) and not self.leaks

    @property
    def late(self) -> int:
        """Trials that took longer than the limit of their kind."""
        limit = self.kind.limit
        return 0 if limit is None else sum(seconds > limit for seconds in self.seconds)

    def cells(self) -> tuple[str, ...]:
        """One row of the table."""
        times = self.seconds if self.kind.limit is not None else []
        shown = [f"{1000 * value:.0f}" for value in (statistics.median(times), times[-1])] if times else ["", ""]
        numbers = (str(len(self.trials)), str(self.found), *shown, str(len(self.leaks)))
        return self.kind.name, self.kind.measured, *numbers

    def problems(self) -> list[str]:
        """A sentence for each trial that was not as it must be."""
        problems = [f"{self.kind.name}: {trial.problem}" for trial in self.trials if trial.problem]
        return problems + [f"{self.kind.name} left {leak}" for leak in self.leaks]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "fault": self.kind.name,
            "runs": len(self.trials),
            "found": self.found,
            "seconds": [round(seconds, 4) for seconds in self.seconds],
            "limit": self.kind.limit,
            "late": self.late,
            "leaks": self.leaks,
            "problems": self.problems(),
        }
