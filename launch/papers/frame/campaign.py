"""Figures of papers as a campaign: a case is a measurement, which figures that need the same one share."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from emu.output.scratch import ScratchFolder
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.outcomes import IDLE, CaseOutcome
from launch.papers.frame.figure import FigureRequest, MeasuredValue, Measurement
from launch.papers.frame.kept import KeptValues
from launch.papers.frame.page import TOOL
from launch.papers.frame.report import FigureReport, paper_answer
from launch.text.answer import Answer, Verbatim
from launch.text.markdown_page import check_page, write_blocks

_NOT_THERE = CaseOutcome("no figure", "without a figure", IDLE)  # what cannot be had is a row with the reason

_OF_CASES = ("exit_code", "reason", "error", "seconds")  # what a report has beside what was measured


@dataclass(frozen=True, kw_only=True)
class PaperCampaign(Campaign):
    """The figures of `requests`, by the command that asks for them, in a `page` if there is one, and what they measure.

    `measured` are measurements by the name of their case; `kept` has what came of them.
    """

    requests: Mapping[str, Sequence[tuple[FigureRequest, Sequence[Measurement]]]]
    measured: Mapping[str, Measurement]
    kept: KeptValues
    page: Path | None = None
    as_markdown: bool = False

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """Whether there is something to show."""
        return _NOT_THERE if result.exit_code == 2 and not result.case.expect else super().outcome(result)

    def ended(self, result: CaseResult) -> None:
        """Keep what was measured."""
        if result.exit_code in (0, 2) and result.case.known is None:
            self.kept.add(self.measured[result.case.name].key, _values(result))

    def reports(self, results: Iterable[CaseResult]) -> dict[str, list[FigureReport]]:
        """Each figure, of as many measurements as were made, by the command that asks for it."""
        made = {self.measured[each.case.name].key: each for each in results if each.exit_code is not None}
        return {
            command: [
                FigureReport(request, [_found(each, made[each.key]) for each in those if each.key in made], len(those))
                for request, those in requests
            ]
            for command, requests in self.requests.items()
        }

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """That of cases that have failed; 2 if there is nothing to show."""
        reports = chain.from_iterable(self.reports(results).values())
        return super().exit_code(results) or 2 * (not any(each.rows and each.has_values for each in reports))

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """All figures, and beside them what is published; the page is written if all is measured."""
        failed = [
            f"{self.outcome(each).word}  {each.case.name}: {each.reason}" for each in report.failed if not each.passed
        ]
        figures = self.reports(report.results)
        if self.page is not None and not (report.exit_code or report.not_run):
            blocks = {command: "\n\n".join(each.markdown() for each in those) for command, those in figures.items()}
            write_blocks(self.page, blocks, TOOL)
            failed = [*failed, f"written: {self.page}"]
        listed = [*chain.from_iterable(figures.values())]
        return paper_answer(listed, failed, report.exit_code, self.as_markdown)

    def listing(self) -> Answer:
        """A shell's script: of each measurement the commands that come to the same, or the one that makes just this."""
        lines = {case.name: self.measured[case.name].commands or (case.command_line,) for case in self.cases}
        cases = [case.to_dict() | {"commands": list(lines[case.name])} for case in self.cases]
        return Answer(
            {"cases": cases}, [Verbatim("\n".join((f"# {name}", *those, ""))) for name, those in lines.items()]
        )


@contextmanager
def paper_campaign(
    requests: Mapping[str, Sequence[FigureRequest]],
    kept: KeptValues,
    page: Path | None = None,
    as_markdown: bool = False,
) -> Generator[PaperCampaign]:
    """The measurements that figures need, each once; raises InputError for what a figure cannot be made with.

    `requests` are by the commands of the `page` that the figures are written into, if there is one.
    """
    if page is not None:
        check_page(page, requests, TOOL)
    with ScratchFolder("papers") as folder:
        wanted = {
            command: [(each, each.figure.measure(each.wanted)) for each in those] for command, those in requests.items()
        }
        measured: dict[str, tuple[FigureRequest, Measurement]] = {}
        for request, measurements in chain.from_iterable(wanted.values()):
            for each in measurements:
                measured.setdefault(each.key, (request, each))
        cases = [_case(*needed, kept.get(key), folder) for key, needed in measured.items()]
        yield PaperCampaign(
            name="paper",
            cases=cases,
            requests=wanted,
            measured={case.name: each for case, (_, each) in zip(cases, measured.values(), strict=True)},
            kept=kept,
            page=page,
            as_markdown=as_markdown,
        )


def _case(request: FigureRequest, measurement: Measurement, known: Mapping[str, Any] | None, folder: Path) -> Case:
    name = f"{request.name}/{measurement.label}"
    given = {**measurement.given, "folder": str(folder)}
    return Case(name, measurement.function, given, (*request.words, "-k", f'"{name}"'), known=known)


def _values(result: CaseResult) -> dict[str, Any]:
    """What a case has come to, with its time where it was measured."""
    return {"seconds": round(result.seconds, 1), **result.report}


def _found(measurement: Measurement, result: CaseResult) -> MeasuredValue:
    values = _values(result)
    listed = {name: value for name, value in values.items() if name not in _OF_CASES}
    return MeasuredValue(measurement, listed, result.reason, values["seconds"])
