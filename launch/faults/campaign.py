"""Each kind of fault is made several times, each time in a process of its own, and the outcomes are collected."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from emu.output.scratch import ScratchFolder
from emu.wording import counted
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case, CaseResult
from launch.faults.kinds import KINDS, Kind
from launch.faults.plan import Trial, make_plan
from launch.text.answer import Answer


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


@dataclass(frozen=True, kw_only=True)
class FaultCampaign(Campaign):
    """Trials of kinds of faults with `cores` cores each, told by kind, and written to a `page` if there is one."""

    cores: int
    seed: int
    page: Path | None = None

    def outcomes(self, results: Sequence[CaseResult]) -> list[Outcome]:
        """The trials of each kind."""
        found: dict[str, list[Trial]] = {}
        for result in results:
            found.setdefault(result.case.facts["fault"], []).append(_trial_of(result))
        return [Outcome(kind, tuple(found[kind.name])) for kind in KINDS if kind.name in found]

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """0 if all were found out and left nothing."""
        return int(any(result.exit_code for result in results))

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """What the command answers; the page is written if all trials have ended."""
        from launch.faults.page import fault_table, to_dict, write_fault_page

        outcomes = self.outcomes([result for result in report.results if result.exit_code is not None])
        if self.page is not None and not report.not_run:
            write_fault_page(self.page, outcomes, self.cores)
        problems = [problem for outcome in outcomes for problem in outcome.problems()]
        late = sum(outcome.late for outcome in outcomes)
        title = f"faults in runs of {counted(self.cores, 'core')}"
        last = f"later than their limit: {late}, problems: {len(problems)}"
        values = to_dict(outcomes, self.cores, self.seed) | {"exit_code": report.exit_code}
        return Answer(values, [fault_table(outcomes, title), *problems, last], exit_code=report.exit_code)


def fault_campaign(runs: int, cores: int, seed: int, page: Path | None = None) -> FaultCampaign:
    """`runs` trials of every kind of fault."""
    cases = [
        Case(
            f"{kind.name}, {number}" if runs > 1 else kind.name,
            "launch.faults.campaign:run_case",
            {"fault": kind.name, "cores": cores, "seed": seed, "number": number},
            facts={"fault": kind.name},
        )
        for kind in KINDS
        for number in range(runs)
    ]
    return FaultCampaign(name="faults", cases=cases, needed=("launch.faults.kinds",), cores=cores, seed=seed, page=page)


def run_case(fault: str, cores: int, seed: int, number: int) -> dict[str, Any]:
    """Trial `number` of a kind of fault: the fields of a `Trial`, and 1 as exit code unless all is as it must be."""
    kind = next(kind for kind in KINDS if kind.name == fault)
    trial = try_out(kind, cores, seed, number)
    reason = "; ".join(Outcome(kind, (trial,)).problems())
    return {"trial": asdict(trial), "reason": reason, "exit_code": int(bool(reason))}


def try_out(kind: Kind, cores: int, seed: int, number: int) -> Trial:
    """One trial, in a folder of its own."""
    with ScratchFolder("faults") as folder:
        try:
            return kind.how.try_out(make_plan(folder, cores, kind.name, seed, number))
        except EmuError as error:  # before the fault could be made
            return Trial(None, f"the run did not start: {error}")


def _trial_of(result: CaseResult) -> Trial:
    found = result.report.get("trial")
    if found is None:
        return Trial(None, result.reason)
    return Trial(found["seconds"], found["problem"], tuple(found["leaks"]))
