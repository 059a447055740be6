"""The cases of ONNX's suite as a campaign: each is compiled and run in a process of its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import onnx

from emu.output.scratch import ScratchFolder
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case as CampaignCase
from launch.campaigns.case import CaseResult
from launch.campaigns.outcomes import BROKEN, IDLE, CaseOutcome
from launch.campaigns.outcomes import FAILED as WRONG
from launch.campaigns.outcomes import PASSED as RIGHT
from launch.conformance.cases import KINDS, OnnxCase, collect
from launch.conformance.report import ConformanceReport
from launch.conformance.result import FAILED, HOSTED, NOT_RUN, OUTCOMES, PASSED, REFUSED, CaseInputs, ConformanceResult
from launch.conformance.selecting import Selection
from launch.conformance.trial import ConformanceTrial, run_trial
from launch.processes.zygote_process import usual_zygotes
from launch.text.answer import Part

TIMEOUT = 300.0  # seconds for a case
EXIT_CODES = {FAILED: 1, REFUSED: 2}  # of a case alone; any other is 0
_GOOD = {PASSED: RIGHT, HOSTED: RIGHT, FAILED: WRONG, NOT_RUN: BROKEN}  # what a CI server is told; any other: not run


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceOptions:
    """What is run, and how: `kinds` of cases, `timeout` seconds for a case.

    With `host_fallback` the host does what the compiler refuses.
    """

    kinds: Sequence[str] = tuple(KINDS)
    selection: Selection = field(default_factory=Selection)
    timeout: float = TIMEOUT
    host_fallback: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        chosen = self.selection
        return {
            "onnx": onnx.__version__,
            "kinds_asked": list(self.kinds),
            "op": chosen.op or None,
            "case": chosen.case or None,
            "all": chosen.all,
            "sample": chosen.sample,
            "seed": chosen.seed,
            "timeout": self.timeout,
            "host_fallback": self.host_fallback,
        }


class ConformanceCampaign(Campaign):
    """Cases of the suite, with outcomes of their own, and a table of operators."""

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """The outcome of a case; a refusal is no failure."""
        if result.case.expect:
            return super().outcome(result)
        word = result_of(result).outcome
        return CaseOutcome(word, word, _GOOD.get(word, IDLE))

    def suite_report(self, report: CampaignReport) -> ConformanceReport:
        """The report of the suite."""
        about = {**self.about, "jobs": report.jobs, "deadline": report.deadline}
        return ConformanceReport(list(map(result_of, report.results)), report.seconds, about, report.stopped)

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """The exit code of the suite's report, except for cases with `expect`."""
        expected = [result for result in results if result.case.expect]
        others = [result_of(result) for result in results if not result.case.expect]
        return super().exit_code(expected) or ConformanceReport(others, 0.0).exit_code

    def parts(self, report: CampaignReport, quiet: bool) -> Iterable[Part]:
        """Rows per operator; why cases are refused or wrong; totals."""
        suite_report = self.suite_report(report)
        unlike = [f"FAIL  {r.case.name}: {r.reason}" for r in report.results if r.case.expect and not r.passed]
        return [suite_report.table(), *unlike, *suite_report.lines()]

    def values(self, report: CampaignReport) -> dict[str, Any]:
        """Plain values for --json."""
        return self.suite_report(report).to_dict() | {"exit_code": report.exit_code}


def conformance_campaign(options: ConformanceOptions) -> ConformanceCampaign:
    """The cases that are meant; raises InputError if there is none."""
    cases = options.selection.of(collect(options.kinds))
    return ConformanceCampaign(
        name="conformance",
        cases=[_case(case, options.host_fallback) for case in cases],
        timeout=options.timeout,
        about=options.to_dict(),
        announces=False,
    )


def _case(case: OnnxCase, host_fallback: bool) -> CampaignCase:
    def given() -> Mapping[str, Any]:
        trial = case.trial(host_fallback)
        return {field.name: getattr(trial, field.name) for field in fields(trial)}

    more = ["--host-fallback"] if host_fallback else []
    repeat = ("conformance", "--kind", case.kind, "--case", case.name, "--all", *more)
    facts = {"kind": case.kind, "operator": case.operator}
    return CampaignCase(case.name, "launch.conformance.campaign:run_case", given, repeat, facts=facts)


def run_case(**trial: Any) -> dict[str, Any]:
    """Run one case: fields of a `ConformanceTrial` in, fields of a `ConformanceResult` and the exit code out."""
    warnings.simplefilter("ignore")  # of libraries, about what cases hold
    with ScratchFolder("conformance") as folder:
        result = run_trial(ConformanceTrial(**trial), folder, usual_zygotes())
    return {"result": asdict(result), "reason": result.reason, "exit_code": EXIT_CODES.get(result.outcome, 0)}


def result_of(found: CaseResult) -> ConformanceResult:
    """The result of a case as the suite has it; it has failed if its process died, or timed out."""
    values = found.report.get("result")
    if values is not None:
        inputs = values["inputs"]
        made = CaseInputs(inputs["count"], tuple(inputs["frozen"]), inputs["why"], inputs["idle"])
        return ConformanceResult(**{**values, "inputs": made})
    outcome = NOT_RUN if found.exit_code is None or found.given_up else FAILED
    reason = "the deadline came first" if found.given_up else found.reason
    facts = found.case.facts
    return ConformanceResult(found.case.name, facts["kind"], facts["operator"], outcome, reason, found.seconds)


assert set(_GOOD) <= set(OUTCOMES)
