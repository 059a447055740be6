"""Faults as a campaign: each kind is injected several times, each time in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from emu.output.scratch import ScratchFolder
from emu.wording import counted
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case, CaseResult
from launch.faults.kinds import KINDS, FaultKind
from launch.faults.outcome import FaultOutcome
from launch.faults.page import fault_table, to_dict, write_fault_page
from launch.faults.plan import FaultTrial, make_plan
from launch.text.answer import Answer


@dataclass(frozen=True, kw_only=True)
class FaultCampaign(Campaign):
    """Trials of kinds of faults with `cores` cores each, reported by kind, and written to a `page` if there is one."""

    cores: int
    seed: int
    page: Path | None = None

    def outcomes(self, results: Sequence[CaseResult]) -> list[FaultOutcome]:
        """The trials of each kind."""
        found: dict[str, list[FaultTrial]] = {}
        for result in results:
            found.setdefault(result.case.facts["fault"], []).append(_trial_of(result))
        return [FaultOutcome(kind, tuple(found[kind.name])) for kind in KINDS if kind.name in found]

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """0 if all faults were detected and left nothing behind."""
        return int(any(result.exit_code for result in results))

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """The answer of the command; the page is written if all trials have ended."""
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
    return FaultCampaign(name="faults", cases=cases, cores=cores, seed=seed, page=page)


def run_case(fault: str, cores: int, seed: int, number: int) -> dict[str, Any]:
    """Trial `number` of a kind of fault: the fields of a `FaultTrial`, and exit code 1 if the fault was mishandled."""
    kind = next(kind for kind in KINDS if kind.name == fault)
    trial = try_out(kind, cores, seed, number)
    reason = "; ".join(FaultOutcome(kind, (trial,)).problems())
    return {"trial": asdict(trial), "reason": reason, "exit_code": int(bool(reason))}


def try_out(kind: FaultKind, cores: int, seed: int, number: int) -> FaultTrial:
    """One trial, in a folder of its own."""
    with ScratchFolder("faults") as folder:
        try:
            return kind.how.try_out(make_plan(folder, cores, kind.name, seed, number))
        except EmuError as error:  # before the fault could be made
            return FaultTrial(None, f"the run did not start: {error}")


def _trial_of(result: CaseResult) -> FaultTrial:
    found = result.report.get("trial")
    if found is None:
        return FaultTrial(None, result.reason)
    return FaultTrial(found["seconds"], found["problem"], tuple(found["leaks"]))
