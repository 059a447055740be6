"""A suite as a campaign: what its table has of runs of networks; and a single run of which is told elsewhere, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emu.image.digest import digest
from emu.wording import visible
from launch.campaigns.campaign import NONE, Campaign, CampaignReport, Columns
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.selecting import place_of
from launch.text.answer import Answer


class SingleRun(Campaign):
    """One network that a command line names: what is told of it is what its run says."""

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """Its verdict and its own values; of a run that did not end, or is none, those of a campaign."""
        found = [result for result in report.results if result.lines]
        if len(found) != 1:
            return super().answer(report, quiet)
        (result,) = found
        lines = [*map(visible, result.lines), *report.why(result)]
        return Answer({**result.report, "exit_code": report.exit_code}, lines, exit_code=report.exit_code)


def suite_campaign(cases: Sequence[Case], suite: Path | None = None) -> Campaign:
    """The cases of a suite file, if there is one, or of a command line."""
    kind = Campaign if suite or len(cases) != 1 else SingleRun
    return kind(
        name="validate",
        cases=cases,
        columns=COLUMNS,
        about={"suite": {"path": str(suite), "sha256": digest(suite).sha256} if suite else None},
        memory=place_of("validate", suite.resolve() if suite else ""),
    )


def _relative(result: CaseResult) -> str:
    tensor = _furthest(result.report.get("verdict"))
    return f"{float(tensor['relative']):.2g}" if tensor else NONE


def _limit(result: CaseResult) -> str:
    tensor = _furthest(result.report.get("verdict"))
    return f"{tensor['tolerance']:g}" if tensor else NONE


def _furthest(verdict: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The output whose difference, relative to its sample, is the largest, of those that are wrong if some are."""
    tensors = (verdict or {}).get("tensors") or ()
    return max(tensors, key=lambda tensor: (not tensor["passed"], float(tensor["relative"])), default={})


def _accuracy(result: CaseResult) -> str:
    accuracy = result.report.get("accuracy")
    return f"{accuracy['right']}/{accuracy['of']}" if accuracy else NONE


COLUMNS: Columns = {
    "relative": ("r", _relative),
    "limit": ("r", _limit),
    "accuracy": ("r", _accuracy),
    "cores": ("r", lambda result: str(result.report.get("cores", NONE))),
    "samples": ("r", lambda result: str(result.report.get("samples", NONE))),
}
