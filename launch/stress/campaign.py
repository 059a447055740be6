"""Every pattern that exists for a number of cores, as a campaign: each case is an `emu stress` of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.chaos.spec import Chaos
from emu.stress.patterns import PATTERNS
from emu.stress.refusal import Unsuitable
from launch.campaigns.campaign import NONE, Campaign, CampaignReport, Columns
from launch.campaigns.case import CaseResult, command_case
from launch.campaigns.outcomes import IDLE, CaseOutcome
from launch.chaos.injection import injected_line
from launch.stress.job import StressJob
from launch.text.answer import Part
from launch.text.units import size_text

_UNDISTURBED = CaseOutcome("idle", "without any fault of the chaos", IDLE)


@dataclass(frozen=True, kw_only=True)
class StressCampaign(Campaign):
    """`skipped` says why patterns do not exist here, `chaos` what is injected into all of them."""

    skipped: Sequence[str] = ()
    chaos: Chaos | None = None

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """A pattern without a triggered fault is no failure, unless none triggers one."""
        return _UNDISTURBED if _is_idle(result) else super().outcome(result)

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """The highest exit code of any pattern."""
        idle = bool(results) and all(map(_is_idle, results))
        return results[0].exit_code or 0 if idle else super().exit_code(results)

    def parts(self, report: CampaignReport, quiet: bool) -> Iterable[Part]:
        """The table, what was injected into all patterns together, and which do not exist here."""
        total: Counter[str] = Counter()
        for result in report.results:
            total.update(result.report.get("injected") or {})
        table, *lines = super().parts(report, quiet)
        injected = [injected_line(self.chaos, total)] if self.chaos else []
        return [table, *injected, *(f"skipped: {line}" for line in self.skipped), *lines]

    def values(self, report: CampaignReport) -> dict[str, Any]:
        """The reports of all patterns."""
        return {
            "patterns": [{"pattern": result.case.name, **result.report} for result in report.results],
            "skipped": list(self.skipped),
            "seconds": round(report.seconds, 2),
            "exit_code": report.exit_code,
        }


def stress_campaign(names: Sequence[str], job: Mapping[str, Any], words: Sequence[str]) -> StressCampaign:
    """The patterns `names` with the options `words` of a command line; `job` has all of `StressJob` but the pattern."""
    skipped, found = list[str](), list[str]()
    for name in names:
        try:
            StressJob(pattern=name, **job).workload()
            found.append(name)
        except Unsuitable as refusal:
            skipped.append(str(refusal))
    return StressCampaign(
        name="stress",
        cases=[command_case(name, "stress", name, *words, facts={"pattern": name}) for name in found],
        columns=COLUMNS,
        skipped=skipped,
        chaos=job["options"].chaos,
    )


def all_patterns() -> list[str]:
    """The names of all patterns."""
    return list(PATTERNS)


def _is_idle(result: CaseResult) -> bool:
    injected = result.report.get("injected")
    return result.exit_code == 2 and injected is not None and not sum(injected.values())


def _latency(name: str) -> tuple[str, Any]:
    def cell(result: CaseResult) -> str:
        latency = result.report.get("send_seconds")
        return f"{1e3 * latency[name]:.2f}" if latency else NONE

    return "r", cell


def _rate(name: str, text: Any) -> tuple[str, Any]:
    def cell(result: CaseResult) -> str:
        found = result.report
        return text(found[name]) if name in found and not found.get("deadlock") else NONE

    return "r", cell


COLUMNS: Columns = {
    "messages": ("r", lambda result: str(result.report.get("messages", NONE))),
    "messages/s": _rate("messages_per_second", "{:.0f}".format),
    "bytes/s": _rate("bytes_per_second", size_text),
    "p50 ms": _latency("p50"),
    "p99 ms": _latency("p99"),
    "max ms": _latency("largest"),
    "errors": ("r", lambda result: str(result.report.get("errors", NONE))),
    "": ("l", lambda result: "deadlock found" if result.report.get("deadlock") else NONE),
}
