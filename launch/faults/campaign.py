"""A campaign: each kind of fault is made several times, and the outcomes are collected."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from emu.output.scratch import ScratchFolder
from launch.faults.kinds import KINDS, Kind
from launch.faults.plan import Trial, make_plan

COLUMNS = ("fault", "measured", "runs", "found", "p50 ms", "max ms", "leaks")
ALIGN = "llrrrrr"


@dataclass(frozen=True, slots=True)
class Outcome:
    """All trials of one kind."""

    kind: Kind
    trials: tuple[Trial, ...]

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


def run_campaign(
    runs: int, cores: int, seed: int, tell: Callable[[str], None] = lambda text: None, kinds: Sequence[Kind] = KINDS
) -> Iterator[Outcome]:
    """`runs` trials of every kind with `cores` cores each, one after the other; `tell` hears of the progress."""
    with ScratchFolder("faults") as folder:
        for kind in kinds:
            tell(kind.name)
            trials = [_trial(kind, folder, cores, seed, number) for number in range(runs)]
            yield Outcome(kind, tuple(trials))


def _trial(kind: Kind, folder: Path, cores: int, seed: int, number: int) -> Trial:
    try:
        return kind.how.try_out(make_plan(folder, cores, kind.name, seed, number))
    except EmuError as error:  # before the fault could be made
        return Trial(None, f"the run did not start: {error}")
