"""The report of all cases: plain values for JSON, rows of a table, lines for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from emu.wording import visible
from launch.suites.case import CaseResult
from launch.suites.outcomes import outcome, summary, worst
from launch.text.answer import Table

COLUMNS = ("case", "result", "relative", "limit", "accuracy", "cores", "samples", "seconds")
ALIGN = "llrrrrrr"
NONE = "-"


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """`results` of all cases, in order, after `seconds`; `stopped` is the exit code of a signal that ended the command.

    `command` are the arguments of `emu`, `suite` path and digest of the suite file (empty: none).
    """

    results: Sequence[CaseResult]
    seconds: float
    jobs: int = 1
    deadline: float | None = None
    stopped: int = 0
    began: str = ""  # as ISO 8601
    command: Sequence[str] = ()
    suite: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    host: Mapping[str, Any] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """That of the signal, else the highest of any case."""
        return self.stopped or worst(self.results)

    @property
    def failed(self) -> list[CaseResult]:
        """Cases that ran and are not right."""
        return [result for result in self.results if result.exit_code]

    @property
    def not_run(self) -> list[CaseResult]:
        """Cases that did not run to their end."""
        return [result for result in self.results if result.exit_code is None]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "suite": dict(self.suite) or None,
            "command": list(self.command),
            "jobs": self.jobs,
            "deadline": self.deadline,
            "began": self.began,
            "cases": [result.to_dict() for result in self.results],
            "passed": sum(result.passed for result in self.results),
            "failed": len(self.failed),
            "not_run": len(self.not_run),
            "seconds": round(self.seconds, 3),
            "versions": dict(self.versions),
            "host": dict(self.host),
            "exit_code": self.exit_code,
        }

    def table(self) -> Table:
        """A row for each case; columns in which no case has anything are left out."""
        rows = [_row(result) for result in self.results]
        used = [place for place in range(len(COLUMNS)) if place < 2 or any(row[place] != NONE for row in rows)]
        shown = [[row[place] for place in used] for row in rows]
        return Table("", [COLUMNS[place] for place in used], shown, "".join(ALIGN[place] for place in used))

    def lines(self) -> list[str]:
        """Why cases are not right and how to repeat them, and how many are; of a single one first its verdict."""
        single = [visible(line) for result in self.results for line in result.lines] if len(self.results) == 1 else []
        told = [
            line
            for result in self.results
            if not result.passed
            for line in (
                f"{outcome(result.exit_code).word}  {visible(result.case.name)}: {visible(result.reason)}",
                f"  {visible(result.case.command_line)}",
            )
        ]
        return [*single, *told, self.summary()]

    def summary(self) -> str:
        """How many cases are right, in one line."""
        return summary(self.results, self.seconds)


def _row(result: CaseResult) -> list[str]:
    report = result.report
    accuracy = report.get("accuracy")
    return [
        visible(result.case.name),
        outcome(result.exit_code).word,
        *_difference(report.get("verdict")),
        f"{accuracy['right']}/{accuracy['of']}" if accuracy else NONE,
        str(report.get("cores", NONE)),
        str(report.get("samples", NONE)),
        f"{result.seconds:.1f}" if result.seconds else NONE,
    ]


def _difference(verdict: Mapping[str, Any] | None) -> tuple[str, str]:
    """The difference, relative to its sample, of the output that is furthest off in parts of its limit; the limit."""
    tensors = (verdict or {}).get("tensors") or ()
    if not tensors:
        return NONE, NONE
    furthest = max(tensors, key=lambda tensor: (not tensor["passed"], float(tensor["relative"])))
    return f"{float(furthest['relative']):.2g}", f"{furthest['tolerance']:g}"
