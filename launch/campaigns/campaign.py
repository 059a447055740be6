"""A campaign, which has the cases and the form of the report, and its report when they have run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from emu.wording import visible
from launch.campaigns import outcomes
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.outcomes import CaseOutcome, summary, worst
from launch.text.answer import Answer, Part, Table, Verbatim

NONE = "-"  # an empty cell of a table
# A column of the table: how it is aligned, and what a case shows in it.
Columns = Mapping[str, tuple[str, Callable[[CaseResult], str]]]


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """Cases under a `name`, which reports call `emu NAME`; campaigns with needs of their own derive from this class.

    `timeout` is the limit of a case in seconds. `columns` are shown in the table between the outcome and the time of a
    case, if any case has a value there. `about` are further values of --json, which come first; with `announces`, each
    case prints a line when it ends. `memory` is the key under which --last-failed stores the failed cases (empty: name
    and directory).
    """

    name: str
    cases: Sequence[Case]
    timeout: float | None = None
    columns: Columns = field(default_factory=dict[str, tuple[str, Callable[[CaseResult], str]]])
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])
    memory: str = ""
    announces: bool = True

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """What came of a case, in a word."""
        return outcomes.outcome(result)

    def ended(self, result: CaseResult) -> None:
        """A case has ended: its own resources may be freed."""

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """The exit code of the command."""
        return worst([result for result in results if not self.outcome(result).good])

    def parts(self, report: CampaignReport, quiet: bool) -> Iterable[Part]:
        """The text form: the table of all cases, unless `quiet`, and the lines of the report."""
        lines = [Verbatim(f"{line}\n") if line.startswith(" ") else line for line in report.lines()]  # to be copied
        return [*(() if quiet else (report.table(),)), *lines]

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """The answer of the command."""
        return Answer(self.values(report), self.parts(report, quiet), exit_code=report.exit_code)

    def listing(self) -> Answer:
        """The names of the cases, and what repeats each."""
        rows = [(case.name, case.expect, case.command_line) for case in self.cases]
        used = [place for place in range(3) if place == 0 or any(row[place] for row in rows)]
        names = ("case", "expect", "command")
        table = Table("", [names[place] for place in used], [[row[place] for place in used] for row in rows])
        return Answer({"cases": [case.to_dict() for case in self.cases]}, [table])

    def values(self, report: CampaignReport) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            **self.about,
            "command": list(report.command),
            "jobs": report.jobs,
            "deadline": report.deadline,
            "began": report.began,
            "cases": [result.to_dict() for result in report.results],
            "passed": sum(result.passed for result in report.results),
            "failed": len(report.failed),
            "not_run": len(report.not_run),
            "seconds": round(report.seconds, 3),
            "versions": dict(report.versions),
            "host": dict(report.host),
            "exit_code": report.exit_code,
        }


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """`results` of all cases, in order, after `seconds`; `stopped` is the exit code of a signal that ended the command.

    `command` are the arguments of `emu`.
    """

    campaign: Campaign
    results: Sequence[CaseResult]
    seconds: float
    jobs: int = 1
    deadline: float | None = None
    stopped: int = 0
    began: str = ""  # as ISO 8601
    command: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    host: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def exit_code(self) -> int:
        """The exit code of the signal that stopped the command, else that of the campaign."""
        return self.stopped or self.campaign.exit_code(self.results)

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """The outcome of a case."""
        return self.campaign.outcome(result)

    @property
    def failed(self) -> list[CaseResult]:
        """Cases that ran and are not right."""
        return [result for result in self.results if not self.outcome(result).good]

    @property
    def not_run(self) -> list[CaseResult]:
        """Cases that did not run to their end."""
        return [result for result in self.results if result.exit_code is None]

    def table(self) -> Table:
        """A row for each case; columns without any value are left out."""
        columns = {"case": "l", "result": "l"} | {name: align for name, (align, _) in self.campaign.columns.items()}
        columns |= {"seconds": "r"}
        rows = [self._row(result) for result in self.results]
        used = [place for place in range(len(columns)) if place < 2 or any(row[place] != NONE for row in rows)]
        shown = [[row[place] for place in used] for row in rows]
        names, aligns = list(columns), list(columns.values())
        return Table("", [names[place] for place in used], shown, "".join(aligns[place] for place in used))

    def _row(self, result: CaseResult) -> list[str]:
        cells = [cell(result) for _, cell in self.campaign.columns.values()]
        seconds = f"{result.seconds:.1f}" if result.seconds else NONE
        return [visible(result.case.name), self.outcome(result).word, *cells, seconds]

    def lines(self) -> list[str]:
        """Reasons and repeat commands of failed cases, and the summary; of a single case first its verdict."""
        single = [visible(line) for result in self.results for line in result.lines] if len(self.results) == 1 else []
        reasons = [line for result in self.results for line in self.why(result)]
        return [*single, *reasons, self.summary()]

    def why(self, result: CaseResult) -> list[str]:
        """Why a case is not right and how to repeat it; of one that is, nothing."""
        if result.passed:
            return []
        why = f"{self.outcome(result).word}  {visible(result.case.name)}: {visible(result.reason)}"
        return [why, *([f"  {visible(result.case.command_line)}"] if result.case.repeat else [])]

    def summary(self) -> str:
        """How many cases are right, in one line."""
        return summary(self.results, self.seconds, self.campaign.outcome)
